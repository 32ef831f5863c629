#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""live.py TPCTL LUA: looks at a Lua interpreter with sleds while it runs, by each of tpctl's verbs, and
compares with what the script does. Lua was started without libtprt, which is loaded into it where that
can be done; otherwise it is preloaded. Exits with 1 if something differs."""

import csv
import io
import json
import os
import re
import signal
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../../lit-tests/Inputs"))
from injection import may_inject

tpctl, lua = (os.path.abspath(path) for path in sys.argv[1:3])
runtime = os.path.join(os.path.dirname(tpctl), "..", "lib", "libtprt.so")
# Each line is run as a chunk: string.rep is the function str_rep of lstrlib.c.
LOOP = "io.stdout:setvbuf('line') print('ready') for line in io.lines() do load(line)() print('done') end"
failures = 0


class Lua:
    def __init__(self):
        environment = dict(os.environ)
        if not may_inject():
            environment |= {"LD_PRELOAD": runtime, "TPRT_OPTIONS": "control=1"}
        self.process = subprocess.Popen([lua, "-e", LOOP], env=environment, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        self.line()

    def line(self):
        return self.process.stdout.readline().strip()

    def begin(self, chunk):
        self.process.stdin.write(chunk + "\n")
        self.process.stdin.flush()

    def run(self, chunk):
        """What the chunk prints."""
        self.begin(chunk)
        lines = []
        while (line := self.line()) != "done":
            lines.append(line)
        return lines

    def end(self):
        self.process.stdin.close()
        return self.process.wait(60)


def run(*arguments, **more):
    return subprocess.run([tpctl, *map(str, arguments)], capture_output=True, text=True, timeout=120, **more)


def begin(*arguments):
    return subprocess.Popen([tpctl, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def await_sites(pid, wanted):
    """Until so many sites are on, at least; 0: none."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        found = re.search(r"modules?, ([\d,]+) on", run("status", "-p", pid).stdout)
        enabled = int(found[1].replace(",", "")) if found else -1
        if enabled == 0 if wanted == 0 else enabled >= wanted:
            return
        time.sleep(0.01)
    sys.exit(f"live: {wanted} sites were never on in process {pid}")


def check(what, good, details=""):
    global failures
    failures += not good
    print(f"live: {what}: {'ok' if good else f'FAILED: {details}'}", flush=True)


def code_of(pid):
    """The executable segment in memory and in the file. What no thread executes once a sled is off keeps
    what was there: four bytes after a return, and five before a function (docs/reference/table-abi.md)."""
    with open(lua, "rb") as file:
        data = file.read()
    start, = struct.unpack_from("<Q", data, 32)
    size, count = struct.unpack_from("<HH", data, 54)
    for i in range(count):
        kind, flags, offset, address, _, length = struct.unpack_from("<IIQQQQ", data, start + i * size)
        if kind == 1 and flags & 1:
            break
    with open(f"/proc/{pid}/maps") as maps:
        base = min(int(line.split("-")[0], 16) for line in maps if line.rstrip().endswith(lua))
    if struct.unpack_from("<H", data, 16)[0] == 2:  # ET_EXEC
        base = 0
    with open(f"/proc/{pid}/mem", "rb", 0) as memory:
        memory.seek(base + address)
        now = memory.read(length)
    file = bytearray(data[offset:offset + length])
    for first, dead in ((b"\xc3", 4), (b"", 5)):
        at = file.find(first + b"\xcc" * dead)
        while at >= 0:
            place = at + len(first)
            if now[at] == (first[0] if first else 0xE9):
                file[place:place + dead] = now[place:place + dead]
            at = file.find(first + b"\xcc" * dead, at + 1)
    return now, bytes(file)


def on_and_off():
    one = Lua()
    pid = one.process.pid
    done = run("on", "-p", pid, "str_rep")
    now, file = code_of(pid)
    changed = now != file
    one.run("for i = 1, 5000 do string.rep('x', 3) end")
    hits = re.search(r"count\s+\d+\s+([\d,]+)", run("status", "-p", pid).stdout)
    run("off", "-p", pid, "str_rep")
    now, file = code_of(pid)
    check("a function is turned on and off, and the code is the file's again",
          changed and hits and hits[1] == "5,000" and now == file and one.end() == 0,
          f"{done} {changed} {hits} {now == file}")


