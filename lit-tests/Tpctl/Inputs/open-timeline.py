# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""open-timeline.py PAGE [threads]: prints the marks on the time axis of the timeline of a page of
`tpctl view`; with threads, also which of two is seen after each of some choices."""

import sys

from browser import Browser

VIEW = "document.querySelector('iframe[data-view=timeline]')"

THREAD = "document.getElementById('thread')"


def tell(how, place):
    browser.wait(f"{THREAD}.innerText.endsWith({place!r})")
    shown = browser.run(f"{VIEW}.contentWindow.shown.getActiveProfile().profile.getName()")
    print(f"{how}:", browser.run(f"{THREAD}.innerText.split(/\\s/)[0]"),
          browser.run(f"{THREAD}.querySelector('select').selectedOptions[0].innerText") + ",",
          f"{place}; seen: {shown}; title: " + browser.run("document.title"))


with Browser() as browser:
    browser.open(sys.argv[1])
    browser.run("document.querySelector('button[data-tab=timeline]').click()")
    browser.wait(f"{VIEW}.contentDocument.title.endsWith(' - speedscope')")
    # Notes what is drawn from now on, and has everything drawn again.
    browser.run(f"""(view => {{
        window.drawn = new Set();
        const context = view.CanvasRenderingContext2D.prototype, fill = context.fillText;
        context.fillText = function(text, ...place) {{
            drawn.add(text);
            return fill.call(this, text, ...place);
        }};
        view.dispatchEvent(new view.Event('resize'));
        }})({VIEW}.contentWindow)""")
    browser.wait("[...drawn].some(text => text.endsWith(' us'))")
    print("marks:", ", ".join(browser.run("[...drawn].filter(text => text.endsWith(' us'))")))

    if sys.argv[2:]:
        tell("at first", "1 of 2")
        browser.run(f"{VIEW}.contentWindow.focus()")
        browser.key("n")
        tell("next", "2 of 2")
        browser.key("p")
        tell("previous", "1 of 2")
        browser.run(f"(e => {{ e.selectedIndex = 1; e.onchange(); }})({THREAD}.querySelector('select'))")
        tell("list", "2 of 2")
        browser.run("document.querySelector('button[data-tab=flame]').click()")
        print("flame graph:", browser.run(f"{THREAD}.hidden"), browser.run("document.title"))
