# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the cost of one hit, and of an entry and exit pair: hit_*_ns, pair_*_ns. The
prefix far_ means that the trampolines are out of a jump's reach, unaligned_ that slot and
sled share a line, long_ that the sled has 5 bytes, and code_ that there is no sled, and
code_pun_ that its jump ends in the next instruction's bytes. Also
timed_*_ns, mcount_*_ns, fentry_*_ns, xray_hit_empty_ns, floor_*_ns, uftrace's figure if uftrace
is installed, and the kernel's uprobes' if it lets this user."""

import os
import platform
import shutil

from toolchain import c_compilers, mean_of, sized


def build(tools):
    def out(name):
        return tools.path("hit", name)

    loop = tools.compile("hit_loop.c", out("loop.o"))
    handler = tools.compile("hit_handler.c", out("handler.o"))
    # The function is alone in an aligned cache line, because its layout is not
    # measured here.
    align = ["-falign-functions=64"]
    programs = {}
    for variant, main, libraries, flags in (("tp", "hit.c", ["tprt"], []),
                                            ("tp_exit", "hit.c", ["tprt"], ["-DHIT_PAIR"]),
                                            ("xray", "hit_xray.cpp", [], [])):
        objects = [tools.compile(main, out(f"{variant}-main.o"), flags=flags), loop, handler,
                   tools.compile("hit_target.c", out(f"{variant}-target.o"), variant, align)]
        programs[variant] = tools.link(objects, out(variant), variant, libraries)
        if "tprt" in libraries:
            programs["far_" + variant] = tools.link(objects, out("far_" + variant), variant,
                                                    libraries, near=False)
            # Without that flag, the slot is in the sled's cache line, as usual.
            objects[-1] = tools.compile("hit_target.c", out(f"unaligned-{variant}.o"), variant)
            programs["unaligned_" + variant] = tools.link(objects, out("unaligned_" + variant),
                                                          variant, libraries)
        if variant == "tp":
            # A sled of 5 bytes reaches its stub through an island.
            objects[-1] = tools.compile("hit_target.c", out("long-target.o"), variant,
                                        [*align, "-fplugin-arg-tp-entry=5,0"])
            programs["long_tp"] = tools.link(objects, out("long_tp"), variant, libraries)
    plain = tools.compile("hit_target.c", out("floor-plain.o"),
                          flags=[*align, "-Dhit_target=hit_target_plain"])
    objects = [
        tools.compile("hit_floor.c", out("floor-main.o")), loop, plain,
        tools.compile("hit_target.c", out("floor-target.o"),
                      flags=[*align, "-finstrument-functions-after-inlining"])]
    programs["floor"] = tools.link(objects, out("floor"))
    if platform.machine() == "x86_64":
        objects = [tools.compile("hit_jumps.c", out("jumps-main.o")), loop,
                   tools.compile("hit_jumps_target.S", out("jumps-target.o"))]
        programs["jumps"] = tools.link(objects, out("jumps"))
        for name, flags in (("code_tp", []), ("code_tp_exit", ["-DHIT_PAIR"])):
            objects = [tools.compile("hit.c", out(f"{name}-main.o"), flags=["-DHIT_CODE", *flags]), loop,
                       handler, tools.compile("hit_target.c", out(f"{name}-target.o"), flags=align)]
            programs[name] = tools.link(objects, out(name), libraries=["tprt"])
        objects = [tools.compile("hit.c", out("code_pun_tp-main.o"), flags=["-DHIT_CODE"]), loop, handler,
                   tools.compile("hit_pun_target.S", out("code_pun_tp-target.o"))]
        programs["code_pun_tp"] = tools.link(objects, out("code_pun_tp"), libraries=["tprt"])
        gcc = c_compilers(tools).get("gcc")
        if gcc:  # clang's mcount has its function save registers
            programs["mcount"] = profilers(tools, out, gcc, [loop, handler], align)
        objects = [tools.compile("uprobe.c", out("uprobe-main.o")), *objects[1:]]
        programs["uprobe"] = tools.link(objects, out("uprobe"))
    # Timed groups are not part of the interface, so this program links the static
    # library.
    runtime = os.path.dirname(tools.include)
    objects = [tools.compile("times.cpp", out("timed-main.o"), flags=["-std=c++20", "-I", runtime]), loop,
               tools.compile("hit_target.c", out("timed-target.o"), "tp_exit", align)]
    programs["timed"] = tools.link(objects, out("timed"),
                                   libraries=[os.path.join(os.path.dirname(tools.runtime), "libtprt.a")])
    objects = [tools.compile("hit_uftrace.c", out("uftrace-main.o")), loop, plain,
               tools.compile("hit_target.c", out("uftrace-target.o"), flags=[*align, "-pg"])]
    programs["uftrace"] = tools.link(objects, out("uftrace"))
    return programs


def profilers(tools, out, gcc, others, align):
    """A program with functions that call profilers, and the same functions without the call."""
    for name, flags in (("mcount_target", ["-pg"]), ("mcount_plain", ["-fno-omit-frame-pointer"]),
                        ("fentry_target", ["-pg", "-mfentry"]), ("fentry_plain", [])):
        others.append(tools.compile("mcount_target.c", out(f"{name}.o"), compiler=gcc,
                                    flags=[*align, *flags, f"-Dhit_target={name}"]))
    return tools.link([tools.compile("mcount.c", out("mcount-main.o")), *others], out("mcount"),
                      libraries=["tprt"])


# The addresses of the stack, thread-local words and code differ from process to process.
# So the time of a hit differs, too, most of all for a hand-written counter. Therefore
# many processes are run, and the result is the mean of their medians.
PROCESSES = sized(25, 1)
FEW_PROCESSES = sized(5, 1)
# uftrace records each call, and a uprobe's hit is a trap into the kernel.
SLOW = ("uftrace", "uprobe")


def measure(tools):
    programs = build(tools)
    results = {}
    commands = {name: [program] for name, program in programs.items()}
    uftrace = shutil.which("uftrace")
    if uftrace:
        commands["uftrace"] = [uftrace, "record", "--no-libcall", "-d", tools.path("hit", "recorded"),
                               programs["uftrace"]]
    else:
        del commands["uftrace"]
    taken = {name: [] for name in commands}
    for i in range(PROCESSES):  # interleaved: each program once a round
        for name, command in commands.items():
            if name not in SLOW or i < FEW_PROCESSES:
                taken[name].append(tools.run_numbers(command))
    for name, each in taken.items():
        prefix = name[:name.find("tp")] if name.endswith(("tp", "tp_exit")) else ""
        results.update({prefix + number: value for number, value in mean_of(each).items()})
    if "code_pun_hit_empty_ns" in results:  # the worse of the two
        results["code_pun_hit_over_jump"] = max(results[f"code_pun_hit_{what}_ns"] - results[f"code_hit_{what}_ns"]
                                                for what in ("empty", "counter_total"))
    results["xray_pair_empty_ns"] = 2 * results["xray_hit_empty_ns"]
    # XRay saves vector registers, whatever the handler uses.
    for name in ("hit", "pair"):
        results[f"xray_{name}_vector_ns"] = results[f"xray_{name}_empty_ns"]
    return results
