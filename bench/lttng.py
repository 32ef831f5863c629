# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures LTTng-UST's tracepoint with two integers, next to points: lttng_off_ns and
lttng_record_ns. It needs liblttng-ust-dev and lttng-tools, and a session daemon: one is
started for the time of the measurement, unless one runs already.

The session is a flight recorder in memory (`--snapshot`), so nothing is written to a disk.
"""

import os
import shutil
import subprocess
import time

from toolchain import BenchError, mean_of, sized

PROCESSES = sized(9, 1)
SESSION = "tp-bench"


def build(tools):
    """The program, or None if it cannot be built here."""
    try:
        objects = [tools.compile("points/lttng.c", tools.path("points", "lttng.o")),
                   tools.compile("hit_loop.c", tools.path("points", "loop.o"))]
        return tools.link(objects, tools.path("points", "lttng"),
                          libraries=["-llttng-ust", "-ldl"])
    except BenchError:
        return None


def ask(*words):
    """Whether a command of lttng worked."""
    return subprocess.run(["lttng", "--no-sessiond", *words], capture_output=True).returncode == 0


def start_daemon():
    """Starts a session daemon. Returns its process, or None if one runs already."""
    if ask("list"):
        return None
    daemon = subprocess.Popen(["lttng-sessiond", "--no-kernel"], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL)
    for _ in range(50):
        if ask("list"):
            break
        time.sleep(0.1)
    return daemon


def record(tools, program):
    """The figures while a session records the tracepoint, or None."""
    if not (ask("create", SESSION, "--snapshot", "--output", tools.path("points", "snapshots"))
            and ask("enable-event", "--userspace", "tp_bench:*") and ask("start", SESSION)):
        return None
    try:
        return [tools.run_numbers([program]) for _ in range(PROCESSES)]
    finally:
        ask("destroy", SESSION)


def measure(tools):
    """The figures, or none of them, and then a remark."""
    program = build(tools) if shutil.which("lttng-sessiond") else None
    if not program:
        return {}, ["LTTng-UST is not installed (liblttng-ust-dev, lttng-tools): not measured"]
    os.environ["LTTNG_HOME"] = tools.path("points")
    # Before its main(), a program waits for the session daemon for as long as
    # necessary.
    os.environ["LTTNG_UST_REGISTER_TIMEOUT"] = "-1"
    daemon = start_daemon()
    try:
        results = mean_of([tools.run_numbers([program]) for _ in range(PROCESSES)])
        recorded = record(tools, program)
    finally:
        if daemon:
            daemon.terminate()
            daemon.wait()
    if not recorded or "lttng_record_ns" not in recorded[0]:
        return results, ["LTTng's session daemon does not work here: no lttng_record_ns"]
    return {**results, **mean_of(recorded)}, []
