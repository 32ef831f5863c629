# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures what LD_PRELOAD=libtprt.so costs a program that ends at once, /bin/true, without
TPRT_OPTIONS: preload_ms, preload_rss_kb. The same of uftrace's libmcount, where uftrace is
installed. Each is over the same program alone.

Without a folder for its data, libmcount ends the program. So the programs run in a folder
that has one, as they do under `uftrace record`."""

import glob
import os
import shutil

from toolchain import sized

ROUNDS = sized(1000, 10)


def libmcount():
    """The path of uftrace's library, in a list; empty: it is not installed."""
    uftrace = shutil.which("uftrace")
    prefix = uftrace and os.path.dirname(os.path.dirname(uftrace))
    folders = ("lib/uftrace", "lib/*/uftrace", "lib", "lib64")
    return [path for folder in folders for path in glob.glob(f"{prefix}/{folder}/libmcount.so")][:1]


def measure(tools):
    # Any small program would do, but this one is everywhere.
    main = tools.compile("preload.c", tools.path("preload", "main.o"), flags=["-D_GNU_SOURCE"])
    program = tools.link([main], tools.path("preload", "preload"))
    folder = tools.path("preload", "run", "uftrace.data", "")
    ways = ["plain=", f"tprt={tools.runtime}", *(f"uftrace={path}" for path in libmcount())]
    command = ["env", f"--chdir={os.path.dirname(os.path.dirname(folder))}", program, str(ROUNDS), *ways]
    found = tools.run_numbers(command)
    shutil.rmtree(folder)  # libmcount leaves a file in it for each process
    results = {"plain_start_ms": found["plain_ms"], "plain_start_rss_kb": found["plain_rss_kb"]}
    for prefix, way in (("", "tprt"), ("uftrace_", "uftrace")):
        if f"{way}_ms" in found:
            for figure in ("ms", "rss_kb"):
                results[f"{prefix}preload_{figure}"] = found[f"{way}_{figure}"] - found[f"plain_{figure}"]
    return results
