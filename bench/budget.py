# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures what tpctl top costs the program that it looks at: budget_overhead, where tiny
functions are called 30 million times a second, and top_overhead, where a program handles
requests. Also measures whether its table is right: top_agrees."""

import json
import os
import re
import statistics

from toolchain import sized

# Passes of src/budget.c: about ten seconds each.
PASSES = sized({"tiny": 100, "server": 60, "busy": 60}, {"tiny": 1, "server": 1, "busy": 10})
ROUNDS = sized(5, 1)


def seconds(tools, command):
    """The CPU time of all threads of the program, which its output ends with."""
    return float(re.search(r"cpu_s (\S+)", tools.run(command))[1])


def shares(of):
    """The five functions with most self time, with their shares of their sum."""
    first = sorted(of.items(), key=lambda each: -each[1])[:5]
    total = sum(time for _, time in first)
    return {name: time / total for name, time in first}


def agreement(tools, tpctl, program, passes):
    """How far the self times of tpctl top are from those of a recording of the same work.
    1: the functions are others. The helpers' times belong to their callers in both: top
    turns the helpers off, and they are not recorded."""
    command = [program, "busy", str(passes)]
    recording = f"{program}.tpt"
    if os.path.exists(recording):
        os.remove(recording)
    tools.run([tpctl, "record", "-o", recording, "busy_*", "--", *command])
    report = json.loads(tools.run([tpctl, "report", "--format=json", recording], pinned=False))
    tools.run([tpctl, "top", "--batch", "--format=json", "-o", f"{program}.table", "busy_*", "helper_*", "--", *command])
    with open(f"{program}.table") as file:
        top = json.loads(file.read().strip().splitlines()[-1])
    true = shares({row["function"]: row["self_ns"] for row in report["functions"]})
    seen = shares({row["function"]: row["self_ns"] for row in top["functions"]})
    if set(true) != set(seen):
        return 1
    return max(abs(seen[name] / true[name] - 1) for name in true)


def measure(tools, tpctl, rounds=ROUNDS, passes=None):
    passes = passes or PASSES
    path = tools.path("budget", "budget")
    program = tools.link([tools.compile("budget.c", f"{path}.o", "tp_exit")], path, "tp_exit", ["tprt"])
    top = [tpctl, "top", "--batch", "-o", f"{path}.table", "--"]
    results = {}
    for kind, name in (("tiny", "budget_overhead"), ("server", "top_overhead")):
        command = [program, kind, str(passes[kind])]
        ratios = []
        for _ in range(rounds):
            plain = seconds(tools, command)
            ratios.append(seconds(tools, [*top, *command]) / plain)
        results[name] = statistics.median(ratios) - 1
        if kind == "tiny":
            results["budget_calls_per_s"] = passes[kind] * 3e6 / plain
            quarter = [program, kind, str(max(passes[kind] // 4, 1))]
            timed = seconds(tools, [tpctl, "top", "--budget=none", *top[2:], *quarter])
            results["budget_none_overhead"] = timed / seconds(tools, quarter) - 1
    results["top_agrees"] = statistics.median(agreement(tools, tpctl, program, passes["busy"]) for _ in range(rounds))
    return results
