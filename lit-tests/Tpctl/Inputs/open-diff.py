# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""open-diff.py PAGE TPCTL OLD NEW [PICTURE]: the page of `tpctl view --diff` opens without a
network, shows the numbers of `tpctl report` of both recordings, colours what has changed, and
finds a function."""

import re
import sys

from browser import Browser
from speedscope import expect, expect_close, expect_no_network, nanoseconds, report

FRAME = "[...document.querySelectorAll('#chart g.frame')].find(e => e.textContent.startsWith('{}'))"


def colour(name):
    """Red, green and blue of a frame."""
    text = browser.run(f"getComputedStyle({FRAME.format(name)}.querySelector('rect')).fill")
    return [int(number) for number in re.findall(r"\d+", text)]


def table():
    rows = browser.run("[...document.querySelectorAll('#table tr')].slice(1)"
                       ".map(row => [...row.cells].map(cell => cell.innerText))")
    return {row[5]: row[:5] for row in rows}


page, tpctl, old, new, *picture = sys.argv[1:]
with Browser() as browser:
    browser.open(page)
    browser.wait("document.querySelectorAll('#chart g.frame').length > 3")
    red, _, blue = colour("lex::next")
    print("lex::next():", "red" if red > blue + 50 else "not red")
    red, _, blue = colour("work")
    print("work:", "blue" if blue > red + 50 else "not blue")
    browser.screenshot(*picture)

    place = browser.run(f"(({{x, y}}) => [x, y])({FRAME.format('parse')}.getBoundingClientRect())")
    width = f"{FRAME.format('parse')}.getBoundingClientRect().width"
    before = browser.run(width)
    browser.click(place[0] + 5, place[1] + 8)
    browser.wait(f"{width} > {before} + 100")
    print("clicked:", browser.run("document.getElementById('details').innerText"))

    browser.run("document.getElementById('search').focus()")
    browser.type("LEX")
    browser.wait(f"getComputedStyle({FRAME.format('lex')}.querySelector('rect')).fill === 'rgb(232, 197, 71)'")
    browser.run("document.querySelector('button[data-tab=functions]').click()")
    expect("found", list(table()), ["lex::next()"])
    browser.run("(s => { s.value = ''; s.oninput(); })(document.getElementById('search'))")
    shown = table()
    for side, recording in enumerate((old, new)):
        for row in report(tpctl, recording)["functions"]:
            cells = shown[row["function"]]
            expect_close(f"self of {row['function']}", nanoseconds(cells[side]), row["self_ns"])
            expect(f"calls of {row['function']}", int(cells[3 + side]), row["calls"])
    browser.run("document.querySelector('button[data-tab=about]').click()")
    browser.wait("document.getElementById('notices').innerText.includes('Apache License')")
    expect_no_network(browser)
