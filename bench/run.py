#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the benchmarks. `make bench` (target tp_bench_run) starts it.

It builds each program in three ways in the same run: plainly, with tp and with XRay. It
measures them interleaved on one CPU, and writes results.json and results.md into the
output folder. bench/README.md defines the figures. --only picks stages.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import time

sys.dont_write_bytecode = True  # no __pycache__ in the source tree

import arrival  # noqa: E402
import ask
import budget
import counting
import coverage
import document
import enable
import compile as compiling
import flip
import hit
import inject
import majors
import off
import points
import preload
import record
import record_losses
import recording
import report
import scale
import size
import snapshot
import stalled
import stored
import view
from toolchain import BenchError, Toolchain, sized

def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--clang", required=True, help="clang that the plugin belongs to")
    parser.add_argument("--llvm-bin", required=True, help="folder of llvm-nm, llvm-readelf")
    parser.add_argument("--plugin", required=True, help="libtp.so")
    parser.add_argument("--runtime", required=True, help="libtprt.so")
    parser.add_argument("--include", required=True, help="folder of tprt/tprt.h")
    parser.add_argument("--out", required=True, help="folder for programs and results")
    parser.add_argument("--lua", default=os.environ.get("TP_LUA_SRC"),
                        help="Lua's source (default: TP_LUA_SRC); without it, no Lua figures")
    parser.add_argument("--sqlite", default=os.environ.get("TP_SQLITE_C"),
                        help="sqlite3.c (default: TP_SQLITE_C); without it, no compile_ratio_c")
    parser.add_argument("--other", nargs=3, action="append", default=[], metavar=("MAJOR", "BIN", "PLUGIN"),
                        help="another major of LLVM: its bin folder and its libtp.so; repeatable")
    parser.add_argument("--tools", help="folder of tpctl and tp-make-trace; without it, no figures of recordings")
    parser.add_argument("--document", help="performance.md, whose tables are written at the end (document.py)")
    parser.add_argument("--rounds", type=int, default=sized(5, 1), help="runs of each program and layout (5)")
    parser.add_argument("--only", nargs="+", choices=list(STAGES), default=list(STAGES))
    args = parser.parse_args()
    for name in ("plugin", "runtime", "include", "out", "lua", "sqlite", "tools", "document"):
        path = getattr(args, name)
        setattr(args, name, path and os.path.abspath(path))
    args.other = [(major, folder, os.path.abspath(plugin)) for major, folder, plugin in args.other]
    return args


class Run:
    """What the stages share. Each stage is a method that adds its figures."""

    def __init__(self, args):
        self.args = args
        self.tools = Toolchain(args)
        self.results, self.remarks = {}, []
        self.start = time.monotonic()
        self.flipped = None  # programs and objects of flip.py
        tpctl = args.tools and os.path.join(args.tools, "tpctl")
        self.tpctl, self.make_trace = tpctl, args.tools and os.path.join(args.tools, "tp-make-trace")

    def say(self, text):
        print(f"[{time.monotonic() - self.start:5.0f} s] {text}", flush=True)

    def add(self, figures):
        self.results.update(figures)

    def build_flips(self):
        if not self.flipped:
            self.say(f"compiling {flip.FUNCTIONS} functions three ways")
            self.flipped = flip.build(self.tools)
        return self.flipped

    def hit(self):
        self.add(hit.measure(self.tools))
        if "uftrace_pair_ns" not in self.results:
            self.remarks.append("uftrace is not installed, so it was not measured")

    def flip(self):
        self.add(flip.measure(self.tools, self.build_flips()[0]))

    def scale(self):
        self.add(scale.measure(self.tools, scale.build(self.tools)))

    def arrival(self):
        self.add(arrival.measure(self.tools))

    def size(self):
        programs, objects = self.build_flips()
        self.add(size.runtime(self.tools))
        self.add(size.compare(self.tools, programs))
        self.add(size.compare_objects(self.tools, objects, flip.FUNCTIONS))

    def preload(self):
        self.add(preload.measure(self.tools))

    def points(self):
        found, missing = points.measure(self.tools, self.args.rounds, self.say)
        self.add(found)
        self.remarks += missing

    def off(self):
        if not off.lua_sources(self.args.lua):
            self.remarks.append("Lua's source was not given (TP_LUA_SRC), so off_ratio is over fib and "
                                "interp only")
        found, first = off.measure(self.tools, self.args.lua, self.args.rounds, self.say)
        self.add(found)
        for name in first:
            self.add(size.compare(self.tools, first[name], f"{name}_"))

    def compile(self):
        if not self.args.sqlite:
            self.remarks.append("SQLite's amalgamation was not given (TP_SQLITE_C): no compile_ratio_c, "
                                "and bytes per function are Lua's alone")
        self.add(compiling.measure(self.tools, self.args.lua, self.args.sqlite, self.args.rounds, self.say))

    def majors(self):
        if not self.args.other:
            self.remarks.append("tp is built for one major of LLVM only, so there are no figures of others")
        self.add(majors.measure(self.args, self.args.rounds, self.say))

    def code(self):
        self.add(coverage.measure(self.tools))

    def record(self):
        self.add(record.measure(self.tools))

    def snapshot(self):
        self.add(snapshot.measure(self.tools))

    def losses(self):
        self.add(record_losses.measure(self.tools, self.tpctl))

    def stored(self):
        self.add(stored.measure(self.tools, self.tpctl, self.args.lua, self.args.sqlite, self.say))

    def reading(self):
        self.add(recording.measure(self.tools, self.tpctl, self.make_trace, self.args.rounds))

    def view(self):
        self.add(view.measure(self.tools, self.tpctl, self.make_trace))

    def inject(self):
        self.add(inject.measure(self.tools, self.tpctl))

    def budget(self):
        self.add(budget.measure(self.tools, self.tpctl))

    def ask(self):
        self.add(ask.measure(self.tools, self.tpctl))

    def stalled(self):
        self.add(stalled.measure(self.tools, self.tpctl))

    def count(self):
        self.add(counting.measure(self.tools, self.tpctl))

    def enable(self):
        self.add(enable.measure(self.tools, self.tpctl))


