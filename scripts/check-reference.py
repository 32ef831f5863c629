#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares lists of the reference pages with the tables of the code: the ctest `reference`.

| list | in the code | in the documents |
|---|---|---|
| options of TPRT_OPTIONS | kOptions | the table of docs/reference/runtime.md, from which tprt(7)'s list is made |
| statuses and refusals | kStatuses, kRefusals | two tables of docs/reference/runtime.md |
| flags -ftp-KEY | Table of llvm-pass/Options.cpp | docs/reference/flags.md, tp-clang(1) |
| exit statuses of tpctl | ExitCode | tpctl(1) |

Each is listed once, in the words of the code where the code has words. Names that begin with TPRT_, in any
document, are in the code.

It prints what differs. --table prints the tables as the code has them; --write writes them into the
documents, and keeps what the documents say about each entry. With --prove it breaks each list in a copy of
the source, and prints which of these faults it did not notice: the test `reference.prove`.

usage: check-reference.py [--prove | --table | --write] SOURCE
"""
import pathlib
import re
import shutil
import sys
import tempfile

RUNTIME, TPRT, FLAGS = "docs/reference/runtime.md", "man/tprt.7", "docs/reference/flags.md"
CLANG, TPCTL = "man/tp-clang.1", "man/tpctl.1"
PARTS = ("README.md", "CONTRIBUTING.md", "docs", "man", "runtime", "llvm-pass", "tools", "examples", "bench")


def text_of(source, name):
    return (source / name).read_text()


def file_with(source, folder, words):
    """The only source file below `folder` that has these words."""
    found = [path for path in sorted((source / folder).rglob("*.cpp")) if words in path.read_text()]
    if len(found) != 1:
        raise LookupError(f"{len(found)} files below {folder}/ have '{words}'")
    return found[0].read_text()


def joined(code):
    """Without comments, and with texts in one piece."""
    return re.sub(r'"\s+"', "", re.sub(r"//.*", "", code))


def block(code, begin):
    """From `begin` to the end of the initialiser."""
    return code[code.index(begin):].partition("\n};")[0]


# --- the code's lists --------------------------------------------------------


def options(source):
    """(name, argument) of each option of TPRT_OPTIONS."""
    code = joined(file_with(source, "runtime/options", "} kOptions[] = {"))
    return re.findall(r'\{"(\w+)", "([^"]*)",', block(code, "} kOptions[] = {"))


def sentences(source, kind):
    """(enumerator, sentence); of two sentences that of x86-64, which comes first."""
    code = joined(file_with(source, "runtime/threads", f"k{kind}[] = {{"))
    rows = re.findall(r'\{(TPRT_\w+),[^"]*"([^"]*)"', block(code, f"k{kind}[] = {{"))
    return [(name, sentence) for name, sentence in rows if not name.endswith(("_OK", "_NONE"))]


def flags(source):
    """(key, value) of each flag that is listed."""
    code = joined(text_of(source, "llvm-pass/Options.cpp"))
    rows = re.findall(r'\{"tp-([\w-]+)",\s*"([^"]*)",\s*"([^"]*)"', block(code, "constexpr Option Table[]"))
    return [(key, value) for key, value, about in rows if about]


def exit_codes(source):
    code = block(text_of(source, "tools/tpctl/shared/Verb.h"), "enum ExitCode")
    return re.findall(r"\w+ = (\d+)", code)


# --- the documents' tables ---------------------------------------------------


def between(text, name):
    found = re.search(rf"(<!-- table: {name} -->\n)(.*?)(\n<!-- table: end -->)", text, re.S)
    if not found:
        raise LookupError(f"there is no table '<!-- table: {name} -->'")
    return found


def cells(line):
    return [cell.strip().replace(r"\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def told(text, name):
    """The last cell of each row, by what the first cell has in backquotes."""
    rows = [cells(line) for line in between(text, name)[2].splitlines()[2:]]
    return {re.search(r"`(\w+)", row[0])[1]: row[-1] for row in rows}


def row(*of):
    return "| " + " | ".join(cell.replace("|", r"\|") for cell in of) + " |"


def tables(source, text):
    """Name and lines of each table that runtime.md has, with what it says there."""
    said = {name: told(text, name) for name in ("options", "statuses", "refusals")} if text else {}

    def about(table, key):
        return said.get(table, {}).get(key, "")

    yield "options", [row("option", "meaning"), "|---|---|"] + [
        row(f"`{name}={argument}`", about("options", name)) for name, argument in options(source)]
    for table, kind in (("statuses", "Statuses"), ("refusals", "Refusals")):
        yield table, [row("name", "sentence", "what to do"), "|---|---|---|"] + [
            row(f"`{name}`", sentence, about(table, name)) for name, sentence in sentences(source, kind)]


def roff(text):
    """A cell of Markdown as text of a manual page."""
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text).replace("\\", r"\e").replace("-", r"\-")
    return re.sub(r"`([^`]*)`", lambda m: rf"\fB{m[1]}\fP", text)


def manual_list(source, text):
    """The list of options in tprt(7), of what runtime.md says."""
    said = told(text, "options")
    lines = []
    for name, argument in options(source):
        lines += [".TP", rf"\fB{name}=\fP\fI{argument}\fP".replace("-", r"\-"), roff(said.get(name, "")) or "?"]
    return "\n".join(lines)


MANUAL = re.compile(r'(\.\\" list: options\n).*?(\n\.\\" list: end\n)', re.S)


def written(source):
    """The documents as --write leaves them."""
    text = text_of(source, RUNTIME)
    for name, lines in tables(source, text):
        found = between(text, name)
        text = text[:found.start()] + found[1] + "\n".join(lines) + found[3] + text[found.end():]
    manual = text_of(source, TPRT)
    if not MANUAL.search(manual):
        raise LookupError(f"{TPRT} has no list of options")
    yield RUNTIME, text
    yield TPRT, MANUAL.sub(lambda m: m[1] + manual_list(source, text) + m[2], manual)


# --- the comparison ----------------------------------------------------------


def faults(source):
    for name, text in written(source):
        if text != text_of(source, name):
            yield f"{name}: a list differs from the code: check-reference.py --write . writes it"
        for line in re.findall(r"^\| `.*\|  \|$", text, re.M):
            yield f"{name}: nothing is said about {line}"
    listed = flags(source)
    written_there = re.findall(r"^`([\w-]+)(?:=([^`]*))?`(?: \(default\) or `\w+=(\w+)`)?$", text_of(source, FLAGS), re.M)
    documented = [(key, "|".join(filter(None, (value, other)))) for key, value, other in written_there]
    if sorted(documented) != sorted(listed):
        yield f"{FLAGS}: its keys are {documented}, and those of llvm-pass/Options.cpp {listed}"
    manual = re.sub(r"\\f.|\\-|\"|\s", lambda m: "-" if m[0] == r"\-" else "", text_of(source, CLANG).replace("\n", ";").replace(" ", ""))
    in_manual = re.findall(r"\.TP;\.B[IR]?-ftp-([\w-]+)(?:=([^;]*))?;", manual)
    if sorted(in_manual) != sorted(listed):
        yield f"{CLANG}: its flags are {in_manual}, and those of llvm-pass/Options.cpp {listed}"
    section = text_of(source, TPCTL).partition(".SH EXIT STATUS")[2].partition("\n.SH")[0]
    codes = re.findall(r"^\.B (\d+)$", section, re.M)
    if codes != exit_codes(source):
        yield f"{TPCTL}: its exit statuses are {codes}, and those of the code {exit_codes(source)}"
    yield from unknown_names(source)


def unknown_names(source):
    """Names in documents that no header, source or build file has."""
    known = set()
    for path in source.rglob("*"):
        if path.suffix in (".h", ".hpp", ".cpp", ".S", ".txt", ".cmake", ".c", ".in", ".version", ".map", ".inc"):
            if not any(part.startswith("build") or part == ".git" for part in path.relative_to(source).parts):
                known.update(re.findall(r"\bTPRT_\w+", path.read_text(errors="replace")))
    pages = [source / "README.md", *sorted((source / "docs").rglob("*.md")), *sorted((source / "man").glob("*.[17]"))]
    for page in pages:
        for number, line in enumerate(page.read_text().splitlines(), 1):
            for name in re.findall(r"\bTPRT_[A-Z0-9_]*[A-Z0-9]\b(?!_?\*|…)", line):
                if name not in known:
                    yield f"{page.relative_to(source)}:{number}: the code has no {name}"


# A file, what is replaced there, and by what.
BREAKS = [
    (RUNTIME, "| `width=N` |", "| `wide=N` |"),
    (RUNTIME, "| `TPRT_STATUS_NO_MATCH` | no site", "| `TPRT_STATUS_NO_MATCH` | nothing"),
    (RUNTIME, "| `TPRT_REFUSAL_XRAY` |", "| `TPRT_REFUSAL_XRAYS` |"),
    (TPRT, r"\fBwidth=\fP", r"\fBwide=\fP"),
    (FLAGS, "`names`\n:", "`name`\n:"),
    (CLANG, r".B \-ftp\-names", r".B \-ftp\-name"),
    (TPCTL, ".B 3\n", ".B 4\n"),
    ("docs/explanation/safety.md", "\n", "\n`TPRT_STATUS_NOWHERE`\n"),
]


def prove(source):
    with tempfile.TemporaryDirectory(prefix="tp-reference.") as scratch:
        copy = pathlib.Path(scratch)
        for part in PARTS:
            whole = source / part
            shutil.copytree(whole, copy / part) if whole.is_dir() else shutil.copy(whole, copy / part)
        before = len(list(faults(copy)))
        for name, old, new in BREAKS:
            text = text_of(copy, name)
            if old not in text:
                yield f"{name} has no {old!r} to break"
                continue
            (copy / name).write_text(text.replace(old, new, 1))
            try:
                if len(list(faults(copy))) <= before:
                    yield f"not noticed: {old!r} as {new!r} in {name}"
            except (LookupError, TypeError):
                pass
            (copy / name).write_text(text)


def main():
    arguments = sys.argv[1:]
    source = pathlib.Path(arguments[-1]).resolve()
    if "--table" in arguments:
        for name, lines in tables(source, ""):
            print(f"<!-- table: {name} -->", *lines, "<!-- table: end -->", "", sep="\n")
        return 0
    if "--write" in arguments:
        for name, text in list(written(source)):
            (source / name).write_text(text)
        return 0
    return "\n".join(prove(source) if "--prove" in arguments else faults(source)) or 0


sys.exit(main())
