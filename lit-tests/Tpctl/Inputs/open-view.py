# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""open-view.py PAGE TPCTL RECORDING [PICTURE]: the page of `tpctl view` opens without a
network, shows the numbers of `tpctl report`, finds a function, and draws."""

import sys

from browser import Browser
from speedscope import (expect, expect_functions, expect_no_network, nanoseconds, report,
                        sandwich)


def tab(name):
    """The document of a tab, when its file is loaded."""
    browser.run(f"document.querySelector('button[data-tab={name}]').click()")
    document = f"document.querySelector('iframe[data-view={name}]').contentDocument"
    browser.wait(f"{document}.title.endsWith('.tmp - speedscope')")
    # The page is drawn two frames later.
    browser.run(f"new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    return document


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
    flame = tab("flame")
    shown = head()
    expect("program", browser.run("document.querySelector('h1').innerText"), "app")
    expect("events", shown["events"].replace(",", ""), str(wanted["events"]))
    expect("threads", shown["threads"], str(wanted["threads"]))
    expect("duration", nanoseconds(shown["event"]), wanted["span_ns"])
    expect("lost", shown["lost"], "none")
    if len(colours(browser.screenshot(*picture))) < 3:
        sys.exit("the flame graph is not drawn")
    # A click shows the numbers of a call below the graph.
    browser.click(600, 274)
    browser.wait(f"{flame}.body.innerText.includes('This Instance')")
    print("clicked:", browser.run(f"{flame}.body.innerText.includes('2.00\\u00b5s (')"))

    functions = tab("functions")
    expect_functions(sandwich(browser, functions), wanted)
    browser.key("f", modifiers=2)
    browser.wait(f"({functions}.activeElement || {{}}).tagName === 'INPUT'")
    browser.type("lex")
    browser.wait(f"{functions}.querySelectorAll('tr').length < 4")
    print("found:", ", ".join(sandwich(browser, functions)))

    timeline = tab("timeline")
    print("timeline:", browser.run("document.getElementById('hint').innerText"))
    if len(colours(browser.screenshot())) < 3:
        sys.exit("the timeline is not drawn")

    browser.run("document.querySelector('button[data-tab=about]').click()")
    browser.wait("document.getElementById('notices').innerText.includes('MIT License')")
    print("mended:", browser.run("document.getElementById('findings').innerText"))
    expect_no_network(browser)
