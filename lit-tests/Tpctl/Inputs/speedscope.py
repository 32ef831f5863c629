# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that read speedscope's page for tests, and the output of `tpctl report` for
comparison."""

import json
import re
import subprocess
import sys

ROWS = "[...{0}.querySelectorAll('tr')].map(row => [...row.cells].map(cell => cell.innerText))"
UNITS = {"ns": 1, "\u00b5s": 1e3, "us": 1e3, "ms": 1e6, "s": 1e9}


def nanoseconds(text):
    number, unit = re.match(r"([\d.]+) ?(\w+)", text).groups()
    return float(number) * UNITS[unit]


def sandwich(browser, document="document"):
    """The table of functions: {name: (total, self)}."""
    browser.wait(f"{document}.querySelectorAll('tr').length > 1")
    rows = [row for row in browser.run(ROWS.format(document)) if len(row) == 3 and "%" in row[0]]
    return {row[2].strip(): (nanoseconds(row[0]), nanoseconds(row[1])) for row in rows}


def report(tpctl, recording):
    text = subprocess.run([tpctl, "report", "--format=json", recording], check=True,
                          capture_output=True, text=True).stdout
    return json.loads(text)


def expect(what, found, wanted):
    if found != wanted:
        sys.exit(f"{what}: {found}, not {wanted}")


def expect_close(what, found, wanted):
    """Pages show three digits or more."""
    if abs(found - wanted) > 0.006 * wanted:
        sys.exit(f"{what}: {found}, not {wanted}")


def expect_functions(found, wanted):
    names = {row["function"] for row in wanted["functions"]}
    expect("functions", set(found), names)
    for row in wanted["functions"]:
        total, own = found[row["function"]]
        expect_close(f"total of {row['function']}", total, row["total_ns"])
        expect_close(f"self of {row['function']}", own, row["self_ns"])


def expect_no_network(browser):
    for address in browser.requests:
        if not address.startswith(("file:", "data:", "blob:", "about:")):
            sys.exit(f"a request: {address}")
    for text in browser.messages:
        # WebGL prints messages about its own speed.
        if "WebGL" not in text:
            sys.exit(f"a message: {text}")
