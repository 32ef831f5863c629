# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Reads Chrome's trace JSON as its viewers do. Fails if two calls of a thread overlap but
# are not nested. Prints names, counts and the first call of main.
import collections
import json
import sys

events = json.load(open(sys.argv[1], encoding="utf-8"))["traceEvents"]
print("names:", ", ".join(sorted({e["args"]["name"] for e in events if e["ph"] == "M"}, key=lambda n: (" " not in n, n))))
calls = [e for e in events if e["ph"] == "X"]
counts = collections.Counter(e["name"] for e in calls)
print("calls:", ", ".join(f"{name} {counts[name]}" for name in sorted(counts)))
main = next(e for e in calls if e["name"] == "main")
print("main", main["ts"], main["dur"])
for tid in {e["tid"] for e in calls}:
    ends = []
    for e in sorted((e for e in calls if e["tid"] == tid), key=lambda e: (e["ts"], -e["dur"])):
        while ends and ends[-1] <= e["ts"] + 1e-9:
            ends.pop()
        assert not ends or e["ts"] + e["dur"] <= ends[-1] + 1e-9, e
        ends.append(e["ts"] + e["dur"])
