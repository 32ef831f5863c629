#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the bill of materials of the packages, packages/tp-VERSION.spdx.json of a build folder.

It is SPDX 2.3 in JSON (https://spdx.github.io/spdx-spec/v2.3/). It lists the components that
the products contain or load, each with its version on this machine, licence and package URL:

 - static libraries: those on the command lines by which the build links tpctl and tp-clang,
   and the compiler's and the C library's;
 - libraries of headers: those whose folders CMake has found (TP_NAME_INCLUDE in its cache);
 - the npm packages in the pages of `tpctl view`: package-lock.json;
 - LLVM of each plugin, which the compiler brings.

A static library or a folder that COMPONENTS does not know is an error, so that no component is
forgotten. Versions are those of dpkg's packages; without dpkg they are those that pkg-config
or the compiler gives, or NOASSERTION. The same build and SOURCE_DATE_EPOCH make the same file.
scripts/package.sh calls it. cmake/install-test/check-spdx.py checks the result.

usage: sbom.py BUILD_FOLDER
"""
import base64
import datetime
import functools
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import urllib.parse

SOURCE = pathlib.Path(__file__).resolve().parent.parent
HOME = "https://tp.invalid"
OWN = "Apache-2.0 WITH LLVM-exception"
# What runs in the pages; package-lock.json also has what speedscope's command line needs.
PAGES = r"speedscope|d3-.*|internmap"

# key: (name, licence, web address, pattern of its file names, name in pkg-config). The key is that
# of `TP_KEY_INCLUDE`, or any other.
COMPONENTS = {
    "LLVM": ("LLVM", OWN, "https://llvm.org", r"libLLVM\w+\.a", None),
    "GCC": ("libstdc++ and libgcc", "GPL-3.0-or-later WITH GCC-exception-3.1", "https://gcc.gnu.org",
            r"lib(stdc\+\+|gcc|gcc_eh|supc\+\+)\.a", None),
    "GLIBC": ("GNU C Library", "LGPL-2.1-or-later", "https://www.gnu.org/software/libc/", r"lib(c|m|pthread|dl|rt)\.a", None),
    "ZSTD": ("zstd", "BSD-3-Clause OR GPL-2.0-only", "https://facebook.github.io/zstd/", r"libzstd\.a", "libzstd"),
    "ZLIB": ("zlib", "Zlib", "https://zlib.net", r"libz\.a", "zlib"),
    "SQLITE": ("SQLite", "blessing", "https://sqlite.org", r"libsqlite3\.a", "sqlite3"),
    "NCURSES": ("ncurses", "X11-distribute-modifications-variant", "https://invisible-island.net/ncurses/",
                r"lib(ncursesw|tinfow?)\.a", "ncursesw"),
    "CLI11": ("CLI11", "BSD-3-Clause", "https://github.com/CLIUtils/CLI11", None, "CLI11"),
    "PROTOZERO": ("protozero", "BSD-2-Clause", "https://github.com/mapbox/protozero", None, None),
    "FMT": ("{fmt}", "MIT", "https://fmt.dev", None, "fmt"),
    "ZYCORE": ("Zycore", "MIT", "https://zydis.re", None, "zycore"),
    "ZYDIS": ("Zydis", "MIT", "https://zydis.re", None, None),
}
HEADERS = {"CLI11": "CLI/CLI.hpp", "PROTOZERO": "protozero/pbf_writer.hpp", "FMT": "fmt/format-inl.h", "ZYCORE": "Zycore/Types.h",
           "ZSTD": "zstd.h", "ZLIB": "zlib.h", "SQLITE": "sqlite3.h", "NCURSES": "ncurses.h"}
OF_LIBTPRT = ("FMT", "ZYDIS", "ZYCORE")


def fail(message):
    sys.exit(f"sbom: error: {message}")


def output(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return ""


@functools.cache
def unpacked_files(root):
    """What scripts/unpack-packages.sh has unpacked into a folder: each file's source package, and as package_of()."""
    lines = pathlib.Path(f"{root}.files").read_text().splitlines()
    return {file: package.split() for file, package in (re.fullmatch(r"(.*) (\S+ \S+ \S+)", line).groups() for line in lines)}


def unpacked_package_of(file):
    for root in pathlib.Path(file).parents:
        if root.name and pathlib.Path(f"{root}.files").is_file():
            return unpacked_files(root).get(file.removeprefix(str(root)))
    return None


@functools.cache
def package_of(folder, name):
    """dpkg's source package of a file, the version of that, and of the file's package. The versions differ for
    the cross compilers' C library, for example. The folders /lib and /usr/lib may be one, and dpkg
    knows a file by one of its names."""
    for file in (os.path.join(folder, name), os.path.realpath(os.path.join(folder, name))):
        if package := unpacked_package_of(file):
            return package
        owner = output("dpkg-query", "--search", file).split(": ")[0].split(",")[0]
        if owner:
            return output("dpkg-query", "--show", "--showformat=${source:Package} ${source:Version} ${Version}", owner).split()
    return None


@functools.cache
def distribution():
    for line in pathlib.Path("/etc/os-release").read_text().splitlines():
        if line.startswith("ID="):
            return line[3:].strip('"')
    return "debian"


class Origin:
    """Where a component's file on this machine is from."""

    def __init__(self, key, path):
        name, _, _, _, pkg_config = COMPONENTS[key]
        self.version, self.purl = "", ""
        if package := package_of(*os.path.split(os.path.normpath(path))):
            self.version = package[2]
            self.purl = f"pkg:deb/{distribution()}/{package[0]}@{urllib.parse.quote(package[1], safe='')}?arch=source"
            return
        self.version = output("pkg-config", "--modversion", pkg_config).strip() if pkg_config else ""
        plain = re.sub(r"[^a-z0-9.-]+", "-", name.lower()).strip("-")
        self.purl = f"pkg:generic/{plain}" + (f"@{urllib.parse.quote(self.version, safe='')}" if self.version else "")


class Bill:
    def __init__(self, build):
        self.build = build
        text = (build / "CMakeCache.txt").read_text()
        self.cache = dict(re.findall(r"^([\w.-]+):\w+=(.*)$", text, re.M))
        self.version = self.cache["CMAKE_PROJECT_VERSION"]
        self.packages, self.relations = {}, set()

    def id(self, name, version=""):
        return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.]+", "-", f"{name}-{version}".replace("++", "pp")).strip("-")

    def add(self, name, version, licence, url, purl, **more):
        spdx_id = self.id(name, version)
        self.packages[spdx_id] = {
            "SPDXID": spdx_id, "name": name, "versionInfo": version or "NOASSERTION", "supplier": "NOASSERTION",
            "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "licenseConcluded": licence, "licenseDeclared": licence,
            "copyrightText": "NOASSERTION", **({"homepage": url} if url else {}),
            "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": purl}], **more}
        return spdx_id

    def component(self, key, path):
        name, licence, url, _, _ = COMPONENTS[key]
        origin = Origin(key, path)
        return self.add(name, origin.version, licence, url, origin.purl)

    def product(self, name, summary):
        return self.add(name, self.version, OWN, None, f"pkg:generic/{name}@{self.version}", summary=summary,
                        supplier="Organization: tp maintainers")

    def relate(self, one, how, other):
        self.relations.add((one, how, other))

    def compilers_file(self, name):
        compiler = self.cache.get("CMAKE_CXX_COMPILER")
        if not compiler:  # a toolchain file names it
            found = next(self.build.glob("CMakeFiles/*/CMakeCXXCompiler.cmake")).read_text()
            compiler = re.search(r'^set\(CMAKE_CXX_COMPILER "(.*)"\)', found, re.M).group(1)
        path = output(compiler, f"-print-file-name={name}").strip()
        if not os.path.isabs(path):
            fail(f"{compiler} has no {name}, which the programs are linked to")
        return path

    def static_libraries(self, program):
        """Those on the command line by which the program is linked."""
        ninja = self.cache.get("CMAKE_MAKE_PROGRAM", "ninja")
        if self.cache.get("CMAKE_GENERATOR") != "Ninja":
            fail(f"{self.build} was not made by 'cmake -G Ninja', so its link commands can't be read")
        line = subprocess.run([ninja, "-C", self.build, "-t", "commands", "-s", f"bin/{program}"], capture_output=True, text=True).stdout
        if not line:
            fail(f"{self.build} has no rule for bin/{program}")
        found = [word for word in line.split() if word.endswith(".a") and os.path.isabs(word)
                 and not word.startswith(str(self.build) + os.sep)]
        return found

    def linked(self, product, program):
        libraries = self.static_libraries(program) + [self.compilers_file("libstdc++.a"), self.compilers_file("libgcc.a")]
        if self.cache.get("TP_STATIC_PIE") == "1":
            libraries.append(self.compilers_file("libc.a"))
        seen = set()  # LLVM's libraries are many, of one package
        for path in libraries:
            for key, (_, _, _, pattern, _) in COMPONENTS.items():
                if pattern and re.fullmatch(pattern, os.path.basename(path)):
                    if (key, os.path.dirname(path)) not in seen:
                        self.relate(product, "STATIC_LINK", self.component(key, path))
                    seen.add((key, os.path.dirname(path)))
                    break
            else:
                fail(f"bin/{program} is linked to {path}, which scripts/sbom.py does not know: add a row to COMPONENTS there, "
                     "and its licence to cmake/package/copyright")

    def headers(self, tpctl, libtprt):
        for variable, folder in sorted(self.cache.items()):
            found = re.fullmatch(r"TP_(\w+)_INCLUDE", variable)
            if not found:
                continue
            key = found.group(1)
            if key not in HEADERS:
                fail(f"CMake has found {variable}, which scripts/sbom.py does not know: add rows to COMPONENTS and HEADERS there, "
                     "and the licence to cmake/package/copyright")
            product = libtprt if key in OF_LIBTPRT else tpctl
            if product and not folder.endswith("-NOTFOUND"):
                self.relate(product, "STATIC_LINK", self.component(key, f"{folder}/{HEADERS[key]}"))
        header = pathlib.Path(self.cache.get("TP_ZYDIS_FOLDER", "")) / "include/Zydis/Zydis.h"
        if header.exists():
            digits = re.search(r"define ZYDIS_VERSION \(ZyanU64\)0x(\w{4})(\w{4})(\w{4})", header.read_text()).groups()
            version = ".".join(str(int(part, 16)) for part in digits)
            name, licence, url, _, _ = COMPONENTS["ZYDIS"]
            self.relate(libtprt, "STATIC_LINK", self.add(name, version, licence, url, f"pkg:github/zyantific/zydis@v{version}"))

    def pages(self, tpctl):
        if not (self.build / "tools/tpctl/view/installed").exists():
            return
        lock = json.loads((SOURCE / "tools/tpctl/view/package-lock.json").read_text())
        for path, package in lock["packages"].items():
            name = path.removeprefix("node_modules/")
            if path and re.fullmatch(PAGES, name):
                algorithm, digest = package["integrity"].split("-", 1)
                self.relate(tpctl, "CONTAINS", self.add(
                    name, package["version"], package["license"], f"https://www.npmjs.com/package/{name}",
                    f"pkg:npm/{name}@{package['version']}", checksums=[self.checksum(algorithm, digest)]))
        font = self.add("Source Code Pro", "", "OFL-1.1", "https://github.com/adobe-fonts/source-code-pro",
                        "pkg:github/adobe-fonts/source-code-pro")
        self.relate(tpctl, "CONTAINS", font)

    @staticmethod
    def checksum(algorithm, base64_digest):
        return {"algorithm": algorithm.upper(), "checksumValue": base64.b64decode(base64_digest).hex()}

    def fill(self):
        tp = self.product("tp", "tracing of running processes by changing their code")
        self.relate("SPDXRef-DOCUMENT", "DESCRIBES", tp)
        libtprt = self.product("libtprt", "the runtime that flips sleds and instructions into calls")
        self.relate(tp, "CONTAINS", libtprt)
        # libtprt of musl and of AArch64 call functions of it.
        self.relate(libtprt, "STATIC_LINK", self.component("GCC", self.compilers_file("libgcc.a")))
        products = {"tpctl": None, "tp-clang": None}
        for name, summary in (("tpctl", "counts, times and records running processes"), ("tp-clang", "the driver of clang with the plugin")):
            if (self.build / "bin" / name).exists():
                products[name] = self.product(name, summary)
                self.relate(tp, "CONTAINS", products[name])
                self.linked(products[name], name)
        self.headers(products["tpctl"], libtprt)
        if products["tpctl"]:
            self.pages(products["tpctl"])
        for library in sorted(self.build.glob("lib/tp/llvm-*/libtp.so")):
            major = library.parent.name.removeprefix("llvm-")
            plugin = self.product(f"tp-clang-{major}", f"the plugin for clang {major}")
            self.relate(tp, "CONTAINS", plugin)
            prefix = self.cache.get(f"TP_LLVM_{major}_PREFIX", "")
            self.relate(plugin, "DYNAMIC_LINK", self.component("LLVM", f"{prefix}/include/llvm/Config/llvm-config.h"))
        for file in sorted((self.build / "packages").glob("tp-*")):
            if file.suffix in (".deb", ".rpm", ".xz") and not file.name.startswith("tp-recipes-"):
                made = self.add(file.name, self.version, OWN, None, f"pkg:generic/{urllib.parse.quote(file.name)}@{self.version}",
                                packageFileName=file.name, supplier="Organization: tp maintainers",
                                checksums=[{"algorithm": "SHA256", "checksumValue": hashlib.sha256(file.read_bytes()).hexdigest()}])
                self.relate("SPDXRef-DOCUMENT", "DESCRIBES", made)
                self.relate(made, "GENERATED_FROM", tp)

    def document(self):
        body = {
            "packages": [self.packages[key] for key in sorted(self.packages)],
            "relationships": [{"spdxElementId": one, "relationshipType": how, "relatedSpdxElement": other}
                              for one, how, other in sorted(self.relations)]}
        unique = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
        created = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
        return {
            "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"tp-{self.version}",
            "documentNamespace": f"{HOME}/spdx/tp-{self.version}-{unique}",
            "creationInfo": {"created": created.strftime("%Y-%m-%dT%H:%M:%SZ"),
                             "creators": ["Organization: tp maintainers", f"Tool: tp-sbom-{self.version}"]}, **body}


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: sbom.py BUILD_FOLDER")
    if "SOURCE_DATE_EPOCH" not in os.environ:
        fail("SOURCE_DATE_EPOCH is not set; scripts/package.sh sets it to the time of the commit")
    build = pathlib.Path(sys.argv[1]).resolve()
    if not (build / "CMakeCache.txt").exists():
        fail(f"{build} is not a build folder: it has no CMakeCache.txt")
    bill = Bill(build)
    bill.fill()
    document = bill.document()
    file = build / "packages" / f"tp-{bill.version}.spdx.json"
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n")


main()
