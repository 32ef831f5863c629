# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures what opening a library costs a standing probe, with 10 and with 1500 such
libraries loaded: arrival_us_10_libraries, arrival_us_1500_libraries."""

import os
import shutil

from toolchain import median_of

LIBRARIES = 1510


def measure(tools, rounds=5):
    source = tools.path("arrival", "work.c")
    with open(source, "w") as out:
        out.write("int work(int x) { return x + 1; }\n")
    compiled = tools.compile(source, tools.path("arrival", "work.o"), "tp", ["-fPIC"])
    first = tools.path("arrival", "libraries", "l0.so")
    tools.call([tools.clang, "-shared", compiled, "-o", first])
    # Each copy is a file of its own, so the loader takes it for another library.
    for number in range(1, LIBRARIES):
        shutil.copyfile(first, os.path.join(os.path.dirname(first), f"l{number}.so"))
    main = tools.compile("arrival.c", tools.path("arrival", "main.o"))
    program = tools.link([main, "-rdynamic"], tools.path("arrival", "arrival"), "plain", ["tprt"])
    taken = median_of([tools.run_numbers([program, os.path.dirname(first)])
                       for _ in range(rounds)])
    return {"arrival_us_10_libraries": taken["few"], "arrival_us_1500_libraries": taken["many"],
            "arrival_ratio": taken["many"] / taken["few"]}
