"""Uses each name that tpctl lists for a program as a pattern, and prints each name that does not select exactly
its function.

usage: paste.py TPCTL PROGRAM RECORDING
"""
import json
import os
import subprocess
import sys

tpctl, program, recording = sys.argv[1:4]
bad = 0


def run(*command, **environment):
    return subprocess.run(command, capture_output=True, text=True, timeout=250, env={**os.environ, **environment})


def rows(text, key):
    """The rows of the last JSON object in the output."""
    for line in reversed(text.splitlines()):
        if '{"' in line:
            return [r["function"] for r in json.loads(line[line.index("{"):])[key]]
    return None


def expect(how, name, found):
    global bad
    if found is None or sorted(set(found)) != [name]:
        bad += 1
        print(f"{how}: {name!r} finds {found}")


listed = run(tpctl, "list", "--format=json", "--", program).stdout
shown = json.loads(listed[listed.index("["):])
names = sorted({r["function"] for r in shown if os.path.basename(r["module"]) == os.path.basename(program)})
text = run(tpctl, "report", "--format=json", recording).stdout
recorded = [r["function"] for r in json.loads(text)["functions"]]
for name in names:
    found = run(tpctl, "list", "--format=json", name, "--", program).stdout
    at = found.find("[")
    expect("list", name, [r["function"] for r in json.loads(found[at:])] if at >= 0 else None)
    if name in recorded:
        quote = "'" if '"' in name else '"'
        run(program, TPRT_OPTIONS=f"count={quote}{name}{quote} format=json names=full output=options.json")
        with open("options.json") as f:
            expect("TPRT_OPTIONS", name, rows(f.read(), "functions"))
        expect("report", name, [r["function"] for r in json.loads(run(tpctl, "report", "--format=json", "-F", name, recording).stdout)["functions"]])
for name in recorded[:6]:
    if run(tpctl, "diff", "--fail-if", f"{name}.calls > 0", recording, recording).returncode != 3:
        bad += 1
        print(f"diff --fail-if: {name!r} finds nothing")
print(f"{len(names)} names, {len(recorded)} recorded, {bad} bad")
