# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the cost of sleds that are off: off_ratio, off_ratio_exits, and XRay's. A figure
is the time of a program with sleds over its time with plain -O2, as geometric mean over
programs and layouts.

A layout is an order of the object files and a filler before them. Each layout is linked
in all variants, and the runs of the variants are interleaved. The ratio of one layout is
the ratio of the medians. The programs report the CPU time of their main part.
"""

import glob
import math
import os
import statistics

from toolchain import BOTH, ENTRIES, sized

VARIANTS = (*ENTRIES, *BOTH)
# The name of each variant's figure in the results.
NAMES = {"tp": "off_ratio", "tp_exit": "off_ratio_exits",
         "xray_entry": "xray_off_ratio", "xray": "xray_off_ratio_exits"}

# Bytes before the program: every 16-byte step of a cache line, at four places
# of a page. In a single layout, a tiny program may take 20% more or less time.
FILLERS = tuple(16 * step + far for far in (0, 1088, 2112, 8256) for step in range(4))[:sized(16, 1)]

LUA_SCRIPT = """
local function fib(n) if n < 2 then return n end return fib(n-1) + fib(n-2) end
local t = os.clock()
local s = 0
assert(fib(25) == 75025)
for i = 1, 40000 do
  local q = {i, i + 1, tostring(i)}
  s = s + #q + select('#', q[1], q[2]) + math.max(q[1], q[2]) + #(q[3] .. 'x')
end
print(string.format('%.9f', os.clock() - t))
"""

LUA_FLAGS = ["-DLUA_USE_LINUX", "-DLUA_COMPAT_5_3"]


def lua_sources(folder):
    """The files of Lua's interpreter in a folder or its src/; none if it is not Lua."""
    if not folder:
        return []
    for place in (folder, os.path.join(folder, "src")):
        files = [path for path in sorted(glob.glob(os.path.join(place, "*.c")))
                 if os.path.basename(path) not in ("luac.c", "onelua.c", "ltests.c")]
        if os.path.exists(os.path.join(place, "lvm.c")):
            return files
    return []


def programs(tools, lua):
    """The programs: name, sources, compiler flags and command arguments of each."""
    found = [("fib", ["fib.c"], [], []), ("interp", ["interp.c"], [], [])]
    files = lua_sources(lua)
    if files:
        script = tools.path("off", "bench.lua")
        with open(script, "w") as out:
            out.write(LUA_SCRIPT)
        found.append(("lua", files, LUA_FLAGS, [script]))
    return found


def build(tools, name, sources, flags):
    """Builds the programs. Returns them by layout and variant."""
    objects = {variant: [tools.compile(source, tools.path("off", name, variant,
                                                          os.path.basename(source) + ".o"),
                                       variant, flags) for source in sources]
               for variant in VARIANTS}
    layouts = []
    for number, filler in enumerate(FILLERS):
        source = tools.path("off", f"filler{filler}.s")
        with open(source, "w") as out:
            out.write(f".text\n.p2align 4\n.skip {filler}, 0xcc\n"
                      '.section .note.GNU-stack,"",@progbits\n')
        pad = tools.compile(source, tools.path("off", f"filler{filler}.o"))
        layout = {}
        for variant, files in objects.items():
            turn = number * 5 % len(files)
            layout[variant] = tools.link([pad, *files[turn:], *files[:turn]],
                                         tools.path("off", name, f"{variant}-{number}"),
                                         variant, ["-ldl"])
        layouts.append(layout)
    return layouts, objects


def geometric_mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def measure(tools, lua, rounds, say):
    results, ratios, first = {}, {variant: [] for variant in NAMES}, {}
    for name, sources, flags, arguments in programs(tools, lua):
        layouts, _ = build(tools, name, sources, flags)
        first[name] = layouts[0]
        times = [{variant: [] for variant in VARIANTS} for _ in layouts]
        for _ in range(rounds):
            for number, layout in enumerate(layouts):
                for variant, program in layout.items():
                    times[number][variant].append(float(tools.run([program, *arguments])))
        for variant in ratios:
            mine = [statistics.median(time[variant]) / statistics.median(time["plain"])
                    for time in times]
            ratios[variant] += mine
            results[f"{NAMES[variant]}_{name}"] = geometric_mean(mine)
        say(f"  {name}: {results['off_ratio_' + name]:.4f}, with exits "
            f"{results['off_ratio_exits_' + name]:.4f}, "
            f"XRay {results['xray_off_ratio_' + name]:.4f}, "
            f"{results['xray_off_ratio_exits_' + name]:.4f}")
    # Each program has the same weight, because all have the same number of
    # layouts.
    results.update({NAMES[variant]: geometric_mean(each) for variant, each in ratios.items()})
    return results, first
