# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A terminal for tests: runs a program in it, keeps what its screen shows, and types keys. The
module supports the control sequences that ncurses writes for TERM=xterm."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time

SEQUENCE = re.compile(rb"\x1b\[([?>]?)([0-9;]*)([@-~])|\x1b[()].|\x1b[=>78M]|\x1b\][^\a]*\a")


class Terminal:
    def __init__(self, *command, rows=24, columns=80, **environment):
        self.resize_model(rows, columns)
        self.stream = self.pending = b""
        self.code = None
        self.other = False  # the alternate screen is shown
        self.process, self.file = pty.fork()
        if self.process == 0:
            environment = {"TERM": "xterm", "LC_ALL": "C.UTF-8", **environment}
            os.environ.pop("NO_COLOR", None)
            os.environ.update(environment)
            # The size must be set before the program reads it.
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
            os.execvp(command[0], command)
        self.before = None

    def resize_model(self, rows, columns):
        self.rows, self.columns = rows, columns
        self.cells = [[" "] * columns for _ in range(rows)]
        self.row = self.column = 0
        self.top, self.bottom = 0, rows - 1  # what scrolls

    # --- what the program writes ---

    def put(self, text):
        for char in text:
            if char == "\r":
                self.column = 0
            elif char == "\n" and self.row == self.bottom:
                self.scroll(self.top, 1)
            elif char == "\n":
                self.row = min(self.row + 1, self.rows - 1)
            elif char == "\b":
                self.column = max(self.column - 1, 0)
            elif char >= " ":
                if self.column >= self.columns:
                    self.column, self.row = 0, min(self.row + 1, self.rows - 1)
                self.cells[self.row][self.column] = self.last = char
                self.column += 1

    def scroll(self, top, lines):
        """Moves the lines from `top` to the bottom up, or down if `lines` is negative."""
        for _ in range(abs(lines)):
            del self.cells[top if lines > 0 else self.bottom]
            self.cells.insert(self.bottom if lines > 0 else top, [" "] * self.columns)

    def erase(self, row, begin, end):
        for column in range(begin, min(end, self.columns)):
            self.cells[row][column] = " "

    def obey(self, private, numbers, kind):
        given = [int(n or 0) for n in numbers.split(";")]
        first, count = given[0], max(given[0], 1)
        row = self.cells[self.row]
        if private:
            if first == 1049:
                self.other = kind == "h"
        elif kind == "H":
            self.row = min(count, self.rows) - 1
            self.column = (max(given[1], 1) if len(given) > 1 else 1) - 1
        elif kind == "d":
            self.row = min(count, self.rows) - 1
        elif kind == "G":
            self.column = count - 1
        elif kind in "AB":
            self.row = max(0, min(self.rows - 1, self.row + (count if kind == "B" else -count)))
        elif kind in "CD":
            self.column = max(0, self.column + (count if kind == "C" else -count))
        elif kind == "K":
            self.erase(self.row, *((self.column, self.columns), (0, self.column + 1), (0, self.columns))[first])
        elif kind == "X":
            self.erase(self.row, self.column, self.column + count)
        elif kind == "J":
            self.erase(self.row, self.column if first == 0 else 0, self.columns)
            for other in range(self.row + 1 if first == 0 else 0, self.rows):
                self.erase(other, 0, self.columns)
        elif kind == "P":
            row[self.column:] = row[self.column + count:] + [" "] * min(count, self.columns - self.column)
        elif kind == "@":
            row[self.column:] = ([" "] * count + row[self.column:])[:self.columns - self.column]
        elif kind in "LM":
            self.scroll(self.row, count if kind == "M" else -count)
        elif kind in "ST":
            self.scroll(self.top, count if kind == "S" else -count)
        elif kind == "r":
            self.top = count - 1
            self.bottom = (given[1] if len(given) > 1 and given[1] else self.rows) - 1
            self.row = self.column = 0
        elif kind == "b":
            self.put(self.last * count)
        elif kind not in "mhltn":
            sys.exit(f"the terminal does not know CSI {numbers} {kind}")

    def take(self, data):
        self.stream += data
        data = self.pending + data
        # A partly received sequence or character waits for the rest.
        cut = re.search(rb"\x1b(\[[?>]?[0-9;]*|[()]?)?$|[\xc0-\xff][\x80-\xbf]*$", data)
        end = cut.start() if cut and not self.whole(data[cut.start():]) else len(data)
        self.pending, data = data[end:], data[:end]
        at = 0
        for match in SEQUENCE.finditer(data):
            self.put(data[at:match.start()].decode())
            at = match.end()
            if match[0] == b"\x1bM":
                if self.row == self.top:
                    self.scroll(self.top, -1)
                else:
                    self.row = max(0, self.row - 1)
            if match[3]:
                self.obey(match[1].decode(), match[2].decode(), match[3].decode())
        self.put(data[at:].decode())

    @staticmethod
    def whole(rest):
        try:
            return not rest.startswith(b"\x1b") and bool(rest.decode())
        except UnicodeDecodeError:
            return False

    def read(self, seconds=0.05):
        """Returns False if the program has closed the terminal."""
        if not select.select([self.file], [], [], seconds)[0]:
            return True
        try:
            data = os.read(self.file, 65536)
        except OSError:
            return False
        self.take(data)
        return bool(data)

    # --- what a test does ---

    def lines(self):
        return ["".join(row).rstrip() for row in self.cells]

    def wait(self, condition, what, seconds=30):
        """Waits until `condition`, a text on the screen or a function of its lines, holds."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            lines = self.lines()
            value = condition(lines) if callable(condition) else condition in "\n".join(lines)
            if value:
                return value
            if not self.read():
                break
        sys.exit(f"{what}: never. The screen:\n" + "\n".join(self.lines()))

    def type(self, keys):
        os.write(self.file, keys.encode())

    def resize(self, rows, columns):
        self.resize_model(rows, columns)
        fcntl.ioctl(self.file, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def mode(self):
        """The terminal's settings, as far as a program changes them."""
        found = termios.tcgetattr(self.file)
        return found[:4] + [found[6]]

    def end(self, number=None):
        """Waits for the program's end, after a signal if one is given. Returns its exit code;
        that of a signal is negative."""
        if number:
            os.kill(self.process, number)
        limit = time.monotonic() + 60
        while self.read(1):
            if time.monotonic() > limit:
                os.kill(self.process, signal.SIGKILL)
                sys.exit("the program never ends. The screen:\n" + "\n".join(self.lines()))
        status = os.waitpid(self.process, 0)[1]
        self.code = os.waitstatus_to_exitcode(status)
        return self.code
