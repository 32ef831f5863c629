#!/usr/bin/env python3
"""Sums what llvm-cov export -summary-only says of each file by folder, and prints a table.

It fails if a folder of ROOMS (check-floors.py) with code has no row, because then the
counts of its files were lost.

usage: llvm-cov export -summary-only ... | coverage-by-folder.py RUNTIME_FOLDER
"""
import importlib.util
import json
import sys
from collections import defaultdict
from pathlib import Path

runtime = Path(sys.argv[1]).resolve()
spec = importlib.util.spec_from_file_location("floors", Path(__file__).with_name("check-floors.py"))
floors = importlib.util.module_from_spec(spec)
spec.loader.exec_module(floors)

# Only libtprt-code.so contains decode/, and these tests do not open it.
ABSENT = {"include", "decode"}
sums = defaultdict(lambda: [0, 0, 0, 0])
for file in json.load(sys.stdin)["data"][0]["files"]:
    path = Path(file["filename"]).resolve()
    if not path.is_relative_to(runtime):
        continue
    row = sums[path.relative_to(runtime).parts[0]]
    for i, what in enumerate(("lines", "branches")):
        row[2 * i] += file["summary"][what]["covered"]
        row[2 * i + 1] += file["summary"][what]["count"]


def share(part, all):
    return f"{100 * part / all:5.1f} %" if all else "      -"


print(f"{'folder':12}{'lines':>8}  {'covered':>8}{'branches':>10}  {'covered':>8}")
rooms = [room for room in floors.ROOMS if room in sums]
for room in rooms:
    lines, all_lines, branches, all_branches = sums[room]
    print(f"{room:12}{all_lines:8}  {share(lines, all_lines):>8}{all_branches:10}  {share(branches, all_branches):>8}")
total = [sum(column) for column in zip(*sums.values())]
print(f"{'all':12}{total[1]:8}  {share(total[0], total[1]):>8}{total[3]:10}  {share(total[2], total[3]):>8}")
lost = [room for room in floors.ROOMS if room not in sums and room not in ABSENT]
if lost:
    sys.exit(f"coverage-by-folder: no file of {', '.join(lost)} was counted")
