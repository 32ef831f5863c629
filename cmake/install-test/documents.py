#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the commands and programs of the documents against an installation.

usage: documents.py [--only NAME] BUILD_FOLDER CMAKE

The ctests `documents` and, by --only, `tutorial` and `tutorial.process`. It installs to a scratch prefix, moves the prefix, and runs the
commands and programs of README.md, of docs/ and of the manual pages there. Each document
has a folder of its own, which is a copy of documents/ at first. No variable of the
environment is kept. The folder of the tutorial that builds SQLite has the scripts of the
source, and the sources of other programs that the build folder has.

In Markdown every fenced block of c, cpp, cmake or sh has a comment on the line before it
(`<!-- test: ... -->`). In a manual page the comment is `.\\" test: ...` after .nf. Such a
comment has one or more of these words:

  save=FILE        the block is written to that file
  shows            the output of the last block that was run has these lines, one after
                   the other; ids of processes may differ
  run              the block is run by bash, line after line; /opt/tp is the prefix
  build            its first line is a comment with the command that builds it
                   (up to the colon); the program is run
  dir=FOLDER       the block is run in this folder
  expect=REGEX     the output has such a line; may be given more than once
  then=COMMAND     this command has to succeed afterwards
  status=N         the exit status has to be N
  skip=REASON      the block is not tried
  needs=PROGRAM    the block is not tried where PROGRAM is not installed
