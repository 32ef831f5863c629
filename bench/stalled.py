# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures what tools that misbehave cost the program whose control they are connected to:
one that was stopped, one that never reads, one that asks without a pause, and one that
connects again and again to send garbage: control_stalled_ratio."""

import os
import re
import signal
import statistics
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "..", "lit-tests", "Runtime", "Control", "Inputs"))
import control  # noqa: E402

from toolchain import sized

ROUNDS = sized(5, 1)
PASSES = sized("60", "2")  # of src/budget.c: some seconds


def start(tools, program):
    return subprocess.Popen(["taskset", "-c", str(tools.cpu), program, "server", PASSES], text=True,
                            stdout=subprocess.PIPE, env={**os.environ, "TPRT_OPTIONS": "control=1"})


def seconds(process):
    return float(re.search(r"cpu_s (\S+)", process.communicate()[0])[1])


def ask_on(pid, ended):
    try:
        tool = control.Tool(pid)
        while not ended.is_set():
            tool.ask(control.FIGURES)
    except (OSError, SystemExit):
        pass  # the program has ended


def never_read(pid, ended):
    try:
        tool = control.Tool(pid)
        while not ended.is_set():
            tool.send(control.FIGURES)
    except (OSError, SystemExit):
        ended.wait()


def send_garbage(pid, ended):
    while not ended.is_set():
        try:
            tool = control.Tool(pid, greet=False)
            tool.socket.send(b"GET / HTTP/1.1")
            tool.socket.close()
        except (OSError, SystemExit):
            pass


def bother(pid, tpctl, ended):
    """Starts the tools, and returns the one that is a process, stopped."""
    stopped = subprocess.Popen([tpctl, "top", "--batch", "-o", os.devnull, "-p", str(pid)],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(0.3)
    stopped.send_signal(signal.SIGSTOP)
    for each in (ask_on, never_read, send_garbage):
        threading.Thread(target=each, args=(pid, ended), daemon=True).start()
    return stopped


def measure(tools, tpctl):
    path = tools.path("stalled", "budget")
    program = tools.link([tools.compile("budget.c", f"{path}.o", "tp_exit")], path, "tp_exit", ["tprt"])
    others = os.sched_getaffinity(0) - {tools.cpu}
    ratios = []
    for _ in range(ROUNDS):
        alone = seconds(start(tools, program))
        process, ended = start(tools, program), threading.Event()
        before = os.sched_getaffinity(0)
        os.sched_setaffinity(0, others or before)
        time.sleep(0.2)
        stopped = bother(process.pid, tpctl, ended)
        ratios.append(seconds(process) / alone)
        ended.set()
        stopped.kill()
        stopped.wait()
        os.sched_setaffinity(0, before)
    return {"control_stalled_ratio": statistics.median(ratios)}
