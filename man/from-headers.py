#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the manual pages of section 3 from libtprt's public headers.

usage: from-headers.py VERSION OUTPUT_FOLDER HEADER...

Each function, structure, enumeration and callback type gets a page with its
declaration and the comment above the declaration. A C++ header (.hpp) gets one page
with the public parts of its classes and its functions. The build runs this script
(cmake/Documents.cmake). Declarations on consecutive lines share one comment. The
script fails if a function has no comment.
"""
import pathlib
import re
import sys

LICENCE = '.\\" SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n'
# The properties that tprt.h states in its head comment, for all functions
# without other statements.
USUAL = (
    "Unless the description says otherwise the function is thread-safe, is not async-signal-safe, "
    "may allocate memory (by \\fBmmap\\fR(2), never by \\fBmalloc\\fR(3)), and must not be called from "
    "inside a handler: there it returns \\fBTPRT_STATUS_IN_HANDLER\\fR. An async-signal-safe function may "
    "be called there, too. No function ends the program.")
INLINE = (
    "The function is part of the header and calls nothing of the library. It is thread-safe and "
    "async-signal-safe, and is meant for handlers.")


class Item:
    """A public declaration and the comment above it."""

    def __init__(self, header, kind, name, code, comment, architecture):
        self.header, self.kind, self.name = header, kind, name
        self.code, self.comment, self.architecture = code, comment, architecture
        self.inline = kind == "inline"
        if self.inline:
            self.kind = "function"
        self.other = None  # the same thing for another processor


def comment_text(comment):
    """The comment's paragraphs. An item of a list is a paragraph that begins with its mark."""
    lines = [re.sub(r"^\s*\*? ?", "", line) for line in comment.split("\n")]
    text = re.sub(r"^(?= (?:-|\d\.) )", "\n", "\n".join(lines), flags=re.M)
    # A line that is not indented ends a list.
    text = re.sub(r"(\n (?:-|\d\.) .*(?:\n {2,}.*)*\n)(?=\S)", r"\1\n", text)
    paragraphs = re.split(r"\n\n+", text.strip("\n"))
    return [" ".join(paragraph.split()) for paragraph in paragraphs if paragraph.strip()]


def request(paragraph):
    """How troff begins the paragraph, and its text without the mark of an item."""
    mark = re.match(r"(-|\d\.) ", paragraph)
    if not mark:
        return ".PP\n", paragraph
    sign = "\\(bu 2" if mark[1] == "-" else mark[1] + " 3"
    return f".IP {sign}\n", paragraph[mark.end():]


def architecture_of(line, now):
    if line.startswith("#if defined(__x86_64__)"):
        return "x86-64"
    if line.startswith("#elif defined(__aarch64__)"):
        return "AArch64"
    if line.startswith("#else") and now:
        return None
    return now


def pieces(text):
    """(comment, declaration, architecture) of each declaration at the top level."""
    text = re.sub(r'extern "C" \{', "", text)
    comment, code, depth, architecture, previous = None, "", 0, None, None
    i = 0
    while i < len(text):
        if text.startswith("/*", i):
            end = text.index("*/", i)
            if depth == 0 and not code.strip():
                comment = text[i + 2:end]
            else:
                code += text[i:end + 2]
            i = end + 2
            continue
        if text[i] == "#" and depth == 0:
            line = re.match(r"(?:.*\\\n)*.*", text[i:]).group()
            if not line.startswith(("#ifdef __cplusplus", "#pragma", "#endif")):
                comment = None
            architecture = architecture_of(line, architecture)
            code = ""
            i += len(line)
            continue
        code += text[i]
        depth += {"{": 1, "}": -1}.get(text[i], 0)
        ends = text[i] == ";" or (text[i] == "}" and "inline" in code.split("{")[0])
        if ends and depth == 0:
            shares = not comment and not code.lstrip(" ").startswith("\n\n")
            if shares:
                comment = previous
            yield comment, code.strip(), architecture
            previous, comment, code = comment, None, ""
        if depth < 0:  # the end of extern "C"
            depth, code = 0, ""
        i += 1