def counts():
    one = Lua()
    pid = one.process.pid
    count = begin("count", "-p", pid, "--format=csv", "str_rep", "str_upper")
    await_sites(pid, 2)
    top = begin("top", "--batch", "-p", pid, "--format=csv", "--budget", "none", "str_rep", "str_upper")
    await_sites(pid, 4)
    one.run("for i = 1, 123456 do string.rep('x', 3) end for i = 1, 789 do string.upper('x') end")
    code = one.end()
    wanted = {"str_rep": 123456, "str_upper": 789}
    rows = {row["function"]: int(row.get("hits") or row.get("calls") or row["count"])
            for row in csv.DictReader(io.StringIO(count.communicate(timeout=60)[0]))}
    check("count agrees to the call", rows == wanted and code == 0, rows)
    last, head = {}, []
    for line in csv.reader(io.StringIO(top.communicate(timeout=60)[0])):
        if "function" in line:
            head = line
        elif len(line) == len(head):
            row = dict(zip(head, line))
            last[row["function"]] = max(last.get(row["function"], 0), int(row["calls"]))
    check("top agrees to the call", last == wanted, last)


def times():
    one = Lua()
    pid = one.process.pid
    hist = begin("hist", "-p", pid, "--format=json", "--by", "function", "--budget", "none", "luaB_pcall")
    await_sites(pid, 2)
    # pcall calls itself. The inner calls do not add to the sum.
    chunk = ("local function f(n) if n > 0 then pcall(f, n - 1) end end local t = os.clock() "
             "pcall(function() local s = os.time() while os.clock() - t < 1 do f(20) end end) "
             "print(os.clock() - t)")
    before = time.monotonic()
    cpu = float(one.run(chunk)[0])
    wall = time.monotonic() - before
    one.end()
    rows = json.loads(hist.communicate(timeout=60)[0])
    total = rows[0]["total_ns"] / 1e9 if rows else 0
    # The call took at least its processor time and at most the time that this
    # script measured.
    check("hist's sum is the time of the outermost call, recursion included",
          cpu * 0.99 <= total <= wall * 1.01, f"{cpu} <= {total} <= {wall}")


def killed_in_a_call():
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "lua.tp")
        one = Lua()
        pid = one.process.pid
        record = begin("record", "-p", pid, "-o", file, "luaB_pcall", "str_rep")
        await_sites(pid, 4)
        one.run("for i = 1, 1000 do string.rep('x', 3) end")
        one.begin("pcall(function() for i = 1, 77 do string.rep('x', 3) end print('inside') while true do end end)")
        one.line()
        one.process.kill()
        one.process.wait()
        record.communicate(timeout=60)
        report = run("report", "--format=csv", file)
        rows = {row["function"]: int(row["calls"]) for row in csv.DictReader(io.StringIO(report.stdout))}
        check("a recording of a killed process has all calls, and the open one",
              rows == {"str_rep": 1077, "luaB_pcall": 1} and "still open" in report.stderr, f"{rows} {report.stderr}")


def traced():
    one = Lua()
    trace = begin("trace", "-p", one.process.pid, "--min", "1s", "str_rep")
    await_sites(one.process.pid, 2)
    one.run("for i = 1, 14022 do string.rep('x', 3) end")
    one.end()
    out, said = trace.communicate(timeout=60)
    check("trace writes nothing, and says how many calls there were",
          out == "" and "14,022 calls, none \u2265 1 s" in said, out + said)


def killed_tool():
    one = Lua()
    pid = one.process.pid
    tools = [begin("count", "-p", pid), begin("hist", "-p", pid, "str_*"), begin("trace", "-p", pid, "str_*")]
    await_sites(pid, 100)
    for tool in tools:
        tool.send_signal(signal.SIGKILL)
        tool.wait()
    await_sites(pid, 0)
    now, file = code_of(pid)
    others = [i for i in range(len(now)) if now[i] != file[i]]
    check("when tools are killed everything goes off", not others and one.end() == 0,
          [(hex(i), file[i:i + 8].hex(), now[i:i + 8].hex()) for i in others[:5]])


if os.uname().sysname != "Linux" or not os.path.exists(tpctl):
    sys.exit(77)
for test in (on_and_off, counts, times, killed_in_a_call, traced, killed_tool):
    test()
sys.exit(failures != 0)
