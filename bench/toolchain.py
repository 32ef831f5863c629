# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles and runs the benchmark programs in each way of instrumenting."""

import os
import shutil
import statistics
import subprocess

# XRay's threshold is lowered, so that XRay instruments the same functions as tp.
XRAY = ["-fxray-instrument", "-fxray-instruction-threshold=1"]
# The variants with only entries, and those with entries and exits.
ENTRIES = ("plain", "tp", "xray_entry")
BOTH = ("tp_exit", "xray")


# TP_BENCH_SMALLEST=1 runs each stage in its smallest form, to check that it works. The
# figures then mean nothing.
SMALLEST = os.environ.get("TP_BENCH_SMALLEST", "0") != "0"


def sized(usual, smallest):
    """How much of something a stage measures."""
    return smallest if SMALLEST else usual


class BenchError(Exception):
    """A step that failed, in words."""


class Toolchain:
    def __init__(self, args):
        self.clang = args.clang
        self.nm = os.path.join(args.llvm_bin, "llvm-nm")
        self.readelf = os.path.join(args.llvm_bin, "llvm-readelf")
        self.objcopy = os.path.join(args.llvm_bin, "llvm-objcopy")
        self.objdump = os.path.join(args.llvm_bin, "llvm-objdump")
        self.src = os.path.join(os.path.dirname(os.path.abspath(__file__)), "src")
        self.include = args.include
        self.runtime = args.runtime
        self.near = os.path.join(os.path.dirname(args.runtime), "tprt_near.o")
        self.out = args.out
        self.flags = {
            "plain": [],
            "tp": [f"-fplugin={args.plugin}", "-fplugin-arg-tp-entry=2,0"],
            "tp_exit": [f"-fplugin={args.plugin}", "-fplugin-arg-tp-entry=2,0",
                        "-fplugin-arg-tp-exit"],
            "xray": XRAY,
            "xray_entry": [*XRAY, "-fxray-instrumentation-bundle=function-entry"],
            "pfe": ["-fpatchable-function-entry=2"],
        }
        # Programs run on the last CPU, because the first one usually serves more
        # interrupts.
        self.cpu = max(os.sched_getaffinity(0))

    def path(self, *parts):
        """A path below the output folder, whose folder exists."""
        path = os.path.join(self.out, *parts)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        return path

    def call(self, command):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise BenchError(f"failed ({done.returncode}): {' '.join(command)}\n{done.stderr}")
        return done.stdout

    def compile(self, source, output, variant="plain", flags=(), compiler=None):
        """Compiles by clang, or by another compiler for C if one is named."""
        if not os.path.isabs(source):
            source = os.path.join(self.src, source)
        compiler = compiler or (self.clang + "++" if source.endswith(".cpp") else self.clang)
        self.call([compiler, "-O2", "-I", self.src, "-I", self.include, *self.flags[variant],
                   *flags, "-c", source, "-o", output])
        return output

    def link(self, objects, output, variant="plain", libraries=(), near=True):
        """Links a position-independent executable, with libtprt or XRay's runtime if asked
        for. With `near` it gets trampolines within reach of direct jumps, as tp-clang does.
        Without, it is linked as by -ltprt alone, or as a program with LD_PRELOAD."""
        extra = ["-lm", *libraries]
        if variant.startswith("xray"):
            extra += ["-fxray-instrument"]
        if "tprt" in extra:
            extra.remove("tprt")
            extra += [self.runtime, f"-Wl,-rpath,{os.path.dirname(self.runtime)}"]
            if near and os.path.exists(self.near):
                extra.append(self.near)
        compiler = self.clang + "++" if variant.startswith("xray") else self.clang
        self.call([compiler, "-pie", *objects, "-pthread", *extra, "-o", output])
        return output

    def run(self, command, pinned=True):
        """Runs a program, on one CPU if `pinned`. Returns its standard output."""
        if pinned:
            command = ["taskset", "-c", str(self.cpu), *command]
        return self.call(command)

    def run_numbers(self, command, pinned=True):
        """Runs a program. Returns the "name value" lines that it prints, as a dictionary."""
        pairs = (line.split() for line in self.run(command, pinned).splitlines())
        return {name: float(value) for name, value in pairs}


def c_compilers(tools):
    """The compilers of C that points are measured with: clang, and GCC if it is installed."""
    found = {"clang": tools.clang, "gcc": shutil.which("gcc-12") or shutil.which("gcc")}
    return {name: path for name, path in found.items() if path}


def mean_of(rounds):
    """Means, name by name, over dictionaries of numbers."""
    return {name: statistics.mean(each[name] for each in rounds) for name in rounds[0]}


def median_of(rounds):
    """Medians, name by name, over dictionaries of numbers."""
    return {name: statistics.median(each[name] for each in rounds) for name in rounds[0]}
