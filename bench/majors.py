# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures sleds that are off, and the compiler's time, with the other majors of LLVM for
which tp is built: off_ratio_llvmN, off_ratio_exits_llvmN and compile_ratio_c_llvmN, and
XRay's by the same clang. off.py and compile.py have the method.
"""

import argparse
import os

import compile as compiling
import off
from toolchain import Toolchain

RATIOS = ("off_ratio", "off_ratio_exits", "xray_off_ratio", "xray_off_ratio_exits")


def toolchain(args, major, folder, plugin):
    """The tools of another major. The programs are in a folder of their own."""
    out = os.path.join(args.out, f"llvm-{major}")
    return Toolchain(argparse.Namespace(**{**vars(args), "clang": os.path.join(folder, "clang"),
                                           "llvm_bin": folder, "plugin": plugin, "out": out}))


def measure(args, rounds, say):
    results = {}
    for major, folder, plugin in args.other:
        say(f"  LLVM {major}")
        tools = toolchain(args, major, folder, plugin)
        found, _ = off.measure(tools, args.lua, rounds, say)
        found = {name: found[name] for name in RATIOS}
        if args.sqlite:
            found["compile_ratio_c"] = compiling.compile_ratio(tools, args.sqlite, rounds)
        results.update({f"{name}_llvm{major}": value for name, value in found.items()})
    return results
