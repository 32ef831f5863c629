#!/usr/bin/env python3
"""Draws sentences from comments, documents and messages, for a reader who does not know the project.

The reader marks each sentence that needs a second reading. At most 5 of 100 should. The
same seed draws the same sentences from the same sources. With --in-place, each sentence is
shown in its paragraph or comment, between >> and <<, as a reader of the file meets it.

usage: sample-sentences.py [--seed N] [--count N] [--kind comment|document|message] [--in-place] [SOURCE]
"""
import argparse
import random
import re
import subprocess
import textwrap
from pathlib import Path

# Files that are code, generated, or not written by us.
LEFT_OUT = re.compile(r"(^|/)(package-lock\.json|LICENSE|CHANGELOG\.md|fast\.txt)$|/corpus/|/Inputs/")
COMMENTED = {".cpp", ".h", ".c", ".inc"}
LEAST_WORDS, MOST_WORDS = 5, 60


def sentences(text):
    """The sentences of a paragraph. A full stop inside a name or a number ends none."""
    for sentence in re.split(r"(?<=[.!?])[\"')]?\s+(?=[A-Z`\"'(])", re.sub(r"\s+", " ", text).strip()):
        if LEAST_WORDS <= len(sentence.split()) <= MOST_WORDS and re.search(r"[.!?:]$", sentence):
            yield sentence


def comments(text):
    """Blocks of // lines with their first line's number. Tables and drawings in comments are left out."""
    block, begin = [], 0
    for number, line in enumerate(text.splitlines() + [""], 1):
        found = re.match(r"\s*///? ?(.*)", line)
        if found and found[1].strip() and not re.match(r"SPDX|---|RUN|CHECK|\S+-(NEXT|NOT|DAG|SAME):|   ", found[1]):
            begin = begin or number
            block.append(found[1])
        elif block:
            yield begin, " ".join(block)
            block, begin = [], 0


def paragraphs(text):
    """Paragraphs and list items of Markdown. Code, tables and headings are left out."""
    text = re.sub(r"```.*?```|<!--.*?-->", lambda code: "\n" * code[0].count("\n"), text, flags=re.S)
    block, begin = [], 0
    for number, line in enumerate(text.splitlines() + [""], 1):
        item = re.match(r"\s*([-*]|\d+\.) +(.*)", line)
        skipped = not line.strip() or re.match(r"\s*([|#<!])|    ", line)
        if (skipped or item) and block:
            yield begin, " ".join(block)
            block, begin = [], 0
        if not skipped:
            begin = begin or number
            block.append(item[2] if item else line.strip())


def manual(text):
    """Running text of a manual page."""
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and line[0] not in ".'":
            yield number, re.sub(r"\\f.|\\-|\\&", lambda m: "-" if m[0] == "\\-" else "", line)


def messages(text):
    """Adjacent string literals, as the compiler joins them."""
    for found in re.finditer(r'"(?:[^"\\\n]|\\.)*"(?:\s*"(?:[^"\\\n]|\\.)*")*', text):
        joined = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', found[0])).replace("\\n", " ").replace('\\"', '"')
        if len(joined.split()) >= LEAST_WORDS and not re.search(r"[{};]\s|=\"|</|\\[x0-9]", joined):
            yield text.count("\n", 0, found.start()) + 1, joined + ("" if joined.rstrip().endswith((".", "?", "!", ":")) else ".")


def drawn_from(source, kind):
    listed = subprocess.run(["git", "-C", source, "ls-files"], capture_output=True, text=True, check=True).stdout.split()
    for name in listed:
        file = Path(source, name)
        if LEFT_OUT.search(name) or not file.is_file():
            continue
        suffix, text = file.suffix, file.read_text(errors="replace")
        readers = []
        if suffix in COMMENTED:
            readers.append(("comment", comments))
            if suffix == ".cpp" and re.match(r"(runtime|tools|llvm-pass|clang-plugin)/(?!.*tests?/)", name):
                readers.append(("message", messages))
        elif suffix == ".md":
            readers.append(("document", paragraphs))
        elif re.match(r"man/.*\.\d", name):
            readers.append(("document", manual))
        for of, read in readers:
            if kind in (None, of):
                for line, block in read(text):
                    for sentence in sentences(block):
                        yield of, f"{name}:{line}", sentence, re.sub(r"\s+", " ", block).strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--kind", choices=["comment", "document", "message"])
    parser.add_argument("--in-place", action="store_true")
    parser.add_argument("source", nargs="?", default=str(Path(__file__).resolve().parent.parent))
    wanted = parser.parse_args()
    chooser = random.Random(wanted.seed)
    kinds = [wanted.kind] if wanted.kind else ["comment", "document", "message"]
    for place, kind in enumerate(kinds):
        found = sorted(set(drawn_from(wanted.source, kind)))
        share = wanted.count // len(kinds) + (place < wanted.count % len(kinds))
        print(f"# {kind}: {min(share, len(found))} of {len(found)} sentences, seed {wanted.seed}")
        for number, (_, where, sentence, block) in enumerate(chooser.sample(found, min(share, len(found))), 1):
            shown = block.replace(sentence, f">>{sentence}<<", 1) if wanted.in_place else sentence
            print(textwrap.fill(f"{number}. {shown}", 110, subsequent_indent="   "), f"   ({where})", sep="\n")


main()
