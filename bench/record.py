# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures what recording a call costs: record_pair_ns (entry and exit), record_entry_ns,
record_all_pair_ns, and two bare reads of the counter, clock_pair_ns. Also the same call
under XRay's flight data recorder and under uftrace. What they write is in memory
(/dev/shm), if there is such a folder."""

import os
import shutil
import statistics
import tempfile

from toolchain import median_of, sized

# Each process has its stack, words and code at other addresses, so several are
# run.
PROCESSES = sized(9, 1)
RING = "mode=newest,size=4M"
XRAY_FDR = {
    "XRAY_OPTIONS": "patch_premain=true xray_mode=xray-fdr verbosity=0",
    # Otherwise it drops calls of less than 5 us.
    "XRAY_FDR_OPTIONS": "func_duration_threshold_us=0",
}


def build(tools):
    def out(name):
        return tools.path("record", name)

    align = ["-falign-functions=64"]
    common = [tools.compile("hit_record.c", out("main.o")), tools.compile("hit_loop.c", out("loop.o")),
              tools.compile("hit_target.c", out("plain.o"), flags=[*align, "-Dhit_target=hit_target_plain"])]
    programs = {}
    for name, variant, libraries, flags in (("tp", "tp", ["tprt"], []), ("tp_exit", "tp_exit", ["tprt"], []),
                                            ("xray", "xray", [], []), ("uftrace", "plain", [], ["-pg"])):
        target = tools.compile("hit_target.c", out(f"{name}-target.o"), variant, [*align, *flags])
        programs[name] = tools.link([*common, target], out(name), variant, libraries)
    return programs


def commands(tools, programs, folder):
    """By the name of the figure: what is set in the environment, and the command."""
    def options(file, mode):
        path = os.path.join(folder, file)
        return {"TPRT_OPTIONS": f"record={path}:hit_target,{mode}"}

    found = {
        "record_pair": (options("pair", RING), [programs["tp_exit"]]),
        "record_entry": (options("entry", RING), [programs["tp"]]),
        "record_all_pair": (options("all", "mode=all"), [programs["tp_exit"]]),
        "xray_fdr_pair": ({**XRAY_FDR, "XRAY_OPTIONS": XRAY_FDR["XRAY_OPTIONS"] +
                           f" xray_logfile_base={folder}/xray-"}, [programs["xray"]]),
    }
    uftrace = shutil.which("uftrace")
    if uftrace:
        found["uftrace_record_pair"] = ({}, [uftrace, "record", "--no-libcall", "-d",
                                             os.path.join(folder, "uftrace"), programs["uftrace"]])
    return found


def measure(tools):
    programs = build(tools)
    taken = {}
    memory = "/dev/shm" if os.path.isdir("/dev/shm") else None
    for _ in range(PROCESSES):  # interleaved
        with tempfile.TemporaryDirectory(dir=memory) as folder:
            for name, (environment, command) in commands(tools, programs, folder).items():
                variables = [f"{key}={value}" for key, value in environment.items()]
                taken.setdefault(name, []).append(tools.run_numbers(["env", *variables, *command, name]))
    results = {}
    for name, each in taken.items():
        results[name + "_ns"] = median_of(each)[name + "_ns"]
    ours = taken["record_pair"]
    results["clock_read_ns"] = statistics.median(each["clock_read_ns"] for each in ours)
    results["clock_pair_ns"] = statistics.median(each["clock_pair_ns"] for each in ours)
    results["record_pair_over_clock_ns"] = results["record_pair_ns"] - results["clock_pair_ns"]
    return results
