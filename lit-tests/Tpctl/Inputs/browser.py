# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A headless Chromium, for tests of `tpctl view`.

It is controlled by the DevTools protocol over two pipes, without a driver or a
port. Every request of a page is logged.
"""

import base64
import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import zlib


class Browser:
    def __init__(self, width=1280, height=800):
        self.folder = tempfile.mkdtemp(prefix="tp-browser-")
        to_browser, self.output = os.pipe()
        self.input, from_browser = os.pipe()
        # Chromium reads commands from 3 and writes answers to 4.
        def pipes():
            high = (os.dup2(to_browser, 100), os.dup2(from_browser, 101))
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)
        self.process = subprocess.Popen(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic",
             "--no-first-run", "--disable-background-networking", "--disable-component-update",
             "--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars",
             f"--user-data-dir={self.folder}", f"--window-size={width},{height}",
             "--remote-debugging-pipe", "about:blank"],
            preexec_fn=pipes, close_fds=False, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.received = b""
        self.numbers = itertools.count(1)
        self.requests, self.messages = [], []
        self.session = None
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.send(domain + ".enable")
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=False)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def send(self, method, **parameters):
        number = next(self.numbers)
        message = {"id": number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.output, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def receive(self):
        while b"\0" not in self.received:
            part = os.read(self.input, 1 << 20)
            if not part:
                raise RuntimeError("chromium has ended")
            self.received += part
        text, self.received = self.received.split(b"\0", 1)
        message = json.loads(text)
        if message.get("method") == "Network.requestWillBeSent":
            self.requests.append(message["params"]["request"]["url"])
        elif message.get("method") == "Log.entryAdded":
            self.messages.append(message["params"]["entry"]["text"])
        elif message.get("method") == "Runtime.exceptionThrown":
            details = message["params"]["exceptionDetails"]
            self.messages.append(details.get("exception", {}).get("description", details["text"]))
        return message

    def open(self, path):
        self.send("Page.navigate", url="file://" + os.path.abspath(path))
        self.wait("location.protocol === 'file:' && document.readyState === 'complete'")

    def run(self, expression):
        """The value of an expression in the page."""
        result = self.send("Runtime.evaluate", expression=expression, returnByValue=True,
                           awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(str(result["exceptionDetails"]))
        return result["result"].get("value")

    def wait(self, expression, seconds=60):
        """Waits until an expression is true, and returns its value."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                value = self.run(expression)
            except RuntimeError:
                value = None  # not there yet
            if value:
                return value
            time.sleep(0.05)
        sys.exit(f"never true: {expression}\n" + "\n".join(self.messages))

    def click(self, x, y, count=1):
        for number in range(1, count + 1):
            for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
                self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left",
                          clickCount=0 if kind == "mouseMoved" else number)

    def type(self, text):
        self.send("Input.insertText", text=text)

    def key(self, key, modifiers=0):
        for kind in ("rawKeyDown" if modifiers else "keyDown", "keyUp"):
            self.send("Input.dispatchKeyEvent", type=kind, key=key, modifiers=modifiers,
                      windowsVirtualKeyCode=ord(key.upper()[0]),
                      **({"text": key} if kind == "keyDown" else {}))

    def screenshot(self, path=None):
        """The picture's rows of (red, green, blue)."""
        data = base64.b64decode(self.send("Page.captureScreenshot", format="png")["data"])
        if path:
            with open(path, "wb") as file:
                file.write(data)
        return pixels(data)


def pixels(png):
    """Decodes a PNG of 8-bit RGB or RGBA that is not interlaced, as Chromium makes them."""
    at, packed = 8, b""
    while at < len(png):
        length, kind = int.from_bytes(png[at:at + 4], "big"), png[at + 4:at + 8]
        content = png[at + 8:at + 8 + length]
        if kind == b"IHDR":
            width, height = (int.from_bytes(content[i:i + 4], "big") for i in (0, 4))
            samples = {2: 3, 6: 4}[content[9]]
        elif kind == b"IDAT":
            packed += content
        at += length + 12
    raw, stride = zlib.decompress(packed), width * samples
    rows, before = [], bytearray(stride)
    for y in range(height):
        start = y * (stride + 1)
        row = unfilter(raw[start], bytearray(raw[start + 1:start + 1 + stride]), before, samples)
        rows.append([tuple(row[x:x + 3]) for x in range(0, stride, samples)])
        before = row
    return rows


def unfilter(how, row, above, samples):
    if how == 0:
        return row
    for i in range(len(row)):
        left = row[i - samples] if i >= samples else 0
        corner = above[i - samples] if i >= samples else 0
        up = above[i]
        if how == 1:
            guess = left
        elif how == 2:
            guess = up
        elif how == 3:
            guess = (left + up) // 2
        else:
            estimate = left + up - corner
            guess = min((left, up, corner), key=lambda value: abs(estimate - value))
        row[i] = (row[i] + guess) & 255
    return row
