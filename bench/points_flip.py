# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the time to flip 10,000 points: flip_10k_points_ms, and next to it that of as
many sleds of 5 bytes at entries, in the same program: flip_10k_sleds_ms. Each is attached
in processes of its own."""

from toolchain import BenchError, median_of, sized

SITES = sized(10_000, 200)
FILES = sized(10, 2)
POINTS = 100


def build(tools):
    each = SITES // FILES
    objects = [tools.compile("points/flip.c", tools.path("points", "flip-main.o")),
               tools.compile("hit_handler.c", tools.path("points", "handler.o"))]
    for file in range(FILES):
        source = tools.path("points", f"flip{file}.c")
        with open(source, "w") as out:
            out.write('#include "tprt/trace.h"\n')
            out.writelines(f"TPRT_POINT(point_{point});\n" for point in range(POINTS))
            for number in range(file * each, (file + 1) * each):
                out.write(f"unsigned f_{number}(unsigned x) {{\n"
                          f'  TPRT_TRACE(point_{number % POINTS}, "x=%u n=%d", x, {number});\n'
                          f"  return x * {number % 1000 + 3}u ^ x >> {number % 29 + 1};\n}}\n")
        objects.append(tools.compile(source, tools.path("points", f"flip{file}.o"), "tp",
                                     ["-fplugin-arg-tp-entry=5,0"]))
    return tools.link(objects, tools.path("points", "flip"), libraries=["tprt"])


def measure(tools, rounds=sized(9, 1)):
    program = build(tools)
    taken = {"points": [], "sleds": []}
    for _ in range(rounds):
        for what, each in taken.items():
            each.append(tools.run_numbers([program, what]))
    results = {}
    for what, each in taken.items():
        middle = median_of(each)
        if middle["sites"] != SITES:
            raise BenchError(f"{middle['sites']:.0f} of {SITES} {what} were flipped")
        results[f"first_flip_10k_{what}_ms"] = middle["first"]
        results[f"flip_10k_{what}_ms"] = middle["on"]
        results[f"flip_off_10k_{what}_ms"] = middle["off"]
    return results
