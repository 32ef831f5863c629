# Reads the tables of top-has-rows-of-keys.c in the current folder.
import json


def tables(path):
    return [json.loads(line) for line in open(path)]


rows = {row["keys"]["function"]: row for row in tables("all")[-1]["rows"]}
serve, step = rows["serve"], rows["step"]
print("serve and step:", serve["calls"], "and", step["calls"], "calls")
# A nanosecond may be lost for each call and each conversion of ticks.
own = serve["self_ns"] + step["self_ns"]
print("own times add up:", abs(own - serve["total_ns"]) <= 4 * 1100 and 0 < serve["self_ns"] < serve["total_ns"])
some = {row["keys"]["function"]: row for row in tables("some")[-1]["rows"]}["serve"]
print("serve of kind 2:", some["calls"], "calls, step is left out of it:", some["self_ns"] < some["total_ns"])
each = tables("go")
calls = {}
for row in (row for table in each for row in table["rows"]):
    kind = row["keys"]["kind"]
    calls[kind] = calls.get(kind, 0) + row["calls"]
print("intervals:", "2 and more," if len(each) >= 2 else "too few,", *(calls[kind] for kind in (0, 1, 2)), "calls")
