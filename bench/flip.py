# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the time to flip 100,000 functions: first_flip_100k_ms, reflip_100k_ms, the
same by name, with exits, and during another thread's work, and the same for XRay. Each first flip
is in a fresh process."""

import concurrent.futures
import os
import statistics

from toolchain import BOTH, ENTRIES, BenchError, median_of, sized

FUNCTIONS = sized(100_000, 2000)
FILES = sized(20, 2)


def generate(tools):
    """Writes C files of small functions that differ from one another."""
    each = FUNCTIONS // FILES
    sources = []
    for file in range(FILES):
        path = tools.path("flip", f"part{file}.c")
        with open(path, "w") as out:
            for number in range(file * each, (file + 1) * each):
                out.write(f"unsigned f_{number}(unsigned x) {{ return x * {number % 1000 + 3}u "
                          f"^ x >> {number % 29 + 1}; }}\n")
        sources.append(path)
    return sources


def build(tools):
    """Builds the programs. Returns them and the objects of their parts, by variant."""
    sources = generate(tools)
    objects = {}
    jobs = []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for variant in (*ENTRIES, *BOTH):
            objects[variant] = [source[:-1] + f"{variant}.o" for source in sources]
            jobs += [pool.submit(tools.compile, source, output, variant, ["-O1"])
                     for source, output in zip(sources, objects[variant])]
        for job in jobs:
            job.result()
    handler = tools.compile("hit_handler.c", tools.path("flip", "handler.o"))
    programs = {}
    for variant, main, libraries in (("plain", "flip.c", ["tprt"]), ("tp", "flip.c", ["tprt"]),
                                     ("tp_exit", "flip.c", ["tprt"]),
                                     ("xray_entry", "flip_xray.cpp", []),
                                     ("xray", "flip_xray.cpp", [])):
        start = tools.compile(main, tools.path("flip", f"{variant}-main.o"))
        programs[variant] = tools.link([start, handler, *objects[variant]],
                                       tools.path("flip", variant), variant, libraries)
    return programs, objects


def measure(tools, programs, rounds=sized(9, 1)):
    runs = {
        "": ([programs["tp"], "all"], True),
        "by_name": ([programs["tp"], "name"], True),
        "busy": ([programs["tp"], "all", "1"], False),
        "exits": ([programs["tp_exit"], "all"], True),
        "xray_": ([programs["xray_entry"], "all"], True),
        "xray_exits": ([programs["xray"], "all"], True),
    }
    taken = {name: [] for name in runs}
    for _ in range(rounds):
        for name, (command, pinned) in runs.items():
            taken[name].append(tools.run_numbers(command, pinned))
    results = {}
    for name, each in taken.items():
        middle = median_of(each)
        # XRay's program prints the number of functions, ours prints that of
        # sleds.
        sites = FUNCTIONS * (2 if name == "exits" else 1)
        if middle["sites"] < sites:
            raise BenchError(f"{middle['sites']:.0f} of {sites} sites were flipped")
        before, after = ("xray_", name[5:]) if name.startswith("xray_") else ("", name)
        if not name:
            results["stub_bytes_per_site"] = middle["stub_bytes"] / middle["sites"]
        if not after:
            results[f"{before}attached_bytes_per_site"] = middle["dirty_bytes"] / middle["sites"]
        after = after and "_" + after
        results[f"{before}first_flip_100k{after}_ms"] = middle["first"]
        results[f"{before}reflip_100k{after}_ms"] = middle["reflip"]
        results[f"{before}flip_off_100k{after}_ms"] = middle["off"]
        results[f"{before}flip_on_100k{after}_ms"] = middle["on"]
    for before in ("", "xray_"):
        each = results[f"{before}reflip_100k_exits_ms"] * 1e6 / (2 * FUNCTIONS)
        results[f"{before}reflip_ns_per_function"] = each
    return {**results, **measure_some(tools, programs, rounds)}


def measure_some(tools, programs, rounds):
    """Flips some of the functions as one batch, off and on again. Returns the time of one
    flip."""
    cases = {"flip_one_us": ("1", "0"), "flip_one_busy_us": ("1", "1"),
             "flip_2000_busy_ms": ("2000", "1")}
    taken = {}
    for _ in range(rounds):
        for name, (count, threads) in cases.items():
            for before, program in (("", "tp"), ("xray_", "xray_entry")):
                command = [programs[program], "some", threads, count]
                some = tools.run_numbers(command, threads == "0")["some"]
                taken.setdefault(before + name, []).append(some)
    return {name: statistics.median(times) / (1e3 if name.endswith("_ms") else 1)
            for name, times in taken.items()}
