{
  description = "Count, time and record function calls of running programs";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  # The release archive: tpctl and tp-clang contain their libraries, so they run on NixOS as
  # they are. The plugins of clang get the libraries that they need from nixpkgs.
  outputs = { self, nixpkgs }:
    let
      version = "0.2.0";
      system = "x86_64-linux";
      pkgs = nixpkgs.legacyPackages.${system};
      tp = pkgs.stdenv.mkDerivation {
        pname = "tp";
        inherit version;
        src = pkgs.fetchurl {
          url = "https://tp.invalid/releases/download/v${version}/tp-${version}-x86_64.tar.xz";
          hash = "sha256-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="; # tp-VERSION-x86_64.tar.xz
        };
        nativeBuildInputs = [ pkgs.autoPatchelfHook ];
        buildInputs = [ (pkgs.lib.getLib pkgs.stdenv.cc.cc) ];
        # clang, which loads the plugins, has LLVM. libtprt of musl is for programs of musl.
        autoPatchelfIgnoreMissingDeps = [ "libLLVM*" "libclang-cpp*" "libc.so" "libc.musl*" ];
        dontConfigure = true;
        dontBuild = true;
        dontStrip = true;
        installPhase = ''
          runHook preInstall
          mkdir -p $out
          cp -a . $out/
          runHook postInstall
        '';
        doInstallCheck = true;
        installCheckPhase = ''
          $out/bin/tpctl --version | grep -F ${version}
        '';
        meta = {
          description = "Count, time and record function calls of running programs";
          homepage = "https://tp.invalid";
          license = with pkgs.lib.licenses; [ asl20 llvm-exception ];
          platforms = [ system ];
          sourceProvenance = [ pkgs.lib.sourceTypes.binaryNativeCode ];
          mainProgram = "tpctl";
        };
      };
    in {
      packages.${system} = { inherit tp; default = tp; };
      apps.${system}.default = { type = "app"; program = "${tp}/bin/tpctl"; };
    };
}
