# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures points that are on: point_call_ns, point_count_ns, point_record_ns, and
point_print_ns and fprintf. lttng.py measures LTTng-UST."""

import os

from toolchain import mean_of, sized

PROCESSES = sized(25, 1)  # as in hit.py
PRINTING_PROCESSES = sized(9, 1)
# A file on tmpfs, so that no disk is measured.
SHARED_MEMORY = "/dev/shm"


def build(tools):
    def compiled(source, name, flags=()):
        return tools.compile(source, tools.path("points", name + ".o"), flags=flags)

    target = compiled("points/target.c", "target", ["-falign-functions=64"])
    hit = [compiled("points/hit.c", "hit"), target, compiled("hit_loop.c", "loop"),
           compiled("hit_handler.c", "handler"),
           compiled("points/sink.c", "sink", ["-mgeneral-regs-only"])]
    return {"hit": tools.link(hit, tools.path("points", "hit"), libraries=["tprt"]),
            "print": tools.link([compiled("points/print.c", "print"), target],
                                tools.path("points", "print"), libraries=["tprt"])}


def measure(tools):
    programs = build(tools)
    results = mean_of([tools.run_numbers([programs["hit"]]) for _ in range(PROCESSES)])
    files = {"null": "/dev/null"}
    if os.path.isdir(SHARED_MEMORY):
        files["tmpfs"] = os.path.join(SHARED_MEMORY, f"tp-bench-{os.getpid()}")
    for name, path in files.items():
        found = mean_of([tools.run_numbers([programs["print"], path])
                         for _ in range(PRINTING_PROCESSES)])
        results.update({each.replace("_ns", f"_{name}_ns"): value
                        for each, value in found.items()})
    if "tmpfs" in files:
        os.remove(files["tmpfs"])
    return results
