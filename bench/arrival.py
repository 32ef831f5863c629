# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures what opening a library costs a standing probe, with 10 and with 1500 such
libraries loaded: arrival_us_10_libraries, arrival_us_1500_libraries. The cost is the CPU
time of dlopen() less the same in a program without a probe, run in turn."""

import os
import shutil

from toolchain import median_of, sized

LIBRARIES = sized(1510, 40)


def measure(tools, rounds=sized(5, 1)):
    source = tools.path("arrival", "work.c")
    with open(source, "w") as out:
        out.write("int work(int x) { return x + 1; }\n")
    compiled = tools.compile(source, tools.path("arrival", "work.o"), "tp", ["-fPIC"])
    first = tools.path("arrival", "libraries", "l0.so")
    tools.call([tools.clang, "-shared", compiled, "-o", first])
    # Each copy is a separate file, so the loader treats it as another library.
    for number in range(1, LIBRARIES):
        shutil.copyfile(first, os.path.join(os.path.dirname(first), f"l{number}.so"))
    main = tools.compile("arrival.c", tools.path("arrival", "main.o"))
    program = tools.link([main], tools.path("arrival", "arrival"), "plain", ["tprt"])
    command = [program, os.path.dirname(first), str(LIBRARIES)]
    plain, probed = [], []
    for _ in range(rounds):
        plain.append(tools.run_numbers(command))
        probed.append(tools.run_numbers([*command, "probe"]))
    plain, probed = median_of(plain), median_of(probed)
    few, many = (max(probed[name] - plain[name], 0.01) for name in ("few", "many"))
    return {"arrival_us_10_libraries": few, "arrival_us_1500_libraries": many, "arrival_ratio": many / few}