# In this order: the name, for --only, which is also a method of Run; what the stage
# measures; and what it needs in addition to the compiler and libtprt.
STAGES = {
    "hit": ("cost of one hit", ()),
    "flip": ("turning functions on and off", ()),
    "scale": ("1,000 to 3 million sites, a million names", ("x86",)),
    "arrival": ("opening 1500 libraries under a probe", ()),
    "size": ("sizes of code and tables", ()),
    "preload": ("starting a program with libtprt", ()),
    "points": ("trace statements, off and on", ()),
    "off": ("sleds that are off, over several layouts", ()),
    "compile": ("time of the compiler, sizes of objects", ()),
    "majors": ("sleds that are off, and the compiler, with other majors of LLVM", ()),
    "code": ("functions of uninstrumented libraries", ("x86",)),
    "record": ("cost of a recorded call", ("x86",)),
    "snapshot": ("how long a snapshot holds up a thread", ("x86",)),
    "losses": ("what is lost at full rate and when a program is killed", ("x86", "tpctl")),
    "stored": ("bytes of a packed event", ("x86", "tpctl")),
    "reading": ("reading 20 million events", ("tpctl",)),
    "view": ("opening the page of 10 million events", ("tpctl",)),
    "inject": ("how long an injection stops a thread", ("x86", "tpctl")),
    "budget": ("what tpctl top costs", ("x86", "tpctl")),
    "count": ("counting 100,000 functions", ("x86", "tpctl")),
    "ask": ("expressions of count and hist", ("x86", "tpctl")),
    "stalled": ("what tools that misbehave cost", ("x86", "tpctl")),
    "enable": ("turning 100,000 functions on from outside", ("x86", "tpctl")),
}


def main():
    args = arguments()
    run = Run(args)
    there = {"x86": platform.machine() == "x86_64", "tpctl": bool(args.tools)}
    failed = []
    if set(args.only) != set(STAGES) and os.path.exists(run.tools.path("results.json")):
        with open(run.tools.path("results.json")) as file:
            run.results = json.load(file)
    for name, (title, needs) in STAGES.items():
        if name not in args.only or not all(there[need] for need in needs):
            continue
        run.say(f"{name}: {title}")
        try:
            getattr(run, name)()
        except (BenchError, OSError, ArithmeticError, LookupError, ValueError, RuntimeError,
                subprocess.SubprocessError) as error:
            failed.append(name)
            reason = f"{type(error).__name__}: {error}"
            print(f"bench: the stage {name} failed: {reason}", file=sys.stderr, flush=True)
            run.remarks.append(f"the stage {name} failed, so its figures are missing or old: "
                               f"{reason.splitlines()[0]}")
        report.write(run.tools, run.results, run.remarks, show=False)
    run.say("done")
    report.write(run.tools, run.results, run.remarks)
    if args.document:
        for difference in document.write(run.tools.path("results.json"), args.document):
            print(f"note: {difference}")
    return f"bench: failed: {', '.join(failed)}" if failed else 0


if __name__ == "__main__":
    sys.exit(main())
