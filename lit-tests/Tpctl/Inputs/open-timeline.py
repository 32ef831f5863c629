# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""open-timeline.py PAGE: prints the marks on the time axis of the timeline of a page of
`tpctl view`."""

import sys

from browser import Browser

VIEW = "document.querySelector('iframe[data-view=timeline]')"

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
