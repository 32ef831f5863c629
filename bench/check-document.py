#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Has document.py write results into a copy of docs/performance.md: the ctest `bench.document`.

usage: check-document.py SOURCE SCRATCH_FOLDER
"""
import json
import pathlib
import shutil
import sys

import document
import report

source, scratch = map(pathlib.Path, sys.argv[1:])
shutil.rmtree(scratch, ignore_errors=True)
scratch.mkdir(parents=True)
page, results = scratch / "performance.md", scratch / "results.json"
shutil.copy(source / "docs/performance.md", page)
before = page.read_text()


def write(figures):
    results.write_text(json.dumps(figures))
    return document.write(results, page, "2026-01-02"), page.read_text()


shown = [row[0] for _, rows in document.TABLES.values() for row in rows]
reached = {name: report.FLOORS.get(name, 0) for name in shown}
_, first = write(reached)
_, again = write(reached)
missed = {**reached, "record_pair_ratio": 9, "code_entry_coverage": 0.1}
told, _ = write(missed)
del reached["snapshot_pause_us"]
_, lacking = write(reached)


def prose(text):
    """Without the tables."""
    return [line for line in text.splitlines() if not line.startswith("|")]


wrong = [what for what, holds in {
    "the tables have not changed": first != before,
    "writing the same results twice changes the document": first == again,
    "the text between the tables has changed": prose(first) == prose(before),
    "a figure is not shown": all(f"| `{name}` |" in first for name in shown),
    "a missed goal is not named": any("record_pair_ratio was missed" in line for line in told),
    "a share below its goal is not named": any("code_entry_coverage was missed" in line for line in told),
    "a goal that was reached is named as missed": not any("view_open_s was missed" in line for line in told),
    "a figure that is missing is no dash": "| `snapshot_pause_us` | how long a snapshot of 64 MB holds up a thread, in µs | 20 | – |" in lacking,
}.items() if not holds]
sys.exit("\n".join(wrong) or 0)
