#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a command in a pseudo-terminal and draws its screen as an SVG file.

usage: terminal-picture.py [--size COLUMNSxROWS] [--after SECONDS] [--keys TEXT] [--title TEXT] -o FILE -- COMMAND...

The picture is the screen SECONDS after the start. Then the keys of --keys are sent (q by default), and the command
has ten seconds to end. The picture of README.md is made like this, with Debian's redis under load:

  redis-server --port 7391 --save '' &
  redis-benchmark -p 7391 -t set,get,lpush,zadd -n 100000000 -l -q &
  scripts/terminal-picture.py --size 116x17 -o docs/images/top.svg -- \\
    tpctl top --code -p $(pidof redis-server) 'redis-*!*Command' 'redis-*!*ToClient' 'redis-*!*FromClient' \\
    'redis-*!lookup*' 'redis-*!handle*'

Only the control sequences that ncurses sends for TERM=xterm-256color are understood. Any other one is an error, so
that no picture shows a screen that was not there.
"""
import argparse
import fcntl
import html
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time
import unicodedata

BACKGROUND, FOREGROUND = "#16181d", "#d5d8de"
COLOURS = ["#3b3f47", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#d5d8de"]
WIDTH, HEIGHT, SIZE = 7.83, 18, 13  # of a cell and of the letters, in pixels
PLAIN = (None, None, False, False, False)  # foreground, background, bold, dim, reverse
SEQUENCE = re.compile(rb"\x1b(?:\[([?>=]?)([0-9;]*)([@-~])|[()][0-9A-B]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[=>78M])")


def colour(number):
    """The colour of one of xterm's 256 numbers."""
    if number < 16:
        return COLOURS[number % 8]
    if number >= 232:
        return "#" + f"{8 + (number - 232) * 10:02x}" * 3
    cube = [0 if part == 0 else 55 + part * 40 for part in
            ((number - 16) // 36, (number - 16) // 6 % 6, (number - 16) % 6)]
    return "#{:02x}{:02x}{:02x}".format(*cube)


class Screen:
    """A terminal's cells. Feed it what the command writes."""

    def __init__(self, columns, rows):
        self.columns, self.rows = columns, rows
        self.cells = [self.blank() for _ in range(rows)]
        self.row, self.column, self.style = 0, 0, PLAIN
        self.top, self.bottom = 0, rows - 1
        self.rest, self.last = b"", " "

    def blank(self):
        return [(" ", PLAIN)] * self.columns

    def put(self, letter):
        if self.column == self.columns:
            self.column = 0
            self.feed_line()
        self.cells[self.row][self.column] = (letter, self.style)
        self.column += 1
        self.last = letter

    def feed_line(self):
        if self.row == self.bottom:
            self.scroll(self.top, 1)
        else:
            self.row = min(self.row + 1, self.rows - 1)

    def scroll(self, top, count):
        """Moves the lines from top on up by count; down, if count is negative."""
        for _ in range(abs(count)):
            if count > 0:
                del self.cells[top]
                self.cells.insert(self.bottom, self.blank())
            else:
                del self.cells[self.bottom]
                self.cells.insert(top, self.blank())

    def feed(self, data):
        data, self.rest, at = self.rest + data, b"", 0
        while at < len(data):
            byte = data[at]
            if byte == 0x1B:
                match = SEQUENCE.match(data, at)
                if not match:
                    if len(data) - at > 64:
                        raise ValueError(f"unknown sequence {data[at:at + 16]!r}")
                    self.rest = data[at:]
                    return
                if match.group(3):
                    self.control(match.group(1), match.group(2).decode(), match.group(3).decode())
                elif match.group(0) == b"\x1bM":
                    if self.row == self.top:
                        self.scroll(self.top, -1)
                    else:
                        self.row -= 1
                at = match.end()
            elif byte < 0x20:
                if byte == 0x0A:
                    self.feed_line()
                elif byte == 0x0D:
                    self.column = 0
                elif byte == 0x08:
                    self.column = max(self.column - 1, 0)
                elif byte == 0x09:
                    self.column = min(self.column // 8 * 8 + 8, self.columns - 1)
                at += 1
            else:
                length = 1 if byte < 0x80 else 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
                if at + length > len(data):
                    self.rest = data[at:]
                    return
                letter = data[at:at + length].decode()
                if unicodedata.east_asian_width(letter) in "WF":
                    raise ValueError(f"a letter of two cells: {letter}")
                self.put(letter)
                at += length

    def control(self, private, text, kind):
        numbers = [int(number) if number else 0 for number in text.split(";")]
        first = max(numbers[0], 1)
        line = self.cells[self.row]
        if private or kind in "hltnc":
            return  # modes, and questions that nobody needs an answer to
        if kind == "m":
            self.letters(numbers)
        elif kind in "Hf":
            self.row = min(first, self.rows) - 1
            self.column = min(max(numbers[1] if len(numbers) > 1 else 1, 1), self.columns) - 1
        elif kind == "d":
            self.row = min(first, self.rows) - 1
        elif kind == "G":
            self.column = min(first, self.columns) - 1
        elif kind == "A":
            self.row = max(self.row - first, 0)
        elif kind == "B":
            self.row = min(self.row + first, self.rows - 1)
        elif kind == "C":
            self.column = min(self.column + first, self.columns - 1)
        elif kind == "D":
            self.column = max(self.column - first, 0)
        elif kind == "X":
            for column in range(self.column, min(self.column + first, self.columns)):
                line[column] = (" ", self.style)
        elif kind == "P":
            line[self.column:] = line[self.column + first:] + [(" ", PLAIN)] * min(first, self.columns - self.column)
        elif kind == "@":
            line[self.column:] = ([(" ", PLAIN)] * first + line[self.column:])[:self.columns - self.column]
        elif kind == "b":
            for _ in range(first):
                self.put(self.last)
        elif kind == "K":
            begin, end = {0: (self.column, self.columns), 1: (0, self.column + 1), 2: (0, self.columns)}[numbers[0]]
            for column in range(begin, min(end, self.columns)):
                line[column] = (" ", self.style)
        elif kind == "J":
            if numbers[0] == 0:
                line[self.column:] = [(" ", PLAIN)] * (self.columns - self.column)
            for row in range(self.row + 1 if numbers[0] == 0 else 0, self.rows if numbers[0] != 1 else self.row):
                self.cells[row] = self.blank()
        elif kind == "r":
            self.top = first - 1
            self.bottom = (numbers[1] if len(numbers) > 1 and numbers[1] else self.rows) - 1
            self.row = self.column = 0
        elif kind in "SM":
            self.scroll(self.top if kind == "S" else self.row, first)
        elif kind in "TL":
            self.scroll(self.top if kind == "T" else self.row, -first)
        else:
            raise ValueError(f"unknown sequence CSI {text}{kind}")

    def letters(self, numbers):
        front, back, bold, dim, reverse = self.style
        at = 0
        while at < len(numbers):
            number = numbers[at]
            if number == 0:
                front, back, bold, dim, reverse = PLAIN
            elif number in (1, 2):
                bold, dim = bold or number == 1, dim or number == 2
            elif number == 22:
                bold = dim = False
            elif number in (7, 27):
                reverse = number == 7
            elif 30 <= number <= 37 or 90 <= number <= 97:
                front = colour(number % 10)
            elif 40 <= number <= 47 or 100 <= number <= 107:
                back = colour(number % 10)
            elif number in (38, 48) and numbers[at + 1:at + 2] == [5]:
                if number == 38:
                    front = colour(numbers[at + 2])
                else:
                    back = colour(numbers[at + 2])
                at += 2
            elif number == 39:
                front = None
            elif number == 49:
                back = None
            at += 1
        self.style = (front, back, bold, dim, reverse)

    def svg(self, title):
        width, height = self.columns * WIDTH + 24, self.rows * HEIGHT + 24
        out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
               f'viewBox="0 0 {width:.0f} {height:.0f}" font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" '
               f'font-size="{SIZE}">', f"<title>{html.escape(title)}</title>",
               f'<rect width="100%" height="100%" rx="6" fill="{BACKGROUND}"/>']
        for row, line in enumerate(self.cells):
            column = 0
            while column < self.columns:
                style, begin = line[column][1], column
                while column < self.columns and line[column][1] == style:
                    column += 1
                text = "".join(letter for letter, _ in line[begin:column])
                front, back, bold, dim, reverse = style
                if reverse:
                    front, back = back or BACKGROUND, front or FOREGROUND
                x, y = 12 + begin * WIDTH, 12 + row * HEIGHT
                if back:
                    out.append(f'<rect x="{x:.1f}" y="{y}" width="{len(text) * WIDTH:.1f}" height="{HEIGHT}" fill="{back}"/>')
                # Each run of text between wide gaps is placed separately, so that no viewer's font moves the
                # columns.
                for word in re.finditer(r"\S+(?: \S+)*", text):
                    more = ' font-weight="bold"' * bold + ' opacity="0.6"' * dim
                    out.append(f'<text x="{x + word.start() * WIDTH:.1f}" y="{y + 13}" '
                               f'textLength="{len(word.group()) * WIDTH:.1f}" lengthAdjust="spacingAndGlyphs" '
                               f'xml:space="preserve" fill="{front or FOREGROUND}"{more}>{html.escape(word.group())}</text>')
        return "\n".join(out + ["</svg>"]) + "\n"


def watch(child, terminal, screen, seconds):
    """Feeds the screen for so long. False if the command has ended."""
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        if not select.select([terminal], [], [], left)[0]:
            continue
        try:
            data = os.read(terminal, 65536)
        except OSError:
            return False
        screen.feed(data)
    return True


def main():
    parser = argparse.ArgumentParser(usage=__doc__.splitlines()[2][len("usage: "):])
    parser.add_argument("--size", default="116x17")
    parser.add_argument("--after", type=float, default=8)
    parser.add_argument("--keys", default="q")
    parser.add_argument("--title")
    parser.add_argument("-o", dest="output", required=True)
    parser.add_argument("command", nargs="+")
    arguments = parser.parse_args()
    columns, rows = map(int, arguments.size.split("x"))
    screen = Screen(columns, rows)
    child, terminal = pty.fork()
    if child == 0:
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        os.environ.update(TERM="xterm-256color", LC_ALL="C.UTF-8", COLUMNS=str(columns), LINES=str(rows))
        os.execvp(arguments.command[0], arguments.command)
    if not watch(child, terminal, screen, arguments.after):
        text = "\n".join("".join(letter for letter, _ in line).rstrip() for line in screen.cells)
        sys.exit(f"the command ended before its picture was taken:\n{text}")
    picture = screen.svg(arguments.title or " ".join(arguments.command))
    os.write(terminal, arguments.keys.encode())
    if watch(child, terminal, Screen(columns, rows), 10):
        os.kill(child, signal.SIGTERM)
    os.waitpid(child, 0)
    with open(arguments.output, "w") as file:
        file.write(picture)


main()
