#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks where the documents lead: the ctest `links`.

 - A link of a Markdown file leads to a file or folder of the source, and its anchor to a heading there.
 - A document that any text file of the source names as docs/FOLDER/NAME.md exists.
 - README.md has at most 150 lines, and docs/limitations.md at most 80.

It prints file, line and fault of each. With --prove it breaks each rule in a copy of the documents, and prints
which of these faults it did not notice: the test `links.prove`.

usage: check-links.py [--prove] SOURCE
"""
import pathlib
import re
import shutil
import sys
import tempfile

LINES = {"README.md": 150, "docs/limitations.md": 80}
LEFT_OUT = ("build", "node_modules", "__pycache__")


def files(source):
    for path in sorted(source.rglob("*")):
        parts = path.relative_to(source).parts
        if path.is_file() and not any(part.startswith((".git", *LEFT_OUT)) for part in parts):
            yield path


def prose(text):
    """The numbered lines outside of fenced blocks."""
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced:
            yield number, line


def anchors(text):
    """Of each heading, as GitHub makes them."""
    for _, line in prose(text):
        if heading := re.match(r"#+ (.*)", line):
            plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading.group(1).strip().lower())
            yield re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")


def faults(source):
    for path in files(source):
        try:
            text = path.read_text()
        except UnicodeDecodeError:
            continue
        name = path.relative_to(source)
        for number, line in enumerate(text.splitlines(), 1):
            for document in re.findall(r"\bdocs/[a-z/-]+\.md\b", line):
                if not (source / document).exists():
                    yield f"{name}:{number}: there is no {document}"
        if path.suffix != ".md":
            continue
        for number, line in prose(text):
            for link in re.findall(r"\]\(([\w./#+-]+)\)", re.sub(r"`[^`]*`", "", line)):
                file, _, anchor = link.partition("#")
                target = path.parent / file if file else path
                if not target.exists():
                    yield f"{name}:{number}: the link {link} leads nowhere"
                elif anchor and anchor not in anchors(target.read_text()):
                    yield f"{name}:{number}: {target.name} has no heading for #{anchor}"
        most = LINES.get(str(name))
        if most and len(text.splitlines()) > most:
            yield f"{name}: {len(text.splitlines())} lines; {most} are allowed"


def prove(source):
    breaks = {
        "a link to no file": ("README.md", "\n[x](nothing.md)\n"),
        "a link to no heading": ("README.md", "\n[x](docs/limitations.md#nothing)\n"),
        "a mention of no document": ("CONTRIBUTING.md", "\nSee docs/" + "dev/nothing.md.\n"),
        "too many lines": ("docs/limitations.md", "\n" * 100),
    }
    unseen = []
    for what, (name, text) in breaks.items():
        with tempfile.TemporaryDirectory(prefix="tp-links.") as scratch:
            copy = pathlib.Path(scratch) / "source"
            for part in ("docs", "examples", "man"):
                shutil.copytree(source / part, copy / part)
            for file in ("README.md", "CONTRIBUTING.md", "LICENSE"):
                shutil.copy(source / file, copy / file)
            before = list(faults(copy))
            with open(copy / name, "a") as out:
                out.write(text)
            if len(list(faults(copy))) <= len(before):
                unseen.append(f"not noticed: {what}")
    return unseen


def main():
    arguments = sys.argv[1:]
    proving = arguments[:1] == ["--prove"]
    source = pathlib.Path(arguments[-1]).resolve()
    found = prove(source) if proving else list(faults(source))
    if found:
        sys.exit("\n".join(found))


main()
