#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the recipes of packaging/: the ctest `recipes`. packaging/README.md says what each is.

It makes a small release, writes the recipes with its checksums (scripts/recipes.py), and checks
and runs each as far as that goes without the package manager. What needs a program that is not
installed is printed as "not tried", with the program. scripts/setup.sh --test installs them.
That the recipes have the project's version is checked by scripts/version.py.

usage: check-recipes.py SOURCE BUILD_FOLDER
"""
import ast
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

INSTRUCTIONS = {"ARG", "CMD", "COPY", "ENTRYPOINT", "ENV", "FROM", "LABEL", "RUN", "USER", "WORKDIR"}
FILES = {
    "bin/tpctl": "#!/bin/sh\necho 'tpctl (tp {version})'\n",
    "lib/libtprt.so": "",
    "lib/pkgconfig/tprt.pc": "libdir=/x\nLibs: -L${{libdir}} -Wl,-rpath,${{libdir}} -ltprt\n",
    "share/doc/tp/LICENSE": "a licence\n",
}


class Check:
    def __init__(self, source, build, scratch):
        self.source, self.build, self.scratch, self.faults, self.tried = source, build, scratch, 0, []
        self.version = self.run("version", sys.executable, "-B", source / "scripts/version.py", "--print", source).strip()

    def fault(self, message):
        self.faults += 1
        print(f"FAILED: {message}")

    def run(self, what, *command, expect=0, **more):
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **more)
        if (done.returncode == 0) != (expect == 0):
            self.fault(f"{what}: exit status {done.returncode}: {(done.stdout + done.stderr).strip()}")
        return done.stdout + done.stderr

    def needs(self, what, program):
        found = shutil.which(program)
        if not found:
            print(f"not tried: {what}: no {program}")
        return found

    def expect(self, what, holds):
        if not holds:
            self.fault(what)

    def release(self):
        """The files of a release, as recipes find them below URL."""
        folder = self.scratch / f"releases/v{self.version}"
        name = f"tp-{self.version}-x86_64"
        for file, text in FILES.items():
            path = self.scratch / name / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text.format(version=self.version))
            path.chmod(0o755)
        folder.mkdir(parents=True)
        for archive in (f"{name}.tar.xz", f"tp-{self.version}.tar.xz"):
            with tarfile.open(folder / archive, "w:xz") as tar:
                tar.add(self.scratch / name, name)
        environment = os.environ | {"SOURCE_DATE_EPOCH": "1700000000"}
        for time in ("once", "twice"):
            self.run("recipes.py", sys.executable, "-B", self.source / "scripts/recipes.py", self.source, folder, self.version, env=environment)
            made = (folder / f"tp-recipes-{self.version}.tar.xz").read_bytes()
            if time == "once":
                first = made
        self.expect("recipes.py makes other bytes the second time", first == made)
        with tarfile.open(folder / f"tp-recipes-{self.version}.tar.xz") as tar:
            tar.extractall(self.scratch)
        (folder / "SHA256SUMS").write_text("".join(
            f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in sorted(folder.glob("*.xz"))))
        self.recipes = self.scratch / f"tp-recipes-{self.version}"
        self.files, self.archive = folder, folder / f"{name}.tar.xz"
        for file in self.recipes.rglob("*"):
            if file.is_file():
                self.expect(f"{file} has a checksum of zeros", not re.search(r"\b0{64}\b|A{43}=|SHA512 0\b", file.read_text()))

    def aur(self):
        recipe = self.recipes / "aur/PKGBUILD"
        self.run("PKGBUILD", "bash", "-n", recipe)
        if self.needs("PKGBUILD", "shellcheck"):
            # makepkg reads the variables, and stops where a command fails.
            self.run("PKGBUILD", "shellcheck", "--shell=bash", "--exclude=SC2034,SC2154,SC2164,SC2016", recipe)
        target = self.scratch / "pkg"
        self.run("PKGBUILD", "bash", "-euc", """
          . "$1"
          [[ ${#source[@]} -eq ${#sha256sums[@]} ]]
          srcdir=$2 pkgdir=$3
          sha256sum --check --quiet - <<<"${sha256sums[0]}  $4/$(basename "${source[0]}")"
          package""", "-", recipe, self.scratch, target, self.files)
        self.expect("PKGBUILD does not install tpctl and its licence",
                    (target / "usr/bin/tpctl").exists() and (target / "usr/share/licenses/tp-tools-bin/LICENSE").exists())
        self.expect("PKGBUILD leaves a run path", "rpath" not in (target / "usr/lib/pkgconfig/tprt.pc").read_text())

    def homebrew(self):
        recipe = self.recipes / "homebrew/tp.rb"
        if not self.needs("homebrew/tp.rb", "ruby"):
            return
        self.run("tp.rb", "ruby", "-wc", recipe)
        # A stand-in for Homebrew: each statement of the class becomes a row, and prefix is a folder.
        stand_in = self.scratch / "brew.rb"
        stand_in.write_text("""
          require "pathname"
          require "fileutils"
          class Pathname
            def install(files)
              mkpath
              FileUtils.cp_r(files, self)
            end
          end
          class Formula
            class << self
              attr_reader :rows
              def method_missing(name, *values) = (@rows ||= {})[name] = values
              def respond_to_missing?(*) = true
              def test(&block) = (@rows ||= {})[:test] = block
            end
            def initialize(prefix) = @prefix = Pathname(prefix)
            attr_reader :prefix
            def opt_lib = prefix/"lib"
          end
          load ARGV[0]
          Tp.new(ARGV[1]).install
          Tp.new(ARGV[1]).caveats
          %i[desc homepage url sha256 license test].each { |name| Tp.rows.fetch(name) }
          puts Tp.rows[:desc], Tp.rows[:url], Tp.rows[:sha256]
        """)
        rows = self.run("tp.rb", "ruby", stand_in, recipe, self.scratch / "keg", cwd=self.scratch / f"tp-{self.version}-x86_64").splitlines()
        self.expect("tp.rb does not install tpctl", (self.scratch / "keg/bin/tpctl").exists())
        # `brew audit` demands this.
        self.expect(f"tp.rb: not a description for Homebrew: {rows[:1]}",
                    rows and len(rows[0]) <= 80 and not re.match(r"(an?|the|tp)\b", rows[0], re.I) and not rows[0].endswith("."))
        self.expect("tp.rb has not the archive's checksum", hashlib.sha256(self.archive.read_bytes()).hexdigest() in rows)

    def nix(self):
        if self.needs("nix/flake.nix", "nix-instantiate"):
            environment = os.environ | {"NIX_STATE_DIR": str(self.scratch / "nix"), "NIX_STORE_DIR": str(self.scratch / "nix/store")}
            self.run("flake.nix", "nix-instantiate", "--parse", self.recipes / "nix/flake.nix", env=environment)

    def vcpkg(self):
        port = json.loads((self.recipes / "vcpkg/vcpkg.json").read_text())
        self.expect(f"vcpkg.json has not what a port needs: {sorted(port)}", {"name", "version", "license", "description", "dependencies"} <= set(port))
        # Stand-ins for vcpkg's functions. They print the options of CMake.
        stand_in = self.scratch / "port.cmake"
        stand_in.write_text("""
          cmake_minimum_required(VERSION 3.25)
          function(vcpkg_download_distfile variable)
            cmake_parse_arguments(PARSE_ARGV 1 arg "" "URLS;FILENAME;SHA512" "")
            string(LENGTH "${arg_SHA512}" length)
            if(arg_UNPARSED_ARGUMENTS OR NOT length EQUAL 128)
              message(FATAL_ERROR "${arg_FILENAME}: ${arg_UNPARSED_ARGUMENTS} ${arg_SHA512}")
            endif()
            set(${variable} ${arg_FILENAME} PARENT_SCOPE)
          endfunction()
          function(vcpkg_extract_source_archive variable)
            set(${variable} @${variable}@ PARENT_SCOPE)
          endfunction()
          function(vcpkg_cmake_configure)
            cmake_parse_arguments(PARSE_ARGV 0 arg "" "SOURCE_PATH" "OPTIONS")
            foreach(option ${arg_OPTIONS})
              message("option ${option}")
            endforeach()
          endfunction()
          foreach(name vcpkg_cmake_install vcpkg_cmake_config_fixup vcpkg_fixup_pkgconfig vcpkg_install_copyright)
            cmake_language(EVAL CODE "function(${name})\\nendfunction()")
          endforeach()
          set(CURRENT_PACKAGES_DIR ${folder}/packages)
          set(CURRENT_INSTALLED_DIR @INSTALLED@)
          set(CMAKE_CURRENT_LIST_DIR ${port})
          include(${port}/portfile.cmake)
        """)
        output = self.run("portfile.cmake", "cmake", f"-DVERSION={self.version}", f"-DPORT={port['name']}", f"-Dport={self.recipes}/vcpkg",
                          f"-Dfolder={self.scratch}", "-P", stand_in)
        options = re.findall(r"^option (.*)$", output, re.M)
        self.expect(f"portfile.cmake configures nothing: {output}", "-DTP_RUNTIME_ONLY=ON" in options)
        self.configure([option for option in options if "@" not in option])

    def configure(self, options):
        """libtprt alone is configured without LLVM, and has rules to install it."""
        cache = dict(re.findall(r"^([\w.-]+):\w+=(.*)$", (self.build / "CMakeCache.txt").read_text(), re.M))
        folders = [f"-D{name}={cache[name]}" for name in ("TP_ZYDIS_FOLDER", "TP_ZYCORE_INCLUDE", "TP_FMT_INCLUDE") if name in cache]
        binary = self.scratch / "libtprt"
        self.run("libtprt alone", "cmake", "-G", "Ninja", "-S", self.source, "-B", binary, *options, *folders)
        rules = self.run("libtprt alone", "ninja", "-C", binary, "-t", "targets", "all")
        self.expect("libtprt alone can't be installed", "install" in rules and (binary / "lib/cmake/Tp/TpConfig.cmake").exists())
        self.expect("libtprt alone needs LLVM", "LLVM_DIR" not in (binary / "CMakeCache.txt").read_text())

    def conan(self):
        for file in sorted((self.recipes / "conan").rglob("*.py")):
            try:
                tree = ast.parse(file.read_text())
            except SyntaxError as error:
                self.fault(f"{file.name}: {error}")
                continue
            used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
            for node in ast.walk(tree):
                if isinstance(node, ast.ImportFrom):
                    for name in node.names:
                        self.expect(f"{file}: {name.name} is imported and not used", name.name in used)
        if data := self.yaml(self.recipes / "conan/conandata.yml"):
            archives = data["sources"][self.version]
            self.expect(f"conandata.yml: {archives}", all(set(one) == {"url", "sha256"} and len(one["sha256"]) == 64 for one in archives.values()))
            digest = hashlib.sha256((self.files / f"tp-{self.version}.tar.xz").read_bytes()).hexdigest()
            self.expect("conandata.yml has not the source archive's checksum", archives["tp"]["sha256"] == digest)

    def yaml(self, file):
        # python3 of PATH may be another one than Debian's, which has the module.
        done = subprocess.run(["/usr/bin/python3", "-c", "import json, sys, yaml; print(json.dumps(yaml.safe_load(open(sys.argv[1]))))", str(file)],
                              capture_output=True, text=True)
        if done.returncode and "No module named" in done.stderr or done.returncode == 127:
            print(f"not tried: {file.name}: no python3-yaml")
            return None
        if done.returncode:
            self.fault(f"{file.name}: {done.stderr.strip().splitlines()[-1]}")
            return None
        return json.loads(done.stdout)

    def docker(self):
        text = (self.recipes / "docker/Dockerfile").read_text()
        lines = re.sub(r"^\s*#.*\n", "", text, flags=re.M).replace("\\\n", " ").splitlines()
        stages, begun = [], False
        for line in filter(str.strip, lines):
            word, _, rest = line.partition(" ")
            self.expect(f"Dockerfile: unknown instruction {word}", word in INSTRUCTIONS)
            self.expect(f"Dockerfile: {word} before FROM", begun or word in ("ARG", "FROM"))
            if word == "FROM":
                begun = True
                stages.append(rest.split(" AS ")[-1])
            if word == "RUN":
                self.run(f"Dockerfile: {rest}", "bash", "-n", "-c", rest)
            if origin := re.match(r"--from=(\S+)", rest) if word == "COPY" else None:
                self.expect(f"Dockerfile: no stage {origin.group(1)} before", origin.group(1) in stages[:-1])

    def action(self):
        action = self.yaml(self.recipes / "action/action.yml")
        if not action or not self.needs("the script of action.yml", "curl"):
            return
        step = action["runs"]["steps"][0]
        self.expect("action.yml: the script has an expression, which its input could break out of", "${{" not in step["run"])
        for how in ("right", "wrong"):
            runner = self.scratch / f"runner {how}"
            runner.mkdir()
            environment = os.environ | {"RUNNER_TEMP": str(runner), "GITHUB_PATH": str(runner / "path"), "GITHUB_OUTPUT": str(runner / "output"),
                                        "TP_VERSION": action["inputs"]["version"]["default"], "TP_URL": f"file://{self.files.parent}", "TP_PREFIX": ""}
            if how == "wrong":
                with open(self.archive, "ab") as file:
                    file.write(b"more")
            output = self.run(f"the script of action.yml, {how} checksum", "bash", "-c", step["run"], expect=how == "wrong", env=environment)
            if how == "wrong":
                self.expect(f"action.yml: a wrong checksum: {output}", "::error::" in output and not (runner / "path").exists())
            else:
                prefix = runner / f"tp-{self.version}"
                self.expect(f"action.yml: {output}", (runner / "path").read_text() == f"{prefix}/bin\n" and f"tp {self.version}" in output)


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: check-recipes.py SOURCE BUILD_FOLDER")
    with tempfile.TemporaryDirectory(prefix="tp-recipes-test.") as folder:
        check = Check(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve(), pathlib.Path(folder))
        check.release()
        for recipe in (check.aur, check.homebrew, check.nix, check.vcpkg, check.conan, check.docker, check.action):
            recipe()
        return 1 if check.faults else 0


sys.exit(main())
