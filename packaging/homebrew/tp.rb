# Homebrew on Linux, for a tap: the release archive, whose programs contain their libraries.
class Tp < Formula
  desc "Count, time and record function calls of running programs"
  homepage "https://tp.invalid"
  url "https://tp.invalid/releases/download/v0.2.0/tp-0.2.0-x86_64.tar.xz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000" # tp-VERSION-x86_64.tar.xz
  license "Apache-2.0" => { with: "LLVM-exception" }

  depends_on arch: :x86_64
  depends_on :linux

  def install
    prefix.install Dir["*"]
  end

  def caveats
    <<~EOS
      tpctl needs no compiler. tp-clang runs a clang of a version that `ls #{opt_lib}/tp` lists.
      TP_CLANG names a clang that is not in PATH:
        TP_CLANG=$(brew --prefix llvm)/bin/clang tp-clang -ftp-entry=2,0 app.c
    EOS
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/tpctl --version")
    (testpath/"test.c").write <<~C
      #include <stdio.h>
      #include <tprt/tprt.h>
      int main(void) { puts(tprt_version_string()); }
    C
    system ENV.cc, "test.c", "-I#{include}", "-L#{lib}", "-Wl,-rpath,#{lib}", "-ltprt", "-o", "test"
    assert_equal version.to_s, shell_output("./test").strip
  end
end
