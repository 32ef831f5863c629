#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the messages that docs/howto/troubleshooting.md quotes with the sources: the ctest `messages`.

The first cell of a row of its tables is a message, in backquotes; `…` in it stands for what differs. Some
source file has all parts of the message between these, in this order, in its texts. Messages of other
programs begin with the program's name and are not compared. A cell without backquotes is no message.

It prints each message that no source has. With --prove it changes each message, and prints those whose
change it did not notice: the test `messages.prove`.

usage: check-messages.py [--prove] SOURCE
"""
import pathlib
import re
import sys

PAGE = "docs/howto/troubleshooting.md"
FOLDERS = ("runtime", "tools", "clang-plugin", "llvm-pass")
PLACEHOLDER = "…"


def messages(page):
    for number, line in enumerate(page.splitlines(), 1):
        if cell := re.match(r"\| `([^`]+)` \|", line):
            yield number, cell.group(1)


def texts(source):
    """What each file has in quotation marks, joined; tests have messages only because they expect them."""
    for folder in FOLDERS:
        for path in sorted((source / folder).rglob("*")):
            if path.suffix in (".cpp", ".h", ".def") and "tests" not in path.parts:
                code = re.sub(r"^\s*(//|#).*$", "", path.read_text(), flags=re.M)
                # Two texts with nothing but space between them are one.
                code = re.sub(r'(?<!\\)"\s*"', "", code)
                yield "\n".join(m.replace(r"\"", '"') for m in re.findall(r'"((?:[^"\\\n]|\\.)*)"', code))


def is_in(message, text):
    at = 0
    for part in message.split(PLACEHOLDER):
        at = text.find(part.strip(), at)
        if at < 0:
            return False
        at += len(part.strip())
    return True


def main():
    source = pathlib.Path(sys.argv[-1])
    quoted, all_texts = list(messages((source / PAGE).read_text())), list(texts(source))
    if len(quoted) < 50:
        sys.exit(f"{PAGE}: only {len(quoted)} messages were found: are the tables of another form?")
    if sys.argv[1] == "--prove":
        # A letter in the middle becomes another one.
        changed = [m[: len(m) // 2] + "\x7f" + m[len(m) // 2 + 1:] for _, m in quoted]
        unseen = [m for m in changed if any(is_in(m, text) for text in all_texts)]
        sys.exit("\n".join(f"not noticed: {m!r}" for m in unseen) or 0)
    missing = [f"{PAGE}:{number}: no source has the message: {m}" for number, m in quoted
               if not any(is_in(m, text) for text in all_texts)]
    sys.exit("\n".join(missing) or 0)


main()
