# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures sizes of points, with each compiler: point_text_bytes, point_table_bytes,
point_relocations, point_object_ratio. The figure without a compiler's name is the worst.

The program has 2,000 functions, with one trace statement each: functions with a call,
leaves, loops, and arguments with calls. It is compiled with points, without, and with
`if (flag) fprintf(stderr, ...)` instead.
"""

import bisect
import os
import re
import struct

from size import relocations, sections
from toolchain import c_compilers, sized

STATEMENTS = sized(2000, 100)
POINTS = 20
WAYS = {"plain": [], "point": ["-DWAY_POINT"], "flag": ["-DWAY_FLAG"]}
# The padding and unrolling of loops differ between compilers, so both are
# turned off.
FLAGS = ["-falign-loops=1", "-fno-unroll-loops"]
MARK = 7  # of a static branch: docs/reference/table-abi.md

BODIES = (
    'TRACE(point_{point}, "request {number}: id=%u path=%s", id, path);\n'
    "  return other(id) * 3 + {number};",
    'TRACE(point_{point}, "request {number}: id=%u path=%s", id, path);\n'
    "  return id * 5 ^ {number};",
    'unsigned sum = {number};\n  while (id--) {{\n    sum = sum * 33 ^ (unsigned char)path[id];\n'
    '    TRACE(point_{point}, "request {number}: id=%u sum=%u", id, sum);\n  }}\n  return sum;',
    'TRACE(point_{point}, "request {number}: id=%u name=%s", other(id), name_of(path));\n'
    "  return id + {number};",
)


def generate(tools):
    """Writes the file of trace statements, and a main program for it."""
    source = tools.path("points", "statements.c")
    with open(source, "w") as out:
        out.write('#include "points/ways.h"\n')
        out.writelines(f"DECLARE(point_{point});\n" for point in range(POINTS))
        out.write("unsigned other(unsigned);\nconst char *name_of(const char *);\n")
        for number in range(STATEMENTS):
            body = BODIES[number % len(BODIES)].format(number=number, point=number % POINTS)
            out.write(f"unsigned f_{number}(unsigned id, const char *path) {{\n  {body}\n}}\n")
    main = tools.path("points", "statements-main.c")
    with open(main, "w") as out:
        out.write("int traced;\nunsigned other(unsigned id) { return id + 1; }\n"
                  "const char *name_of(const char *path) { return path; }\n"
                  "unsigned f_0(unsigned, const char *);\n"
                  'int main(int count, char **words) { return f_0(count, words[0]) == 7; }\n')
    return source, main


def functions(tools, path):
    """Start and end of the functions f_*, without the parts that GCC puts elsewhere."""
    found = []
    for line in tools.call([tools.nm, "-S", "--defined-only", path]).splitlines():
        parts = line.split()
        if len(parts) == 4 and re.fullmatch(r"f_\d+", parts[3]):
            found.append((int(parts[0], 16), int(parts[0], 16) + int(parts[1], 16)))
    return sorted(found)


def branch_targets(tools, path):
    """Addresses that gates jump to."""
    dump, copy = tools.path("points", "table"), tools.path("points", "table-copy")
    tools.call([tools.objcopy, f"--dump-section=tp_points={dump}", path, copy])
    for line in tools.call([tools.readelf, "-SW", path]).splitlines():
        parts = line.replace("[", " ").replace("]", " ").split()
        if len(parts) > 4 and parts[1] == "tp_points":
            start = int(parts[3], 16)
    with open(dump, "rb") as file:
        words = struct.iter_unpack("<i", file.read())
    led = [start + 4 * index + word for index, (word,) in enumerate(words)]
    targets, index = set(), 0
    while index < len(led):
        gate = led[index] & 7 == MARK
        if gate:
            targets.add(led[index + 2])
        index += 3 if gate else 1
    return targets


def hot_bytes(tools, path, targets=()):
    """Bytes of instructions of the functions f_*, up to the first gate's target: what
    follows is run only while a point is on. Nops at the end are padding, and not counted."""
    ends = sorted(targets)
    instructions = []
    for line in tools.call([tools.objdump, "-d", "--no-leading-headers", path]).splitlines():
        match = re.match(r"\s*([0-9a-f]+):\s((?:[0-9a-f]{2} )+)\s*(\S+)", line)
        if match:
            instructions.append((int(match[1], 16), len(match[2].split()), match[3]))
    total, index = 0, 0
    for start, end in functions(tools, path):
        first = bisect.bisect_right(ends, start)
        end = min([end, *ends[first:first + 1]])
        while instructions[index][0] < start:
            index += 1
        padding = 0
        while index < len(instructions) and instructions[index][0] < end:
            _, size, name = instructions[index]
            total += size
            padding = padding + size if name.startswith(("nop", "xchg", "data16", "cs")) else 0
            index += 1
        total -= padding
    return total


def measure_one(tools, source, main, kind, compiler):
    objects, programs = {}, {}
    # A statement stores the name of its source file as the compiler was given
    # it.
    short = f"-fmacro-prefix-map={os.path.dirname(source)}=src"
    for way, flags in WAYS.items():
        objects[way] = tools.compile(source, tools.path("points", f"statements-{kind}-{way}.o"),
                                     flags=[*flags, *FLAGS, short], compiler=compiler)
        programs[way] = tools.link([objects[way], main],
                                   tools.path("points", f"statements-{kind}-{way}"))
    found = {way: sections(tools, path) for way, path in programs.items()}
    hot = (hot_bytes(tools, programs["point"], branch_targets(tools, programs["point"]))
           - hot_bytes(tools, programs["plain"]))
    size = {way: os.path.getsize(path) for way, path in objects.items()}
    return {
        "point_text_bytes": hot / STATEMENTS,
        "point_section_bytes":
            (found["point"][".text"] - found["plain"][".text"]) / STATEMENTS,
        "flag_section_bytes": (found["flag"][".text"] - found["plain"][".text"]) / STATEMENTS,
        "point_table_bytes": found["point"]["tp_points"] / STATEMENTS,
        "point_descriptor_bytes":
            (found["point"][".rodata"] - found["plain"][".rodata"]) / STATEMENTS,
        "point_relocations":
            relocations(tools, programs["point"]) - relocations(tools, programs["plain"]),
        "point_object_ratio": size["point"] / size["flag"],
        "point_object_bytes": (size["point"] - size["plain"]) / STATEMENTS,
        "flag_object_bytes": (size["flag"] - size["plain"]) / STATEMENTS,
    }


def measure(tools):
    source, main = generate(tools)
    main = tools.compile(main, tools.path("points", "statements-main.o"))
    results = {}
    for kind, compiler in c_compilers(tools).items():
        for name, value in measure_one(tools, source, main, kind, compiler).items():
            results[f"{name}_{kind}"] = value
            results[name] = max(value, results.get(name, value))
    return results
