#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the version and the web address in all files that have them: the ctest `version`.

The version is that of project() in CMakeLists.txt. The address is where releases are
published; packaging/README.md has the line that defines it. PLACES lists all files.

With --set it writes another version, or with --url another address, into all of them.
With --print it prints the version. With --prove it changes each place in a copy, and prints
the changes that it did not notice: the test `version.prove`. scripts/release.sh calls it.

usage: version.py [--print | --prove | --set VERSION | --url ADDRESS] SOURCE
"""
import pathlib
import re
import sys
import tempfile

NUMBER = r"\d+\.\d+\.\d+"
URL = r"https://[\w.-]+(?:/[\w.~-]+)*?"
DEFINED = ("CMakeLists.txt", rf"^  VERSION ({NUMBER})$")
ADDRESS = ("packaging/README.md", rf"^The address is <({URL})>\.$")

# File, and a pattern that occurs there at least once; its groups are the version, or its
# parts: `minor` has the patch number 0, as the binary interface has between two minor versions.
PLACES = [
    DEFINED,
    ("runtime/include/tprt/tprt.h", r"^#define TPRT_VERSION_MAJOR (?P<major>\d+)$"),
    ("runtime/include/tprt/tprt.h", r"^#define TPRT_VERSION_MINOR (?P<minor>\d+)$"),
    ("runtime/include/tprt/tprt.h", r"^#define TPRT_VERSION_PATCH (?P<patch>\d+)$"),
    ("runtime/include/tprt/tprt.h", rf'library\'s version, "({NUMBER})" for instance'),
    ("cmake/package/shlibs", rf"tp-tools \(>= (?P<interface>{NUMBER})\)"),
    ("docs/howto/install.md", rf"\btp-(?:\w+-)*({NUMBER})-(?:1\.)?x86_64"),
    ("docs/howto/install.md", rf"\btp-[\w-]+_({NUMBER})-1_amd64\.deb"),
    ("docs/howto/install.md", rf"\btp-({NUMBER})\.(?:tar\.xz|spdx\.json)"),
    ("docs/howto/install.md", rf"\btp-recipes-({NUMBER})\.tar\.xz"),
    *((f"man/{page}", rf'^\.TH .* "tp ({NUMBER})" "tp"$')
      for page in ("tp-clang.1", "tp-select.1", "tpctl.1", "tprt.7", "tprt-points.7")),
    ("packaging/homebrew/tp.rb", rf'^  url ".*/v({NUMBER})/'),
    ("packaging/homebrew/tp.rb", rf'/tp-({NUMBER})-x86_64\.tar\.xz"$'),
    ("packaging/aur/PKGBUILD", rf"^pkgver=({NUMBER})$"),
    ("packaging/nix/flake.nix", rf'^      version = "({NUMBER})";$'),
    ("packaging/vcpkg/vcpkg.json", rf'^  "version": "({NUMBER})",$'),
    ("packaging/conan/conanfile.py", rf'^    version = "({NUMBER})"$'),
    ("packaging/conan/conandata.yml", rf'^  "({NUMBER})":$'),
    ("packaging/conan/conandata.yml", rf"/v({NUMBER})/"),
    ("packaging/conan/conandata.yml", rf"/tp-({NUMBER})\.tar\.xz$"),
    ("packaging/docker/Dockerfile", rf"^ARG TP_VERSION=({NUMBER})$"),
    ("packaging/action/action.yml", rf'^    default: "({NUMBER})"$'),
    ("packaging/README.md", rf"/action@v({NUMBER})\b"),
    ("packaging/README.md", rf"\btp-recipes-({NUMBER})\.tar\.xz"),
]
# Each file that has the address, always before /releases/ or at the end of a quoted word.
ADDRESSES = [
    ADDRESS,
    ("scripts/sbom.py", rf'^HOME = "({URL})"$'),
    *((f"packaging/{file}", rf"({URL})(?=/releases/|[\"']|$)") for file in (
        "homebrew/tp.rb", "aur/PKGBUILD", "nix/flake.nix", "vcpkg/vcpkg.json", "vcpkg/portfile.cmake",
        "conan/conanfile.py", "conan/conandata.yml", "docker/Dockerfile", "action/action.yml")),
]
OTHERS = ("https://deb.debian.org/", "https://raw.githubusercontent.com/microsoft/vcpkg")  # not ours


def values(version):
    major, minor, patch = version.split(".")
    return {"major": major, "minor": minor, "patch": patch, "interface": f"{major}.{minor}.0", None: version}


def wanted(match, version):
    name = next((name for name, group in match.groupdict().items() if group is not None), None)
    return values(version)[name]


def first(source, place):
    match = re.search(place[1], (source / place[0]).read_text(), re.M)
    if not match:
        sys.exit(f"version.py: error: {place[0]} has no line that matches {place[1]!r}")
    return match.group(1)


def occurrences(source, version, url):
    """(file, match, what should be there) of all places; match is None if there is none."""
    for file, pattern in PLACES:
        found = False
        for match in re.finditer(pattern, (source / file).read_text(), re.M):
            found = True
            yield file, match, wanted(match, version)
        if not found:
            yield file, None, pattern
    for file, pattern in ADDRESSES:
        found = False
        for match in re.finditer(pattern, (source / file).read_text(), re.M):
            if not match.group(1).startswith(OTHERS) and not match.group(0).startswith(OTHERS):
                found = True
                yield file, match, url
        if not found:
            yield file, None, pattern


def faults(source):
    version, url = first(source, DEFINED), first(source, ADDRESS)
    for file, match, right in occurrences(source, version, url):
        if match is None:
            yield f"{file}: no line matches {right!r}; change the file, or its row in scripts/version.py"
        elif match.group(1) != right:
            line = match.string.count("\n", 0, match.start(1)) + 1
            yield (f"{file}:{line}: {match.group(1)} should be {right}, as in {DEFINED[0] if right != url else ADDRESS[0]}; "
                   f"'scripts/version.py --set {version} .' or '--url {url} .' writes it")


def write(source, version, url):
    """Writes both, and returns the names of the files that were changed."""
    texts, edits = {}, {}
    for file, match, right in occurrences(source, version, url):
        if match is None:
            sys.exit(f"version.py: error: {file}: no line matches {right!r}; nothing was written")
        texts[file] = match.string
        edits.setdefault(file, set()).add((*match.span(1), right))
    changed = []
    for file, text in texts.items():
        new = text
        for begin, end, right in sorted(edits[file], reverse=True):
            new = new[:begin] + right + new[end:]
        if new != text:
            (source / file).write_text(new)
            changed.append(file)
    return sorted(changed)


def prove(source):
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder)
        for file in {file for file, _ in PLACES + ADDRESSES}:
            (copy / file).parent.mkdir(parents=True, exist_ok=True)
            (copy / file).write_bytes((source / file).read_bytes())
        unnoticed = 0
        for file, match, _ in list(occurrences(source, first(source, DEFINED), first(source, ADDRESS))):
            if not match:
                return 1 + len(list(faults(source)))
            begin, end = match.span(1)
            other = {"0": "99"}.get(match.group(1), match.group(1) + "9")
            (copy / file).write_text(match.string[:begin] + other + match.string[end:])
            if not list(faults(copy)):
                unnoticed += 1
                print(f"not noticed: {file} has {other}")
            (copy / file).write_text(match.string)
        # What --set and --url write is what the check wants.
        write(copy, "12.34.56", "https://example.org/tp")
        for fault in faults(copy):
            unnoticed += 1
            print(f"after --set: {fault}")
        if first(copy, DEFINED) != "12.34.56" or first(copy, ADDRESS) != "https://example.org/tp":
            unnoticed += 1
            print("--set has set nothing")
    return unnoticed


def main():
    arguments = sys.argv[1:]
    option = arguments.pop(0) if arguments and arguments[0].startswith("--") else None
    value = arguments.pop(0) if option in ("--set", "--url") and arguments else None
    if len(arguments) != 1 or option not in (None, "--print", "--prove", "--set", "--url"):
        sys.exit("usage: version.py [--print | --prove | --set VERSION | --url ADDRESS] SOURCE")
    source = pathlib.Path(arguments[0])
    if option == "--print":
        print(first(source, DEFINED))
        return 0
    if option == "--prove":
        return 1 if prove(source) else 0
    if option == "--set" and not re.fullmatch(NUMBER, value):
        sys.exit(f"version.py: error: '{value}' is not a version: three numbers with dots, as in 0.2.0")
    if option == "--url" and not re.fullmatch(URL, value):
        sys.exit(f"version.py: error: '{value}' is not an address: https://, a name and perhaps folders, without / at the end")
    if option in ("--set", "--url"):
        version = value if option == "--set" else first(source, DEFINED)
        url = value if option == "--url" else first(source, ADDRESS)
        for file in write(source, version, url):
            print(file)
        return 0
    found = list(faults(source))
    print(*found, sep="\n", end="\n" if found else "")
    return 1 if found else 0


sys.exit(main())
