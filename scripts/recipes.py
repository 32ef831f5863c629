#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the recipes of packaging/ with the checksums of a release's files.

A recipe in the source has a checksum of zeros, and the name of the file that it belongs to in
a comment on the same line (VERSION stands for the version). scripts/package.sh calls this
after it has made the files. The output is one archive, tp-recipes-VERSION.tar.xz, which is the
same whenever the files are the same: its times are SOURCE_DATE_EPOCH.

usage: recipes.py SOURCE PACKAGES VERSION
"""
import base64
import hashlib
import io
import os
import pathlib
import re
import sys
import tarfile

# What stands for the checksum, the algorithm, and how a digest is written.
PLACES = [
    (r"\b0{64}\b", "sha256", lambda digest: digest.hex()),
    (r"\bsha256-A{43}=", "sha256", lambda digest: "sha256-" + base64.b64encode(digest).decode()),
    (r"(?<=SHA512 )0(?= #)", "sha512", lambda digest: digest.hex()),
]
NAME = re.compile(r"#\s*(tp-VERSION[\w.-]*)$")


def filled(text, packages, version, where):
    lines = []
    for number, line in enumerate(text.splitlines(), 1):
        for pattern, algorithm, written in PLACES:
            if not re.search(pattern, line):
                continue
            name = NAME.search(line)
            if not name:
                sys.exit(f"recipes: error: {where}:{number}: a checksum of zeros, but no comment '# tp-VERSION…' with the file")
            file = packages / name.group(1).replace("VERSION", version)
            if not file.exists():
                sys.exit(f"recipes: error: {where}:{number} needs the checksum of {file.name}, which is not in {packages}; "
                         "'scripts/package.sh BUILD_FOLDER TXZ SOURCE' makes all files that recipes need")
            line = re.sub(pattern, written(hashlib.new(algorithm, file.read_bytes()).digest()), line)
        lines.append(line + "\n")
    return "".join(lines)


def main():
    if len(sys.argv) != 4:
        sys.exit("usage: recipes.py SOURCE PACKAGES VERSION")
    packaging, packages, version = pathlib.Path(sys.argv[1]) / "packaging", pathlib.Path(sys.argv[2]), sys.argv[3]
    time = int(os.environ["SOURCE_DATE_EPOCH"])
    with tarfile.open(packages / f"tp-recipes-{version}.tar.xz", "w:xz", format=tarfile.PAX_FORMAT) as archive:
        for file in sorted(packaging.rglob("*")):
            if not file.is_file() or "__pycache__" in file.parts:
                continue
            name = file.relative_to(packaging)
            content = filled(file.read_text(), packages, version, f"packaging/{name}").encode()
            entry = tarfile.TarInfo(f"tp-recipes-{version}/{name}")
            entry.size, entry.mtime, entry.mode = len(content), time, 0o644
            entry.uname = entry.gname = "root"
            archive.addfile(entry, io.BytesIO(content))


main()
