"""Compares the rows of tpctl count --by 'arg0, stack(...)' in JSON with the lines of stacks.c.

usage: compare-stacks.py ROWS LINES CASES [FRAMES]
"""
import json
import sys

rows, lines, cases = json.load(open(sys.argv[1])), open(sys.argv[2]), int(sys.argv[3])
most = int(sys.argv[4]) if len(sys.argv) > 4 else 64
wanted = {}
for line in lines:
    number, names = line.rstrip("\n").split("\t")
    wanted[int(number)] = names.split(";")
assert len(wanted) == cases, f"{len(wanted)} cases"
seen = {}
for row in rows["rows"]:
    number = int(row["keys"]["arg0"], 0)
    frames = next(value for key, value in row["keys"].items() if key.startswith("stack"))
    assert number not in seen and row["hits"] == 1, row
    seen[number] = frames
assert seen.keys() == wanted.keys(), seen.keys() ^ wanted.keys()
failed = False
for number, names in wanted.items():
    if len(names) > most:
        names = names[:most] + ["..."]
    frames = seen[number]
    # dladdr() knows exported names only, and a function may have several.
    same = len(frames) == len(names) and all(
        a == b or b == "-" or (a, b) == ("raise", "gsignal") for a, b in zip(frames, names))
    if not same:
        failed = True
        print(f"{number}: {frames}\nbacktrace(): {names}")
sys.exit(failed)
