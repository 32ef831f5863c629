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
import sys
import time

sys.dont_write_bytecode = True  # no __pycache__ in the source tree

import arrival  # noqa: E402
import budget
import coverage
import enable
import compile as compiling
import flip
import hit
import inject
import off
import points
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
from toolchain import BenchError, Toolchain

STAGES = ("hit", "flip", "scale", "arrival", "size", "points", "off", "compile", "recording", "live", "code")


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
    parser.add_argument("--tools", help="folder of tpctl and tp-make-trace; without it, no figures of recordings")
    parser.add_argument("--rounds", type=int, default=5, help="runs of each program and layout (5)")
    parser.add_argument("--only", nargs="+", choices=STAGES, default=STAGES)
    args = parser.parse_args()
    for name in ("plugin", "runtime", "include", "out", "lua", "sqlite", "tools"):
        path = getattr(args, name)
        setattr(args, name, path and os.path.abspath(path))
    return args


def main():
    args = arguments()
    tools = Toolchain(args)
    results, remarks = {}, []
    if set(args.only) != set(STAGES) and os.path.exists(tools.path("results.json")):
        with open(tools.path("results.json")) as file:
            results = json.load(file)
    start = time.monotonic()

    def say(text):
        print(f"[{time.monotonic() - start:5.0f} s] {text}", flush=True)

    if "hit" in args.only:
        say("hit: cost of one hit")
        results.update(hit.measure(tools))
        if "uftrace_pair_ns" not in results:
            remarks.append("uftrace is not installed, so it was not measured")
    programs = objects = None
    if {"flip", "size"} & set(args.only):
        say(f"flip: compiling {flip.FUNCTIONS} functions three ways")
        programs, objects = flip.build(tools)
    if "flip" in args.only:
        say("flip: measuring")
        results.update(flip.measure(tools, programs))
    if "scale" in args.only and platform.machine() == "x86_64":
        say("scale: 1,000 to 3 million sites, a million names")
        results.update(scale.measure(tools, scale.build(tools)))
    if "arrival" in args.only:
        say("arrival: opening 1500 libraries under a probe")
        results.update(arrival.measure(tools))
    if "size" in args.only:
        say("size")
        results.update(size.runtime(tools))
        results.update(size.compare(tools, programs))
        results.update(size.compare_objects(tools, objects, flip.FUNCTIONS))
    if "points" in args.only:
        say("points: trace statements, off and on")
        found, missing = points.measure(tools, args.rounds, say)
        results.update(found)
        remarks += missing
    if "off" in args.only:
        say("off: sleds that are off, over several layouts")
        if not off.lua_sources(args.lua):
            remarks.append("Lua's source was not given (TP_LUA_SRC), so off_ratio is over fib and "
                           "interp only")
        found, first = off.measure(tools, args.lua, args.rounds, say)
        results.update(found)
        for name in first:
            results.update(size.compare(tools, first[name], f"{name}_"))
    if "compile" in args.only:
        say("compile: time of the compiler, sizes of objects")
        if not args.sqlite:
            remarks.append("SQLite's amalgamation was not given (TP_SQLITE_C): no compile_ratio_c, "
                           "and bytes per function are Lua's alone")
        results.update(compiling.measure(tools, args.lua, args.sqlite, args.rounds, say))
    if "code" in args.only and platform.machine() == "x86_64":
        say("code: functions of libraries that nobody prepared")
        results.update(coverage.measure(tools))
    if "recording" in args.only and platform.machine() == "x86_64":
        say("recording: cost of a call that is recorded")
        results.update(record.measure(tools))
        say("recording: how long a snapshot holds up a thread")
        results.update(snapshot.measure(tools))
    if "recording" in args.only and args.tools and platform.machine() == "x86_64":
        say("recording: what is lost at full rate and when a program is killed")
        results.update(record_losses.measure(tools, os.path.join(args.tools, "tpctl")))
        say("recording: bytes of an event that is packed")
        results.update(stored.measure(tools, os.path.join(args.tools, "tpctl"), args.lua, args.sqlite, say))
    if "recording" in args.only and args.tools:
        say("recording: reading 20 million events")
        results.update(recording.measure(tools, os.path.join(args.tools, "tpctl"),
                                         os.path.join(args.tools, "tp-make-trace"), args.rounds))
        say("recording: opening the page of 10 million events")
        results.update(view.measure(tools, os.path.join(args.tools, "tpctl"),
                                    os.path.join(args.tools, "tp-make-trace")))
    if "live" in args.only and args.tools and platform.machine() == "x86_64":
        say("live: how long an injection stops a thread")
        results.update(inject.measure(tools, os.path.join(args.tools, "tpctl")))
        say("live: what tpctl top costs")
        results.update(budget.measure(tools, os.path.join(args.tools, "tpctl")))
        say("live: what tools that misbehave cost")
        results.update(stalled.measure(tools, os.path.join(args.tools, "tpctl")))
        say("live: turning 100,000 functions on from outside")
        results.update(enable.measure(tools, os.path.join(args.tools, "tpctl")))
    say("done")
    report.write(tools, results, remarks)


if __name__ == "__main__":
    try:
        main()
    except BenchError as error:
        sys.exit(f"bench: {error}")
