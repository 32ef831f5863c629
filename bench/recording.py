# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures how fast `tpctl report` reads: report_ns_per_event, report_events_per_s.

The recording has one thread that calls 200 functions, up to 12 deep, at random. So half of
the branches on what comes next are mispredicted, which real programs do not reach. The
time is that of one processor, with the kernel's, and with starting the program.
"""

import os
import statistics
import subprocess

from toolchain import sized

EVENTS = sized(20_000_000, 20_000)


def cpu_seconds(command):
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise RuntimeError(f"{command[0]} ended with {child.returncode}")
    return usage.ru_utime + usage.ru_stime


def measure(tools, tpctl, make_trace, rounds):
    path = tools.path("recording", "events.tp")
    tools.call([make_trace, "--bench", str(EVENTS), "1", path])
    # The first run brings the file into the page cache.
    times = [cpu_seconds([tpctl, "report", "-j", "1", path]) for _ in range(rounds + 1)][1:]
    os.remove(path)
    seconds = statistics.median(times)
    return {"report_ns_per_event": seconds / EVENTS * 1e9, "report_events_per_s": EVENTS / seconds}
