#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a manual page for each verb of tpctl, from the page of all verbs.

usage: tpctl-verbs.py tpctl.1 OUTPUT_FOLDER

The build runs this script (cmake/Documents.cmake). The section VERBS describes each verb; the
description becomes the name line of the verb's page. The page has, in the order of tpctl.1:

- the lines of SYNOPSIS that begin with the verb,
- sections whose title ends with OF and the verb,
- of all other sections, the paragraphs and entries after a comment (.\\" for: count top) that names
  the verb, or after a comment that names "all",
- the lines of EXAMPLES that call the verb.

The script fails if a comment names a verb that VERBS does not have.
"""
import pathlib
import re
import sys

LICENCE = '.\\" SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n'


def sections(text):
    """(title, body) of each section."""
    parts = re.split(r"^\.SH (.*)\n", text, flags=re.M)
    return list(zip(parts[1::2], parts[2::2]))


def entries(body):
    """(verbs, text) of each entry or paragraph. Entries without a comment have no verbs."""
    found = []
    for part in re.split(r'^(?=\.\\" for: )', body, flags=re.M):
        words = re.match(r'\.\\" for: (.*)\n', part)
        found.append((words[1].split() if words else [], part[words.end():] if words else part))
    return found


def verbs_of(body):
    """Returns the description of each verb."""
    found = {}
    for name, text in re.findall(r"^\.TP\n\.B (\w+)\n((?:[^.].*\n)+)", body, flags=re.M):
        found[name] = " ".join(text.split())
    return found


def plain(title):
    return re.sub(r" OF (THE )?[A-Z ]+$", "", title)


def page(verb, says, text, known):
    head = re.search(r'^\.TH TPCTL (.*)$', text, flags=re.M)[1]
    first = says[0].lower() + says[1:].rstrip(".")
    out = [LICENCE, f'.\\" Made from tpctl.1 by man/tpctl-verbs.py.\n.TH TPCTL\\-{verb.upper()} {head}\n'
           f".SH NAME\ntpctl\\-{verb} \\- {first}\n"]
    merged = {}
    for title, body in sections(text):
        if title == "SYNOPSIS":
            lines = [part for part in body.split(".br\n") if re.match(rf"\.B tpctl {verb}\b", part)]
            merged[title] = ".br\n".join(lines)
        elif title.endswith(" OF " + verb.upper()):
            merged[plain(title)] = merged.get(plain(title), "") + re.sub(r'^\.\\" for: .*\n', "", body, flags=re.M)
        elif title == "EXAMPLES":
            lines = [line + "\n" for line in body.split("\n") if re.match(rf"tpctl {verb}\b", line)]
            if lines:
                merged[title] = ".nf\n" + "".join(lines) + ".fi\n"
        elif title == "SEE ALSO":
            merged[title] = f".BR tpctl (1),\n{body}"
        elif title not in ("NAME", "VERBS"):
            for words, entry in entries(body):
                for word in words:
                    if word not in known and word != "all":
                        sys.exit(f"tpctl.1: a comment names {word}, which is no verb")
                if verb in words or "all" in words:
                    merged[plain(title)] = merged.get(plain(title), "") + entry
    for title, body in merged.items():
        # A section must not begin with an empty line.
        out.append(f".SH {title}\n{re.sub(r'^(.PP|.br)' + chr(10), '', body)}")
    return "".join(out)


def main():
    source, folder = map(pathlib.Path, sys.argv[1:])
    text = source.read_text()
    known = verbs_of(dict(sections(text))["VERBS"])
    folder.mkdir(parents=True, exist_ok=True)
    for verb, says in known.items():
        (folder / f"tpctl-{verb}.1").write_text(page(verb, says, text, known))


main()
