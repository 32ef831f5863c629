# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""open-names.py PAGE: prints what the flame graph of `tpctl view` says of its second function
at the mouse and, after a click, below."""

import sys

from browser import Browser

VIEW = "document.querySelector('iframe[data-view=flame]')"

with Browser() as browser:
    browser.open(sys.argv[1])
    browser.wait(f"{VIEW}.contentDocument.title.endsWith(' - speedscope')")
    browser.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    top = browser.run(f"{VIEW}.getBoundingClientRect().top")
    browser.send("Input.dispatchMouseEvent", type="mouseMoved", x=300, y=top + 153)
    browser.wait(f"{VIEW}.contentDocument.body.innerText.includes('label')")
    print("mouse:", browser.run(f"{VIEW}.contentDocument.body.innerText.replaceAll('\\n', ' ')"))
    browser.click(300, top + 153)
    browser.wait(f"{VIEW}.contentDocument.body.innerText.includes('This Instance')")
    print("click:", browser.run(f"{VIEW}.contentDocument.querySelector('[title]').title"))
