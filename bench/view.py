# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures how long a browser takes to open the page that `tpctl view` writes for 10 million
events: view_open_s, until the flame graph is drawn. view_write_s is what tpctl takes.

The recording calls at random, so that nearly every call has a path of its own. Real programs
have far fewer paths.
"""

import os
import shutil
import statistics
import subprocess
import sys
import time

from toolchain import sized

EVENTS = sized(10_000_000, 10_000)
DRAWN = "document.querySelector('iframe')?.contentDocument.title.endsWith(' - speedscope')"
TWO_FRAMES = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"

sys.path.append(os.path.join(os.path.dirname(__file__), "..", "lit-tests", "Tpctl", "Inputs"))


def open_once(browser_class, page):
    with browser_class() as browser:
        start = time.monotonic()
        browser.open(page)
        browser.wait(DRAWN)
        browser.run(TWO_FRAMES)
        return time.monotonic() - start


def measure(tools, tpctl, make_trace):
    if not shutil.which("chromium"):
        return {}
    from browser import Browser
    recording, page = (tools.path("recording", name) for name in ("view.tp", "view.html"))
    tools.call([make_trace, "--bench", str(EVENTS), "2", recording])
    start = time.monotonic()
    if subprocess.run([tpctl, "view", recording, "-o", page], stdout=subprocess.DEVNULL,
                      stderr=subprocess.DEVNULL, check=False).returncode:
        return {}  # built without npm
    written = time.monotonic() - start
    times = [open_once(Browser, page) for _ in range(sized(5, 1))]
    for path in (recording, page):
        os.remove(path)
    return {"view_open_s": statistics.median(times), "view_write_s": written}