def classify(code):
    """(kind, name, what the synopsis shows), or None for what has no page."""
    head = code.split("{")[0]
    if "TPRT_API" in head or "inline" in head:
        shown = " ".join(re.sub(r"TPRT_API|static inline", "", head).split()).rstrip(";") + ";"
        # An inline function that passes on its caller's layout counts as a function of
        # the library.
        kind = "inline" if "inline" in head and "_sized(" not in code else "function"
        return kind, re.search(r"(\w+)\(", shown).group(1), shown
    callback = re.match(r"typedef [^{]*\(\*(\w+)\)", code)
    if callback:
        return "callback", callback.group(1), " ".join(code.split())
    kind = re.match(r"(?:typedef )?(struct|enum)\s+(\w+)\s*(\{|\w+;)", code)
    if kind:
        return kind.group(1), kind.group(2), code
    return None


def read(path):
    for comment, code, architecture in pieces(path.read_text()):
        found = classify(code)
        if not found:
            continue
        kind, name, shown = found
        if not comment:
            # The type of a handle. The functions on it explain the type.
            if kind == "struct" and "{" not in shown:
                continue
            if kind in ("function", "inline", "callback"):
                sys.exit(f"{path}: {name} has no comment above it: its manual page would be empty")
            comment = f"The {'constants' if kind == 'enum' else 'fields'} of {name}, as the comments next to them say."
        yield Item(path.name, kind, name, shown, comment_text(comment), architecture)


def escape(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"[^\x00-\x7f]", lambda m: f"\\[u{ord(m.group()):04X}]", text)


def prose(text, known, own):
    text = escape(text)
    text = re.sub(r"`([^`]*)`", r"\\fB\1\\fR", text)
    text = re.sub(r"(?<![\w\\])(tprt_\w+)(\(\))?",
                  lambda m: f"\\fB{m.group(1)}\\fR" + ("(3)" if m.group(1) in known and m.group(1) != own
                                                        else m.group(2) or ""), text)
    text = re.sub(r"(?<!\w)(TPRT_\w+)", r"\\fB\1\\fR", text)
    # In troff, a sentence should end its line, and no line may begin with
    # troff's control character.
    text = re.sub(r"([.:?]) (?=[A-Z*`\\])", "\\1\n", text)
    return re.sub(r"^(?=[.'])", "\\\\&", text, flags=re.M)


def summary(item):
    text = item.comment[0].replace("`", "")
    text = re.split(r"(?<=[^.])[.:;](?:\s|$)| \(", text)[0]
    if len(text) > 90:
        text = text[:91].rsplit(", " if ", " in text[40:90] else " ", 1)[0]
    words = text.split(" ")
    if not re.match(r"[A-Z]{2}|TPRT", words[0]):
        words[0] = words[0][:1].lower() + words[0][1:]
    return escape(" ".join(words))


def declaration(item):
    code = item.code
    if item.kind == "function" and len(code) > 76:
        # One parameter a line.
        begin, rest = code.split("(", 1)
        depth, parts, part = 0, [], ""
        for c in rest:
            depth += {"(": 1, ")": -1}.get(c, 0)
            part += c
            if c == "," and depth == 0:
                parts.append(part.strip())
                part = ""
        code = begin + "(\n    " + "\n    ".join(parts + [part.strip()])
    return ".nf\n\\fB" + escape(code) + "\\fR\n.fi\n"


def page(item, known, version):
    out = [LICENCE, f'.\\" Made from {item.header} by man/from-headers.py.\n',
           f'.TH {item.name.upper()} 3 "" "tp {version}" "tp"\n',
           f".SH NAME\n{item.name} \\- {summary(item)}\n",
           f".SH SYNOPSIS\n.nf\n\\fB#include <tprt/{item.header}>\\fR\n.fi\n.PP\n"]
    both = [item] + ([item.other] if item.other else [])
    for one in both:
        if item.other and one.code != item.code or item.other and one is item:
            out.append(f"On {one.architecture}:\n.PP\n" if item.other.code != item.code else "")
        if one is item or one.code != item.code:
            out.append(declaration(one) + ".PP\n")
    if out[-1].endswith(".PP\n"):
        out[-1] = out[-1][:-4]
    out.append(".SH DESCRIPTION\n")
    for one in both:
        if one is not item and one.comment == item.comment:
            continue
        if item.other and item.other.comment != item.comment:
            out.append(("" if out[-1].startswith(".SH") else ".PP\n") + f"On {one.architecture}:\n")
        for paragraph in one.comment:
            begin, text = request(paragraph)
            if begin == ".PP\n" and out[-1].startswith(".SH"):
                begin = ""
            out.append(begin + prose(text, known, item.name) + "\n")
    if item.kind == "function":
        out.append(f".SH THREADS AND SIGNALS\n{INLINE if item.inline else USUAL}\n")
    words = set(re.findall(r"tprt_\w+", " ".join(one.code + " ".join(one.comment) for one in both)))
    related = sorted((words & known) - {item.name})
    if item.kind == "function" and "tprt_status " in item.code:
        related = sorted(set(related) | {"tprt_error_string", "tprt_status_string"} & known - {item.name})
    out.append(".SH SEE ALSO\n" + "".join(f".BR {name} (3),\n" for name in related) + ".BR tprt (7)\n")
    return "".join(out)


