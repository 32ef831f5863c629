# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes results.json (flat: names and numbers) and results.md, prints the table."""

import json
import os
import platform
import shutil

# What is to be reached, where a figure has a target: at most this much.
TARGETS = {
    "off_ratio": 1.01,
    "off_ratio_exits": 1.01,
    "hit_empty_ns": 2.2,
    "hit_vector_ns": 3.0,
    "hit_counter_ns": 0.5,
    "first_flip_100k_ms": 10.0,
    "first_flip_100k_exits_ms": 15.0,
    "reflip_100k_ms": 2.0,
    "reflip_ns_per_function": 13.0,
    "flip_one_us": 6.0,
    "flip_one_busy_us": 60.0,
    "flip_2000_busy_ms": 0.5,
    "arrival_ratio": 2.0,
    "stub_bytes_per_site": 40.0,
    "runtime_text_kb": 40.0,
    "dynamic_relocations": 0,
    "text_bytes_per_function_entry": 9.0,
    "table_bytes_per_function_entry": 12.0,
    "text_bytes_per_function": 16.0,
    "table_bytes_per_function": 30.0,
    "object_size_ratio": 1.5,
    "compile_ratio_c": 1.02,
    "compile_ratio_cxx": 1.02,
    "pair_empty_ns": 4.5,
    "pair_vector_ns": 6.0,
    "pair_counter_ns": 1.0,
}


def order(names):
    """Figures with a target first, those of others right after each."""
    names, ordered = set(names), []
    for name in [*TARGETS, *sorted(names - set(TARGETS))]:
        for each in (name, "xray_" + name, "pfe_" + name):
            if each in names and each not in ordered:
                ordered.append(each)
    return ordered


def rows(results):
    for name in order(results):
        target = TARGETS.get(name)
        note = ""
        if target is not None:
            note = "reached" if results[name] <= target + 1e-9 else "MISSED"
        other = results.get("xray_" + name)
        yield (name, f"{results[name]:.3f}", "" if target is None else f"{target:g}", note,
               "" if not other else f"{results[name] / other:.3f}")


def machine():
    model = "unknown CPU"
    with open("/proc/cpuinfo") as file:
        for line in file:
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    return f"{model}, {os.cpu_count()} CPUs, {platform.system()} {platform.release()}"


def write(tools, results, remarks):
    with open(tools.path("results.json"), "w") as out:
        json.dump({name: results[name] for name in order(results)}, out, indent=2)
        out.write("\n")
    head = ("name", "figure", "target", "", "ratio to XRay")
    table = list(rows(results))
    versions = [tools.call([tools.clang, "--version"]).splitlines()[0]]
    if shutil.which("uftrace"):
        versions.append(tools.call(["uftrace", "--version"]).strip())
    with open(tools.path("results.md"), "w") as out:
        out.write(f"# Benchmark results\n\nMachine: {machine()}\n\nVersions: {'; '.join(versions)}\n\n")
        out.write("Medians over interleaved runs, of hits means over processes; bench/README.md defines each figure.\n\n")
        out.writelines(f"- {remark}\n" for remark in remarks)
        out.write("\n| " + " | ".join(head) + " |\n|---|---:|---:|---|---:|\n")
        out.writelines("| " + " | ".join(row) + " |\n" for row in table)
    width = [max(len(row[i]) for row in [head, *table]) for i in range(len(head))]
    print()
    for row in [head, *table]:
        print("  ".join(cell.ljust(width[i]) if i in (0, 3) else cell.rjust(width[i])
                        for i, cell in enumerate(row)).rstrip())
    for remark in remarks:
        print(f"note: {remark}")
    print(f"written: {tools.path('results.json')}, {tools.path('results.md')}")
