#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lists the tests of a build folder that took longest, and the sums of their times.

The times are those of clocks on the wall, from the last runs: ctest's means of its tests
(Testing/Temporary/CTestCostData.txt), and lit's of each file (lit-*.json, which `make check`
has lit write).

usage: slowest-tests.py BUILD_FOLDER [NUMBER]
"""
import json
import sys
from pathlib import Path

if len(sys.argv) not in (2, 3) or not sys.argv[-1].isdigit() and len(sys.argv) == 3:
    sys.exit(__doc__.splitlines()[-1])
build, number = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) == 3 else 20

suites = {}
costs = build / "Testing/Temporary/CTestCostData.txt"
if costs.exists():
    # NAME RUNS SECONDS, and after a line of three dashes the tests that failed.
    rows = (line.split() for line in costs.read_text().split("---")[0].splitlines())
    suites["ctest"] = [(float(row[2]), row[0]) for row in rows]
for file in sorted(build.glob("lit-*.json")):
    tests = json.loads(file.read_text())["tests"]
    suites[file.stem] = [(test["elapsed"] or 0, test["name"].split(" :: ")[-1]) for test in tests]
if not suites:
    sys.exit(f"slowest-tests: {build} has no times of tests: `make check` or ctest writes them")
for suite, tests in suites.items():
    print(f"{suite}: {len(tests)} tests, {sum(seconds for seconds, _ in tests):.0f} s in all")
    for seconds, name in sorted(tests, reverse=True)[:number]:
        print(f"{seconds:8.1f} s  {name}")
