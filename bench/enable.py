# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures how long tpctl takes to turn on the 100,000 functions of a program that runs,
from the command's start to its end, and for how long that holds up a thread of the program:
enable_100k_ms, enable_pause_us."""

import concurrent.futures
import os
import statistics
import subprocess
import time

import flip

from toolchain import sized

ROUNDS = sized(9, 1)


def build(tools):
    parts = [(source, source[:-1] + "enable.o") for source in flip.generate(tools)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda part: tools.compile(*part, "tp", ["-O1"]), parts))
    objects = [object for _, object in parts]
    handler = tools.compile("hit_handler.c", tools.path("flip", "handler.o"))
    return [tools.link([tools.compile(source, tools.path("flip", f"{name}-main.o")), *more, *objects],
                       tools.path("flip", name), "tp", ["tprt"])
            for name, source, more in (("enable", "enable.c", []), ("bare", "flip.c", [handler]))]


def keep_apart(process, cpu):
    """Keeps all threads but the one that calls on this CPU. That one keeps to another."""
    for thread in map(int, os.listdir(f"/proc/{process.pid}/task")):
        if os.sched_getaffinity(thread) != {max(os.sched_getaffinity(0))}:
            os.sched_setaffinity(thread, {cpu})


def enable(tools, program, tpctl):
    first = min(os.sched_getaffinity(0))
    with subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                          env={**os.environ, "TPRT_OPTIONS": "control=1"}) as running:
        def longest():
            running.stdin.write("\n")
            running.stdin.flush()
            return float(running.stdout.readline())

        longest()
        time.sleep(0.2)
        keep_apart(running, first)
        longest()
        time.sleep(0.1)
        idle = longest()
        start = time.monotonic()
        tools.call(["taskset", "-c", str(first), tpctl, "on", "f_*", "-p", str(running.pid)])
        seconds = time.monotonic() - start
        pause = longest()
        running.stdin.close()
    return seconds * 1e3, pause, idle


def measure(tools, tpctl):
    program, bare = build(tools)
    times, pauses, idle, flips = [], [], [], []
    for _ in range(ROUNDS):
        taken, pause, before = enable(tools, program, tpctl)
        times.append(taken)
        pauses.append(pause)
        idle.append(before)
        flips.append(tools.run_numbers([bare, "all"])["first"])
    return {"enable_100k_ms": statistics.median(times), "enable_pause_us": statistics.median(pauses),
            "enable_bare_ms": statistics.median(flips), "enable_idle_pause_us": statistics.median(idle)}