"""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parent.parent
TUTORIALS = ("running-process.md", "sqlite.md")
BUILDS_SQLITE = "sqlite.md"
DOCUMENTS = ("reference/runtime", "reference/flags", "reference/select", "reference/points",
             "reference/live-verbs", "reference/recording", "explanation/code-probes")
LANGUAGES = ("c", "cpp", "cmake", "sh", "ini", "meson")


def markdown_blocks(path):
    """(line number, language, marker or None, text) of each fenced block."""
    before, opened, language, text, begin = "", False, "", [], 0
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if opened and line.strip() == "```":
            opened = False
            marker = re.fullmatch(r"\s*<!-- test: (.*) -->", before)
            yield begin, language, marker and marker.group(1), "\n".join(text) + "\n"
        elif opened:
            text.append(line)
        elif line.strip().startswith("```"):
            opened, language, text, begin = True, line.strip()[3:], [], number
            continue
        if not opened:
            before = line


def indented_blocks(path):
    """Numbers of the lines that begin a block without a fence."""
    fence, before = False, ""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.startswith("```"):
            fence = not fence
        if not fence and not before.strip() and re.match(r" {4}\S", line):
            yield number
        before = line


def manual_blocks(path):
    marker, text, begin, examples, before = None, None, 0, False, ""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.startswith(".SH"):
            examples = "EXAMPLES" in line
        if examples and before == ".nf" and not line.startswith('.\\" test: '):
            yield number, "sh", None, ""
        before = line
        if line.startswith('.\\" test: '):
            marker, text, begin = line[len('.\\" test: '):], [], number
        elif text is not None and line == ".fi":
            yield begin, "sh", marker, "\n".join(text) + "\n"
            text = None
        elif text is not None:
            line = re.sub(r"\\f.|\\&", "", line).replace("\\-", "-").replace("\\e", "\\")
            text.append(line)


def process(text):
    return re.sub(r"process [0-9]+", "process N", text)


class Run:
    def __init__(self, prefix, scratch, sources):
        self.prefix, self.scratch, self.sources = prefix, scratch, sources
        self.failures, self.count, self.output = [], 0, ""
        self.environment = {
            "PATH": f"{prefix}/bin:/usr/bin:/bin", "HOME": str(scratch), "TMPDIR": str(scratch),
            "LC_ALL": "C.UTF-8", "TERM": "dumb"}

    def shell(self, text, folder):
        text = "set -e\n" + text.replace("/opt/tp", str(self.prefix))
        return subprocess.run(["bash", "-c", text], cwd=folder, env=self.environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300, check=False)

    def has(self, program):
        return program is None or shutil.which(program, path=self.environment["PATH"])

    def fail(self, where, text):
        self.failures.append(where)
        print(f"FAILED: {where}: {text}")

    def block(self, where, folder, marker, text):
        keys = {"expect": [], "then": []}
        for word in shlex.split(marker):
            key, _, value = word.partition("=")
            if key in ("expect", "then"):
                keys[key].append(value)
            else:
                keys[key] = value
        unknown = set(keys) - {"save", "run", "build", "dir", "expect", "then", "status", "skip", "shows", "needs"}
        if unknown:
            return self.fail(where, f"unknown words in its comment: {unknown}")
        if "skip" in keys or not self.has(keys.get("needs")):
            return None
        folder = folder / keys.get("dir", "")
        if "save" in keys:
            (folder / keys["save"]).write_text(text)
        commands = text
        if "build" in keys:
            command = re.match(r"// (tp-clang[^:\n]*):", text)
            if not command:
                return self.fail(where, "its first line is no command")
            commands = f"{command.group(1)} -o program\n./program\n"
        if "shows" in keys:
            if process(text) not in process(self.output):
                self.fail(where, f"the last command shows something else:\n{self.output}")
            return None
        if "run" in keys or "build" in keys:
            self.count += 1
            result = self.shell(commands, folder)
            self.output = result.stdout
            if result.returncode != int(keys.get("status", 0)):
                return self.fail(where, f"exit status {result.returncode}:\n{result.stdout}")
            for expected in keys["expect"]:
                if not re.search(expected, result.stdout, re.M):
                    self.fail(where, f"nothing like '{expected}' in:\n{result.stdout}")
        for command in keys["then"]:
            after = self.shell(command, folder)
            if after.returncode:
                self.fail(where, f"afterwards '{command}' fails:\n{after.stdout}")
        return None

    def document(self, path):
        folder = self.scratch / f"{path.parent.name}.{path.name}"  # there are two README.md
        shutil.copytree(HERE / "documents", folder)
        for place in (folder, folder / "project"):
            shutil.copy(SOURCE / "examples/app.c", place)
        if path.name == BUILDS_SQLITE:
            (folder / "scripts").symlink_to(SOURCE / "scripts")
            (folder / "build").mkdir()
            (folder / "build/sources").symlink_to(self.sources)
        blocks = markdown_blocks if path.suffix == ".md" else manual_blocks
        if path.suffix == ".md":
            for number in indented_blocks(path):
                self.fail(f"{path.name}:{number}", "a block without a fence: nobody tries it")
        for number, language, marker, text in blocks(path):
            where = f"{path.name}:{number}"
            if marker is None:
                if language in LANGUAGES:
                    self.fail(where, "no comment before it says how to try it")
                continue
            self.block(where, folder, marker, text)


def main():
    arguments = sys.argv[1:]
    only = None
    if arguments[0] == "--only":
        only, arguments = arguments[1], arguments[2:]
    build, cmake = arguments
    sources = pathlib.Path(build).resolve() / "sources"
    if only == BUILDS_SQLITE and subprocess.run([SOURCE / "scripts/fetch-source.sh", "sqlite3", sources], check=False).returncode:
        sys.exit(77)  # skipped
    with tempfile.TemporaryDirectory(prefix="tp-documents.") as name:
        scratch = pathlib.Path(name)
        # The installation is moved, because no file may contain the prefix.
        subprocess.run([cmake, "--install", build, "--prefix", scratch / "first"],
                       stdout=subprocess.DEVNULL, check=True)
        (scratch / "first").rename(scratch / "tp")
        run = Run(scratch / "tp", scratch, sources)
        documents = [SOURCE / "README.md"]
        documents += sorted((SOURCE / "docs/howto").glob("*.md"))
        documents += [SOURCE / "docs" / f"{page}.md" for page in DOCUMENTS]
        if only in TUTORIALS:
            documents = [SOURCE / "docs/tutorial" / only]
        documents += sorted((SOURCE / "man").glob("*.[17]"))
        for path in documents:
            if only in (None, path.name):
                before = run.count
                run.document(path)
                print(f"{path.name}: {run.count - before} blocks run")
        if run.failures:
            sys.exit(f"{len(run.failures)} blocks failed: {' '.join(run.failures)}")
        if only is None and run.count < 20:
            sys.exit(f"only {run.count} blocks were found: are they marked in another way?")


main()
