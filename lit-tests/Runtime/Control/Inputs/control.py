# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A tool's side of the control, for tests: starts programs, sends requests
(tprt/control_wire.h), and parses answers. This module does not use tpctl."""

import os
import socket
import struct
import subprocess
import sys
import time

(HELLO, LIST, ATTACH, DETACH, GROUPS, COUNTS, TIMES, RECORD, SNAPSHOT, FIGURES, GO, DETACH_SITES,
 ROWS) = range(1, 14)
ENTRIES, FUNCTIONS, EVERYTHING = 1, 7, 15
AWAIT, KEEP, PROFILERS = 2, 1, 32
COUNT, TIME, PRINT, SKIP, AGGREGATE = range(5)
VERSION = 3  # TPRT_CONTROL_VERSION
HEAD = struct.Struct("<IHHIi")
SITE = struct.Struct("<QQQIBBBBIIIIIIBB22s")
READ = struct.Struct("<IIIIQQQ")
ROW = struct.Struct("<IiQQQQQIIII")
KEYED_ROW = struct.Struct("<QqqqQQQIIIHH")


def start(program, *arguments, options="control=1", wait=True, **more):
    """Starts a program with the control on, and with a pipe as standard output.
    If LIBTPRT names a runtime, preloads it. Waits until the socket exists."""
    environment = dict(os.environ, TPRT_OPTIONS=options, **more.pop("environment", {}))
    if "LIBTPRT" in os.environ:
        environment["LD_PRELOAD"] = os.environ["LIBTPRT"]
    process = subprocess.Popen([program, *arguments], env=environment, stdout=subprocess.PIPE,
                               stdin=subprocess.PIPE, text=True, **more)
    if wait:
        wait_for(lambda: sockets(process.pid), "a socket of the control")
    return process


def threads(pid):
    found = {}
    for task in os.listdir(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{task}/comm") as name:
                found[name.read().strip()] = int(task)
        except OSError:
            pass  # a thread that has ended meanwhile
    return found


def sockets(pid):
    """The paths of the sockets on which the control's thread listens."""
    task = threads(pid).get("tprt-control")
    if not task:
        return []
    folder = f"/proc/{pid}/task/{task}/fd"
    numbers = set()
    for name in os.listdir(folder):
        try:
            numbers.add(os.readlink(f"{folder}/{name}")[8:-1])
        except FileNotFoundError:
            pass  # a connection that has ended meanwhile
    with open(f"/proc/{pid}/task/{task}/net/unix") as table:
        rows = [row.split() for row in table]
    return [row[7] for row in rows if len(row) > 7 and row[6] in numbers and row[3] == "00010000"]


def wait_for(condition, what, seconds=20):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.01)
    sys.exit(f"{what}: never in {seconds} s")


