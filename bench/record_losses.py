# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts what recordings lose: record_lost, of two threads at full rate in mode `all`, and
kill_lost_events, of threads whose program is killed at a random moment. Both compare the
events in the file, as tpctl counts them, with what the program did."""

import json
import os
import random
import signal
import struct
import subprocess
import tempfile
import time

from toolchain import BenchError, sized

CALLS = sized(5_000_000, 20_000)  # of each of the two threads
KILL_RUNS = sized(100, 2)
THREADS = 2
COUNTS = struct.Struct("QQ48x")  # a thread's entries and exits, in src/record_kill.c


def report(tools, tpctl, path, *options):
    return json.loads(tools.call([tpctl, "report", "--format=json", *options, path]))


def build(tools, source):
    path = tools.path("record", source)
    objects = [tools.compile(f"{source}.c", f"{path}.o",
                             "tp_exit" if source == "record_kill" else "plain")]
    if source != "record_kill":
        objects.append(tools.compile("hit_target.c", f"{path}-target.o", "tp_exit"))
    return tools.link(objects, path, "tp_exit", ["tprt"])


def at_full_rate(tools, tpctl, folder):
    path = os.path.join(folder, "lost.tp")
    tools.run(["env", f"TPRT_OPTIONS=record={path}:hit_target,mode=all",
               build(tools, "record_lost"), str(CALLS)], pinned=False)
    found = report(tools, tpctl, path)
    os.remove(path)
    return {"record_lost": 2 * THREADS * CALLS - found["events"],
            "record_lost_counted": found["lost"]}


def run_and_kill(program, path, counts):
    """Returns, for each thread, how many entries and exits it had recorded at least."""
    for each in (path, counts):
        if os.path.exists(each):
            os.remove(each)
    with subprocess.Popen([program, counts], stdout=subprocess.PIPE,
                          env={**os.environ, "TPRT_OPTIONS": f"record={path}:kill_target"}) as process:
        process.stdout.readline()
        time.sleep(random.random() * 0.03)
        process.send_signal(signal.SIGKILL)
    with open(counts, "rb") as file:
        return list(COUNTS.iter_unpack(file.read()))


def killed(tools, tpctl, folder, runs):
    program = build(tools, "record_kill")
    path, counts = os.path.join(folder, "kill.tp"), os.path.join(folder, "counts")
    most = events = 0
    for _ in range(runs):
        happened = run_and_kill(program, path, counts)
        found = report(tools, tpctl, path, "--by=thread") if any(map(any, happened)) else {"functions": []}
        events += found.get("events", 0)
        for number, (entries, exits) in enumerate(happened):
            rows = [row for row in found["functions"] if f"kill-{number}" in row["group"]]
            most = max(most, entries + exits - sum(row["calls"] + row["whole"] for row in rows))
    if not events:
        raise BenchError("no run of record_kill recorded anything before it was killed")
    return {"kill_lost_events": most, "kill_runs": runs, "kill_events": events / runs}


def measure(tools, tpctl, runs=None):
    memory = "/dev/shm" if os.path.isdir("/dev/shm") else None
    runs = runs or int(os.environ.get("TP_KILL_RUNS", KILL_RUNS))
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        return {**at_full_rate(tools, tpctl, folder), **killed(tools, tpctl, folder, runs)}
