# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures tpctl count at 100,000 functions of which few are called: what a reading of what
has changed costs the program, read_100k_us; how long after the command's end tpctl ends,
count_end_s; and which share of the calls is missing at an orderly end, count_missing. The
functions are those of scale.S. Only on x86-64."""

import json
import os
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "..", "lit-tests", "Runtime", "Control", "Inputs"))
import control  # noqa: E402

from toolchain import BenchError, sized

FUNCTIONS = sized(100_000, 1000)
THREADS = sized(100, 2)
READINGS = sized(200, 3)
ROUNDS = sized(5, 1)
SECONDS = sized("2", "0.2")
PATTERN = "function_of_scale_*"
AWAIT_AT_END, HISTOGRAMS, CHANGED = 1, 2, 8  # tprt/control_wire.h
CALLED = 10  # functions of src/count.c


def build(tools):
    count = [f"-DCOUNT={FUNCTIONS}"]
    table = tools.compile("scale.S", tools.path("count", "scale.o"), flags=[*count, "-DNAMES"])
    main = tools.compile("count.c", tools.path("count", "main.o"), flags=count)
    return tools.link([main, table], tools.path("count", "count"), libraries=["tprt"])


def processor_seconds(pid):
    """The time that all threads of the process ran: clock_getcpuclockid(3)."""
    return time.clock_gettime(~pid << 3 | 2)


# The requests and flags that count and hist send.
COUNT = (control.COUNTS, {"action": control.COUNT}, CHANGED)
HIST = (control.TIMES, {"action": control.TIME, "kinds": control.FUNCTIONS}, CHANGED | HISTOGRAMS)


def reading(program, threads, what):
    """Microseconds of the process's CPU time in a reading: the median over READINGS."""
    request, attach, detail = what
    process = control.start(program, "wait", str(threads))
    tool = control.Tool(process.pid, flags=AWAIT_AT_END)
    group, _, enabled, _ = tool.attach(PATTERN, **attach)
    if enabled < FUNCTIONS:
        raise BenchError(f"{enabled} of {FUNCTIONS} functions are on")
    taken = []
    for _ in range(READINGS):
        process.stdin.write("\n")
        process.stdin.flush()
        process.stdout.readline()
        before = processor_seconds(process.pid)
        answer = tool.ask(request, control.struct.pack("<IIII", group, detail, 0, 0))
        taken.append(processor_seconds(process.pid) - before)
        rows = control.READ.unpack_from(answer)[0]
        if rows != CALLED:
            raise BenchError(f"a reading has {rows} rows of {CALLED}")
    tool.socket.close()
    process.stdin.close()
    process.wait()
    return statistics.median(taken) * 1e6


def end(tools, tpctl, program):
    """Seconds from the command's last statement to the end of tpctl; the share of missing calls."""
    table = tools.path("count", "table.json")
    done = subprocess.run([tpctl, "count", PATTERN, "--format=json", "-o", table, "--", program, "run", SECONDS],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    ended = time.monotonic()
    if done.returncode:
        raise BenchError(f"tpctl count failed: {done.stderr}")
    said = dict(line.split() for line in done.stdout.splitlines())
    with open(table) as file:
        hits = sum(row["hits"] for row in json.load(file)["functions"])
    return ended - float(said["ended"]), 1 - hits / int(said["calls"])


def measure(tools, tpctl):
    program = build(tools)
    ends = [end(tools, tpctl, program) for _ in range(ROUNDS)]
    return {"read_100k_us": reading(program, 1, COUNT), "read_100k_threads_us": reading(program, THREADS, COUNT),
            "read_times_100k_us": reading(program, 1, HIST),
            "count_end_s": statistics.median(each for each, _ in ends),
            "count_missing": max(missing for _, missing in ends)}
