# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures how the cost per site grows with the number of sites, from 1,000 to 3 million:
flip_ns_per_site_*, first_flip_ns_per_site_*. Also measures what the names of a million
functions cost when the first is asked for, next to nm on the same file: name_lookup_ns. The
sites are those of scale.S. Only on x86-64."""

import shutil
import statistics
import time

from toolchain import BenchError, median_of, sized

FUNCTIONS = sized({"1k": 500, "100k": 50_000, "3m": 1_500_000}, {"1k": 50, "100k": 500, "3m": 5000})
NAMES = sized(1_000_000, 1000)


def build(tools):
    main = tools.compile("scale.c", tools.path("scale", "main.o"))
    handler = tools.compile("hit_handler.c", tools.path("scale", "handler.o"))

    def program(name, count, flags=()):
        table = tools.compile("scale.S", tools.path("scale", f"{name}.o"),
                              flags=[f"-DCOUNT={count}", *flags])
        return tools.link([main, handler, table], tools.path("scale", name), libraries=["tprt"])

    programs = {name: program(name, count) for name, count in FUNCTIONS.items()}
    programs["names"] = program("names", NAMES, ["-DNAMES"])
    return programs


def measure_nm(tools, path):
    """Nanoseconds per name that nm takes to list the names in the file's order."""
    start = time.monotonic()
    tools.call([shutil.which("nm") or tools.nm, "-p", path])
    return (time.monotonic() - start) * 1e9 / NAMES


def measure(tools, programs, rounds=sized(5, 1)):
    taken = {name: [] for name in programs}
    listed = []
    for _ in range(rounds):
        for name, path in programs.items():
            command = [path, "names"] if name == "names" else [path]
            taken[name].append(tools.run_numbers(command))
        listed.append(measure_nm(tools, programs["names"]))
    results = {"name_lookup_ns": median_of(taken.pop("names"))["name"],
               "nm_name_lookup_ns": statistics.median(listed)}
    for name, each in taken.items():
        middle = median_of(each)
        if middle["sites"] != 2 * FUNCTIONS[name]:
            raise BenchError(f"{middle['sites']:.0f} of {2 * FUNCTIONS[name]} sites were flipped")
        results[f"first_flip_ns_per_site_{name}"] = middle["first"]
        results[f"flip_ns_per_site_{name}"] = middle["flip"]
    return results
