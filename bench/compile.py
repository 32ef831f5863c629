# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures what sleds at entry and exit cost the compiler and the object files:
compile_ratio_c, compile_ratio_cxx, object_size_ratio, and bytes of text and table per
function in Lua and SQLite. The same for XRay and -fpatchable-function-entry.

Text includes padding, as the functions of a file lie in one section.
"""

import os
import statistics
import subprocess

import off
import size
from toolchain import BenchError, sized

FUNCTIONS = sized(2000, 20)  # in the one .text of object_size_ratio
# The prefix of the figures' names for each variant.
PREFIXES = {"tp_exit": "", "xray": "xray_", "pfe": "pfe_"}
TABLES = ("tp_sleds", "xray_instr_map", "xray_fn_idx", "__patchable_function_entries")


def cpu_seconds(process):
    """Waits for a compiler. Returns the CPU time of all its threads."""
    complaints = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise BenchError(f"failed ({process.returncode}): {' '.join(process.args)}\n{complaints}")
    return usage.ru_utime + usage.ru_stime


def on_one_cpu(cpu):
    return lambda: os.sched_setaffinity(0, {cpu})


def compile_ratio(tools, source, rounds):
    """Median over pairs of rounds. In each round both compilations run at the same time,
    each on its own CPU, so that other load of the machine slows down both. The second
    round of a pair swaps the CPUs, and the geometric mean of the two cancels what one CPU
    is faster than the other: CPU time on two CPUs of a virtual machine can differ by a
    third."""
    compiler = tools.clang + "++" if source.endswith(".cpp") else tools.clang
    available = sorted(os.sched_getaffinity(0))
    cpus = (available[0], available[-1])
    ratios = []
    for turn in range(2 * rounds):
        running = {variant: subprocess.Popen(
            [compiler, "-O2", "-w", *tools.flags[variant], "-c", source, "-o",
             tools.path("compile", f"{variant}.o")], stderr=subprocess.PIPE, text=True,
            preexec_fn=on_one_cpu(cpus[(turn + position) % 2]))
            for position, variant in enumerate(("plain", "tp_exit"))}
        times = {variant: cpu_seconds(process) for variant, process in running.items()}
        ratios.append(times["tp_exit"] / times["plain"])
    return statistics.median(statistics.geometric_mean(ratios[turn:turn + 2])
                             for turn in range(0, len(ratios), 2))


def object_sizes(tools):
    """Writes a file of small functions, each with a call and a condition, in one .text."""
    source = tools.path("compile", "functions.c")
    with open(source, "w") as out:
        out.write("int other(int);\n")
        for number in range(FUNCTIONS):
            out.write(f"int f_{number}(int x) {{ return x > {number} ? other(x) * 3 : x; }}\n")
    sizes = {variant: os.path.getsize(tools.compile(
        source, tools.path("compile", f"functions-{variant}.o"), variant))
        for variant in ("plain", *PREFIXES)}
    return {f"{prefix}object_size_ratio": sizes[variant] / sizes["plain"]
            for variant, prefix in PREFIXES.items()}


def bytes_per_function(tools, name, sources, flags):
    """Growth of the text and size of the table, by prefix and figure."""
    totals = {}
    for variant in ("plain", *PREFIXES):
        text = table = functions = 0
        for index, source in enumerate(sources):
            path = tools.compile(source, tools.path("compile", f"{name}-{variant}-{index}.o"),
                                 variant, flags)
            found = size.sections(tools, path)
            text += sum(bytes for section, bytes in found.items() if section.startswith(".text"))
            table += sum(found.get(section, 0) for section in TABLES)
            if variant == "tp_exit" and "tp_sleds" in found:
                functions += sum(record[2] & 3 == 0 for record in size.records(tools, path))
        totals[variant] = (text, table, functions)
    functions = totals["tp_exit"][2]
    results = {}
    for variant, prefix in PREFIXES.items():
        text, table, _ = totals[variant]
        results[prefix, "text_bytes_per_function"] = (text - totals["plain"][0]) / functions
        results[prefix, "table_bytes_per_function"] = table / functions
    return results


def measure(tools, lua, sqlite, rounds, say):
    results = object_sizes(tools)
    programs = []
    if off.lua_sources(lua):
        programs.append(("lua", off.lua_sources(lua), off.LUA_FLAGS))
    if sqlite:
        programs.append(("sqlite", [sqlite], ["-w"]))
    for name, sources, flags in programs:
        for (prefix, figure), value in bytes_per_function(tools, name, sources, flags).items():
            results[f"{prefix}{name}_{figure}"] = value
            # The figure without a program's name is that of the worst program.
            results[prefix + figure] = max(value, results.get(prefix + figure, value))
    timed = [("compile_ratio_cxx", os.path.join(tools.src, "templates.cpp"))]
    if sqlite:
        timed.append(("compile_ratio_c", sqlite))
    for name, source in timed:
        results[name] = compile_ratio(tools, source, rounds)
        say(f"  {name} {results[name]:.4f}")
    return results