def without_bodies(lines):
    """Returns C++ declarations without bodies of functions, and without private and
    protected parts of classes."""
    text, depth, out, hidden = "\n".join(lines), 0, "", False
    inside_class = re.match(r"(?:template <[^>]*>\s)?(?:class|struct) ", text) is not None
    keep = 1 if inside_class else 0
    for line in text.split("\n"):
        if depth == keep and re.match(r"\s*(private|protected|public):", line):
            hidden = "public" not in line
            continue
        for c in line + "\n":
            if c == "{":
                if depth == keep and not hidden:
                    out = out.rstrip() + ";"
                depth += 1
                if depth <= keep:
                    out = out.rstrip("; \n") + " {"
                continue
            if c == "}":
                depth -= 1
                if depth < keep:
                    out += "}"
                continue
            if depth <= keep and not (hidden and depth == keep):
                out += c
    # A constructor's list of members belongs to its body.
    out = re.sub(r"\)\s*:\s*\w+\([^;]*;(?=\n)", ");", out)
    return re.sub(r"\n\s*\n+", "\n", re.sub(r";\s*;", ";", out)).strip()


def wrapper_page(path, version):
    text = path.read_text()
    head = re.match(r"(?://.*\n)+", text).group()
    paragraphs = re.sub(r"^// ?", "", head, flags=re.M).strip().split("\n\n")[1:]
    name = path.name
    out = [LICENCE, f'.\\" Made from {name} by man/from-headers.py.\n',
           f'.TH {name.upper()} 3 "" "tp {version}" "tp"\n',
           f".SH NAME\n{name} \\- libtprt from C++\n",
           f".SH SYNOPSIS\n.nf\n\\fB#include <tprt/{name}>\\fR\n.fi\n.SH DESCRIPTION\n"]
    out.append(".PP\n".join(
        f".nf\n{escape(p)}\n.fi\n" if p.startswith("  ") else prose(" ".join(p.split()), set(), name) + "\n"
        for p in paragraphs))
    body = text[text.index("namespace tprt {"):]
    for match in re.finditer(r"((?:^//.*\n)+)((?:template|class|struct|inline|enum)"
                             r"(?:[^\n]*\}|[^\0]*?\n\};?))\n",
                             body, re.M):
        comment = re.sub(r"^// ?", "", match.group(1), flags=re.M)
        shown = without_bodies(match.group(2).split("\n"))
        title = re.search(r"(?:class|struct|enum) (\w+)(?= [:{])|(\w+)\(", shown)
        out.append(f".SS {title.group(1) or title.group(2)}\n")
        out.append(prose(" ".join(comment.split()), set(), name) + "\n.PP\n.nf\n" +
                   re.sub(r"^(?=[.'])", "\\\\&", escape(shown), flags=re.M) + "\n.fi\n")
    out.append(".SH SEE ALSO\n.BR tprt_probe_attach (3),\n.BR tprt (7)\n")
    return "".join(out)


def main():
    version, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    items = {}
    wrappers = {}
    for header in sys.argv[3:]:
        if header.endswith(".hpp"):
            wrappers[pathlib.Path(header).name] = wrapper_page(pathlib.Path(header), version)
            continue
        for item in read(pathlib.Path(header)):
            if item.name in items:
                items[item.name].other = item
            else:
                items[item.name] = item
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.3"):
        if old.stem not in items and old.stem not in wrappers:
            old.unlink()
    for name, text in wrappers.items():
        (folder / f"{name}.3").write_text(text)
    for item in items.values():
        (folder / f"{item.name}.3").write_text(page(item, set(items), version))


main()
