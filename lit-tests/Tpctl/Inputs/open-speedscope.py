# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""open-speedscope.py FOLDER FILE TPCTL RECORDING: speedscope's published page opens a file, as
with its command line program, and shows the times of `tpctl report`."""

import base64
import os
import sys

from browser import Browser
from speedscope import expect_functions, report, sandwich

folder, path, tpctl, recording = sys.argv[1:]
with open(path, "rb") as file:
    data = base64.b64encode(file.read()).decode()
script = os.path.abspath(path) + ".js"
with open(script, "w", encoding="utf-8") as file:
    file.write(f'speedscope.loadFileFromBase64("recording.json", "{data}")')
with Browser() as browser:
    browser.open(os.path.join(folder, "index.html") + f"#view=sandwich&localProfilePath={script}")
    expect_functions(sandwich(browser), report(tpctl, recording))
    print("profile:", browser.run("document.title"))
