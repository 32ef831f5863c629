#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes ValueOptions.def from clang's own list of options.

Run by hand when the supported clang changes:
    update-options.py /usr/lib/llvm-22/include/clang/Options/Options.inc > ValueOptions.def
The test lit-tests/Tool/option-table-is-current.test compares the two.
"""
import re
import sys

OPTION = re.compile(
    r"^OPTION\((\d+)[^,]*, \d+ /\* (\S+) \*/, \w+, (\w+), \w+, \w+, [^,]+, ([^,]+), ([^,]+), (\d+),"
)


def main():
    rows = set()
    with open(sys.argv[1], encoding="utf-8") as file:
        for line in file:
            match = OPTION.match(line)
            if not match:
                continue
            _, name, kind, _, visibility, count = match.groups()
            if not re.search(r"\b(DefaultVis|ClangOption)\b", visibility):
                continue
            if not name.startswith("-"):
                continue
            if kind in ("Separate", "JoinedOrSeparate"):
                rows.add((name, "Exact", 1))
            elif kind == "JoinedAndSeparate":
                rows.add((name, "Prefix", 1))
            elif kind == "MultiArg":
                rows.add((name, "Exact", int(count)))
    print("// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception")
    print("//")
    print("// Options of the clang driver whose values are separate arguments. The list")
    print("// keeps a value from being taken for an input file: VALUE_OPTION(name, how it")
    print("// matches, values). Sorted by name. Written by update-options.py; do not edit.")
    for name, kind, count in sorted(rows):
        print(f'VALUE_OPTION("{name}", {kind}, {count})')


main()