class Tool:
    """One connection. Fails the test if an answer is not as expected."""

    def __init__(self, pid, greet=True, flags=0):
        path = wait_for(lambda: sockets(pid), "a socket of the control")[0]
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        # The control takes a bounded number of connections a second.
        self.socket.connect(path)
        self.socket.settimeout(20)
        self.number = 0
        if greet:
            self.ask(HELLO, struct.pack("<II", VERSION, flags))

    def send(self, kind, body=b""):
        self.number += 1
        self.socket.send(HEAD.pack(HEAD.size + len(body), VERSION, kind, self.number, 0) + body)

    def receive(self):
        answer = self.socket.recv(1 << 17)
        if not answer:
            sys.exit("the control has closed the connection")
        size, version, kind, number, status = HEAD.unpack_from(answer)
        if (size, version, number) != (len(answer), VERSION, self.number):
            sys.exit(f"a wrong head: {size} {version} {number}")
        return status, answer[HEAD.size:]

    def tell(self, kind, body=b""):
        """Returns the status, and the body."""
        self.send(kind, body)
        return self.receive()

    def ask(self, kind, body=b""):
        status, answer = self.tell(kind, body)
        if status not in (0, 3):
            sys.exit(f"request {kind}: status {status}: {answer.decode()}")
        return answer

    def names(self, *patterns, kinds=EVERYTHING):
        """The names of all sites, from all pages."""
        found, start = [], 0
        while True:
            answer = self.ask(LIST, selection(*patterns, kinds=kinds,
                                              middle=struct.pack("<II", start, 0)))
            total, rows, start, _ = struct.unpack_from("<IIII", answer)
            strings = answer[16 + SITE.size * rows:]
            for row in range(rows):
                values = SITE.unpack_from(answer, 16 + SITE.size * row)
                site, kind, state, name = values[3], values[4], values[6], values[8]
                found.append((strings[name:strings.index(0, name)].decode(), kind, state, site))
            if not start:
                return found

    def attach(self, *patterns, action=COUNT, flags=0, group=0, kinds=ENTRIES, program=b"", select=0):
        answer = self.ask(ATTACH, attachment(*patterns, action=action, flags=flags, group=group,
                                             kinds=kinds, program=program, select=select))
        return struct.unpack_from("<IIII", answer)  # group, matched, enabled, refused

    def counts(self, group):
        """The hits by site number."""
        found, start = {}, 0
        while True:
            answer = self.ask(COUNTS, struct.pack("<IIII", group, 0, start, 0))
            rows, self.flags, start = struct.unpack_from("<III", answer)
            for row in range(rows):
                site, _, count = struct.unpack_from("<IiQ", answer, READ.size + 16 * row)
                found[site] = count
            if not self.flags & 1:
                return found

    def times(self, group, detail=0):
        """For each site and thread: calls, total, self, longest, unplaced, cut, open, flags, buckets."""
        found, more, place = {}, 1, (0, 0)
        while more:
            answer = self.ask(TIMES, struct.pack("<IIII", group, detail, *place))
            rows, more, *place = READ.unpack_from(answer)[:4]
            more &= 1
            at = READ.size
            for _ in range(rows):
                row = ROW.unpack_from(answer, at)
                at += ROW.size
                words = struct.unpack_from(f"<{row[-1]}Q", answer, at)
                at += 8 * row[-1]
                found[row[:2]] = row[2:-1] + ({w >> 48: w & (1 << 48) - 1 for w in words},)
        return found

    def rows(self, group, detail=0):
        """For each row, in order: keys (bytes), hits, sum, least, greatest, unknown, negative,
        unplaced, flags, buckets. `self.pages` is the number of pages, `self.lost` and
        `self.unread` are the hits that are in no row, `self.left` the calls that were left."""
        found, more, place, self.pages = [], 1, (0, 0), 0
        while more:
            answer = self.ask(ROWS, struct.pack("<IIII", group, detail, *place))
            rows, more, *place = READ.unpack_from(answer)[:4]
            more &= 1
            self.pages += 1
            self.lost, self.unread, self.left = struct.unpack_from("<QQQ", answer, READ.size - 8)
            at = READ.size + 16
            for _ in range(rows):
                *row, size, buckets = KEYED_ROW.unpack_from(answer, at)
                at += KEYED_ROW.size
                keys = answer[at:at + size]
                at += (size + 7) // 8 * 8
                words = struct.unpack_from(f"<{buckets}Q", answer, at)
                at += 8 * buckets
                found.append((keys, *row, {w >> 48: w & (1 << 48) - 1 for w in words}))
        return found

    def enabled(self):
        return struct.unpack_from("<3Q", self.ask(FIGURES))[2]

    def groups(self):
        answer = self.ask(GROUPS)
        count, _ = struct.unpack_from("<II", answer)
        texts = answer[8 + 40 * count:].split(b"\0")
        return [struct.unpack_from("<IIIiIIQQ", answer, 8 + 40 * i) + (texts[i].decode(),)
                for i in range(count)]


def attachment(*patterns, action=COUNT, flags=0, group=0, kinds=ENTRIES, program=b"", size=None, select=0):
    """The body of ATTACH. `size`: a length of the program that is not the true one."""
    size = len(program) if size is None else size
    middle = struct.pack("<IIII", group, action, flags, size)
    return selection(*patterns, kinds=kinds, middle=middle, select=select) + program


def program(*operations, text=b"", flags=0, keys=0):
    """A program (tprt/control_program.h) of operations (code, to, a, b, number)."""
    return struct.pack("<IIII", len(operations), len(text), flags, keys) + b"".join(
        struct.pack("<BBBBi", *operation) for operation in operations) + text


def selection(*patterns, kinds, middle, select=0):
    return (struct.pack("<IIII", len(patterns), 0, kinds, AWAIT | select) + middle +
            b"".join(pattern.encode() + b"\0" for pattern in patterns))
