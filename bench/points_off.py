# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures what trace statements cost while nobody looks: point_off_ratio, and next to it
flag_off_ratio (a load and a branch in front of fprintf) and sdt_off_ratio (sys/sdt.h's
DTRACE_PROBE with the same arguments). A figure is the time of a program with trace
statements over its time without, as geometric mean over compilers, programs and layouts.

The figures without a program's name are over the four kinds of programs that the goal
names: a leaf function, a hot loop, many arguments, and arguments with calls. `_fib` and
`_tree` are two more: a recursion whose last call compilers make a loop, and a search with
two statements. `_all` is over all six.

The layouts are those of off.py. A program's time in a layout is the least of several runs.
"""

import os

from off import FILLERS, geometric_mean
from toolchain import c_compilers

GOAL_PROGRAMS = ("leaf", "loop", "many", "calls")
PROGRAMS = (*GOAL_PROGRAMS, "fib", "tree")
WAYS = {"plain": [], "point": ["-DWAY_POINT"], "flag": ["-DWAY_FLAG"], "sdt": ["-DWAY_SDT"]}
SDT_HEADERS = ("/usr/include/sys/sdt.h", "/usr/include/x86_64-linux-gnu/sys/sdt.h",
               "/usr/include/aarch64-linux-gnu/sys/sdt.h")


def ways():
    """The ways of tracing that can be built here."""
    if any(map(os.path.exists, SDT_HEADERS)):
        return tuple(WAYS)
    return tuple(way for way in WAYS if way != "sdt")


def fillers(tools):
    """Objects of different sizes, to be linked in front of a program."""
    objects = []
    for size in FILLERS:
        source = tools.path("points", f"filler{size}.s")
        with open(source, "w") as out:
            out.write(f".text\n.p2align 4\n.skip {size}, 0xcc\n"
                      '.section .note.GNU-stack,"",@progbits\n')
        objects.append(tools.compile(source, tools.path("points", f"filler{size}.o")))
    return objects


def build(tools, name, kind, compiler, pads):
    """Builds one of the programs by one compiler. Returns its files by layout and way."""
    layouts = [{} for _ in pads]
    main = tools.compile("points/main.c", tools.path("points", "main.o"))
    for way in ways():
        part = tools.compile(f"points/{name}.c", tools.path("points", f"{name}-{kind}-{way}.o"),
                             flags=WAYS[way], compiler=compiler)
        for number, pad in enumerate(pads):
            order = [part, main] if number % 2 else [main, part]
            layouts[number][way] = tools.link(
                [pad, *order], tools.path("points", f"{name}-{kind}-{way}-{number}"))
    return layouts


def time_layouts(tools, layouts, rounds):
    """Runs the programs in turns. Returns ratios by way, and numbers of the first layout."""
    least = [{way: float("inf") for way in layout} for layout in layouts]
    numbers = {}
    for _ in range(rounds):
        for number, layout in enumerate(layouts):
            for way, program in layout.items():
                found = tools.run_numbers([program])
                least[number][way] = min(least[number][way], found["seconds"])
                if number == 0:
                    numbers[way] = found
    ratios = {way: [times[way] / times["plain"] for times in least]
              for way in layouts[0] if way != "plain"}
    return ratios, numbers


def instructions_per_pass(numbers):
    """Instructions that a trace statement adds each time, by way. None are known if the
    processor counts none, as in some virtual machines."""
    if any("instructions" not in found for found in numbers.values()):
        return {}
    plain = numbers["plain"]["instructions"]
    return {way: (found["instructions"] - plain) / found["passes"]
            for way, found in numbers.items() if way != "plain"}


def means(kind, name):
    """Endings of the figures that a compiler's ratios for a program are part of."""
    goal = ("", f"_{kind}") if name in GOAL_PROGRAMS else ()
    return (*goal, "_all", f"_{name}")


def measure(tools, rounds, say):
    pads = fillers(tools)
    ratios, added = {}, {}
    for kind, compiler in c_compilers(tools).items():
        for name in PROGRAMS:
            layouts = build(tools, name, kind, compiler, pads)
            found, numbers = time_layouts(tools, layouts, rounds)
            for way, each in found.items():
                for suffix in means(kind, name):
                    ratios.setdefault(f"{way}_off_ratio{suffix}", []).extend(each)
            for way, count in instructions_per_pass(numbers).items():
                for suffix in ("", f"_{kind}"):
                    added.setdefault(f"{way}_off_instructions{suffix}", []).append(count)
            say(f"  {name}, {kind}: " + ", ".join(
                f"{way} {geometric_mean(each):.4f}" for way, each in found.items()))
    results = {name: geometric_mean(each) for name, each in ratios.items()}
    results.update({name: sum(each) / len(each) for name, each in added.items()})
    return results
