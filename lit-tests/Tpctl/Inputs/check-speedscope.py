# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check-speedscope.py FILE [SCHEMA]: checks that in a speedscope file times do not decrease,
calls nest, and the file follows speedscope's own JSON schema. Prints each profile's times,
and its calls by name."""

import collections
import json
import sys


def follows(value, rule, where):
    """Supports the keywords of JSON schema that speedscope's file uses."""
    while "$ref" in rule:
        rule = SCHEMA["definitions"][rule["$ref"].rsplit("/", 1)[1]]
    if "anyOf" in rule:
        errors = [follows(value, each, where) for each in rule["anyOf"]]
        return None if None in errors else "; ".join(errors)
    types = {"object": dict, "array": list, "string": str, "number": (int, float)}
    if "type" in rule and not isinstance(value, types[rule["type"]]):
        return f"{where}: not of type {rule['type']}"
    if "const" in rule and value != rule["const"] or "enum" in rule and value not in rule["enum"]:
        return f"{where}: {value}"
    for name in rule.get("required", []):
        if name not in value:
            return f"{where}: no {name}"
    for name, inner in rule.get("properties", {}).items():
        if name in value and (error := follows(value[name], inner, f"{where}.{name}")):
            return error
    if "items" in rule:
        for number, each in enumerate(value):
            if error := follows(each, rule["items"], f"{where}[{number}]"):
                return error
    return None


def read(profile, names):
    calls, stack, before = collections.Counter(), [], profile["startValue"]
    for event in profile["events"]:
        if event["at"] < before:
            sys.exit(f"{profile['name']}: time steps back from {before} to {event['at']}")
        before = event["at"]
        if event["type"] == "O":
            stack.append(event["frame"])
            calls[names[event["frame"]]] += 1
        elif not stack or stack.pop() != event["frame"]:
            sys.exit(f"{profile['name']}: calls do not nest at {before}")
    if stack or before > profile["endValue"]:
        sys.exit(f"{profile['name']}: {len(stack)} calls do not end")
    span = f"{profile['startValue']} to {profile['endValue']}: "
    return span + ", ".join(f"{name} {count}" for name, count in sorted(calls.items()))


with open(sys.argv[1], encoding="utf-8") as file:
    recording = json.load(file)
if len(sys.argv) > 2:
    with open(sys.argv[2], encoding="utf-8") as file:
        SCHEMA = json.load(file)
    if error := follows(recording, {"$ref": SCHEMA["$ref"]}, "file"):
        sys.exit(error)
all_names = [frame["name"] for frame in recording["shared"]["frames"]]
for one in recording["profiles"]:
    print(f"{one['name']}, {read(one, all_names)}")
