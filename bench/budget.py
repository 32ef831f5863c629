# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures what tpctl top costs the program that it looks at: budget_overhead, where tiny
functions are called 30 million times a second, and top_overhead, where a program handles
requests."""

import re
import statistics

from toolchain import sized

# Passes of src/budget.c: about ten seconds each.
PASSES = sized({"tiny": 100, "server": 60}, {"tiny": 1, "server": 1})
ROUNDS = sized(5, 1)


def seconds(tools, command):
    """The CPU time of all threads of the program, which its output ends with."""
    return float(re.search(r"cpu_s (\S+)", tools.run(command))[1])


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
    return results
