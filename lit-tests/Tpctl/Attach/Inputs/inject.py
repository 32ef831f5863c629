# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads libtprt into running processes, for tests. TPCTL is the path of tpctl."""

import os
import re
import subprocess
import sys
import time

TPCTL = os.environ["TPCTL"]
RUNS = int(os.environ.get("TP_INJECT_RUNS", "0"))


def start(*command, **more):
    """Starts a program that reports when it is ready."""
    program = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, **more)
    line = program.stdout.readline()
    if line != "ready\n":
        sys.exit(f"{command}: says {line!r}")
    return program


def tryToAttach(pid):
    """The exit status of tpctl attach, and what it prints. The limit ends
    a tool that hangs: on a busy machine an attach may take a minute."""
    done = subprocess.run([TPCTL, "attach", "-p", str(pid)], capture_output=True, text=True, timeout=240)
    return done.returncode, (done.stdout + done.stderr).strip()


def attach(pid, wanted=0):
    """The output of tpctl attach."""
    status, text = tryToAttach(pid)
    if status != wanted:
        sys.exit(f"tpctl attach: {status}: {text}")
    return text


def stopped(text):
    """The number of microseconds for which the thread was stopped."""
    return int(re.search(r"stopped for (\d+) us", text)[1])


def files(pid):
    found = {}
    for name in os.listdir(f"/proc/{pid}/fd"):
        try:
            found[int(name)] = os.readlink(f"/proc/{pid}/fd/{name}")
        except FileNotFoundError:
            pass
    return found


def threads(pid):
    found = []
    for task in os.listdir(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{task}/comm") as name:
                found.append(name.read().strip())
        except FileNotFoundError:
            pass
    return sorted(found)


def mappings(pid):
    """The rights, bytes and path of each mapping."""
    found = []
    with open(f"/proc/{pid}/maps") as lines:
        for line in lines:
            part = line.split(maxsplit=5)
            begin, end = (int(text, 16) for text in part[0].split("-"))
            found.append((part[1], end - begin, part[5].strip() if len(part) > 5 else ""))
    return found


def executable(pid):
    """Executable memory that is not from a file."""
    return [m for m in mappings(pid) if "x" in m[0] and not m[2]]


def changed(pid, path, most=1 << 32):
    """The functions of a file whose code in memory differs from the file. Padding may differ, even inside a
    function, as docs/explanation/code-probes.md says. At most `most` bytes of each function are compared."""
    with open(f"/proc/{pid}/maps") as lines:
        line = next(line for line in lines if " r-x" in line and line.rstrip().endswith(path))
    begin, end, offset = (int(text, 16) for text in re.match(r"(\w+)-(\w+) \S+ (\w+)", line).groups())
    # The segment's address, from which function addresses are computed, may differ from its file offset.
    headers = subprocess.run(["readelf", "-lW", path], capture_output=True, text=True, check=True).stdout
    place, address = next((int(a, 16), int(b, 16)) for a, b in re.findall(r"LOAD +(\w+) (\w+) .* R E ", headers))
    with open(f"/proc/{pid}/mem", "rb") as memory, open(path, "rb") as file:
        memory.seek(begin)
        file.seek(offset)
        here, there = memory.read(end - begin), file.read(end - begin)
    names = {}
    for option in ("-S", "-SD"):
        symbols = subprocess.run(["nm", option, path], capture_output=True, text=True).stdout
        for at, size, name in re.findall(r"(\w+) (\w+) [tTWi] (\S+)", symbols):
            names[name.partition("@")[0]] = int(at, 16) - address + place - offset, int(size, 16)
    return sorted(name for name, (at, size) in names.items()
                  if here[at:at + min(size, most)] != there[at:at + min(size, most)])
