# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""open-view.py PAGE TPCTL RECORDING [PICTURE]: the page of `tpctl view` opens without a
network, shows the numbers of `tpctl report`, finds a function, and draws. It has one bar, and
needs no font with emoji."""

import re
import sys

from browser import Browser
from speedscope import expect, expect_close, expect_no_network, nanoseconds, report


def choose(tab):
    browser.run(f"document.querySelector('button[data-tab={tab}]').click()")


def frame(name):
    """The document of speedscope, when its file is loaded."""
    document = f"document.querySelector('iframe[data-view={name}]').contentDocument"
    browser.wait(f"{document}.title.endsWith('.tmp - speedscope')")
    # The page is drawn two frames later.
    browser.run(f"new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    return document


def expect_one_bar(document):
    """speedscope's own bar is gone, and no text of the page or of a view needs an emoji."""
    words = browser.run(f"document.body.innerText + {document}.body.innerText")
    for name in ("Time Order", "Sandwich", "Import"):
        expect(f"speedscope's {name}", name in words, False)
    expect("emoji", re.findall("[\u2600-\u27bf\u2b05\u2934\u2935\U0001f000-\U0001faff]", words), [])


def table():
    return browser.run("[...document.querySelectorAll('#table tr')].slice(1)"
                       ".map(row => [...row.cells].map(cell => cell.innerText))")


def expect_rows(rows, wanted):
    """The rows of `tpctl report`, in its order."""
    expect("functions", [row[-1] for row in rows], [row["function"] for row in wanted["functions"]])
    for (calls, total, own, share, average, name), row in zip(rows, wanted["functions"]):
        expect(f"calls of {name}", int(calls), row["calls"])
        expect_close(f"total of {name}", nanoseconds(total), row["total_ns"])
        expect_close(f"self of {name}", nanoseconds(own), row["self_ns"])
        everything = sum(each["self_ns"] for each in wanted["functions"])
        expect(f"share of {name}", share, f"{100 * row['self_ns'] / everything:.1f}")
        if "avg_ns" in row:
            expect_close(f"average of {name}", nanoseconds(average), row["avg_ns"])
        else:
            expect(f"average of {name}", average, "-")


def head():
    numbers = browser.run("[...document.querySelectorAll('#numbers li')].map(e => e.innerText)")
    words = [text.split(" ", 2 if "first" in text else 1) for text in numbers]
    return {each[-1].split()[-1]: " ".join(each[:-1]) for each in words}


def colours(picture):
    """The colours except grey in a part of the picture below the page's head."""
    found = {}
    for row in picture[150:]:
        for pixel in row:
            if max(pixel) - min(pixel) > 12:
                found[pixel] = found.get(pixel, 0) + 1
    return [colour for colour, count in found.items() if count > 200]


page, tpctl, recording, *picture = sys.argv[1:]
wanted = report(tpctl, recording)
with Browser() as browser:
    browser.open(page)
    flame = frame("flame")
    shown = head()
    expect("program", browser.run("document.querySelector('h1').innerText"), "app")
    expect("events", shown["events"].replace(",", ""), str(wanted["events"]))
    expect("threads", shown["threads"], str(wanted["threads"]))
    expect("duration", nanoseconds(shown["event"]), wanted["span_ns"])
    expect("lost", shown["lost"], "none")
    if len(colours(browser.screenshot(*picture))) < 3:
        sys.exit("the flame graph is not drawn")
    expect_one_bar(flame)
    # A click shows the numbers of a call below the graph.
    top = browser.run("document.querySelector('iframe[data-view=flame]').getBoundingClientRect().top")
    browser.click(600, top + 133)
    browser.wait(f"{flame}.body.innerText.includes('This Instance')")
    print("clicked:", browser.run(f"{flame}.body.innerText.includes('2.00\\u00b5s (')"))

    # Keys choose views, also in a frame.
    browser.key("2")
    browser.wait("document.querySelectorAll('#table tr').length > 1")
    expect_rows(table(), wanted)
    browser.run("[...document.querySelectorAll('#table th')].find(e => e.innerText === 'calls').click()")
    calls = [int(row[0]) for row in table()]
    expect("sorted calls", calls, sorted(calls, reverse=True))
    # A click on a function shows its callers and callees.
    browser.run("[...document.querySelectorAll('#table td')].find(e => e.innerText === 'parse').click()")
    paths = frame("paths")
    browser.wait(f"{paths}.body.innerText.includes('Callees')")
    expect("table of speedscope", browser.run(f"{paths}.querySelectorAll('table').length"), 0)
    expect_one_bar(paths)
    print("chosen:", browser.run("document.getElementById('chosen').innerText"))
    browser.run("window.focus()")
    browser.key("f", modifiers=2)
    browser.wait("document.activeElement.id === 'search'")
    browser.type("lex")
    browser.wait("document.querySelectorAll('#table tr').length < 3")
    print("found:", ", ".join(row[-1] for row in table()))
    browser.run("document.activeElement.blur()")

    choose("timeline")
    timeline = frame("timeline")
    expect_one_bar(timeline)
    print("timeline:", browser.run("document.getElementById('hint').innerText"))
    if len(colours(browser.screenshot())) < 3:
        sys.exit("the timeline is not drawn")

    choose("about")
    browser.wait("document.getElementById('notices').innerText.includes('MIT License')")
    print("mended:", browser.run("document.getElementById('findings').innerText"))
    expect_no_network(browser)
