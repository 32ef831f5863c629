# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures points, the trace statements of tprt/trace.h: what they cost while they are off
(points_off.py), their sizes (points_size.py), hits (points_hit.py, next to lttng.py), and
flips (points_flip.py)."""

import lttng
import points_flip
import points_hit
import points_off
import points_size
from toolchain import c_compilers


def measure(tools, rounds, say):
    """The figures, and remarks on what could not be measured."""
    remarks = []
    if "gcc" not in c_compilers(tools):
        remarks.append("GCC is not installed, so points were measured with clang alone")
    if "sdt" not in points_off.ways():
        remarks.append("sys/sdt.h is not installed (systemtap-sdt-dev): no sdt_off_ratio")
    say("  hits, and LTTng-UST's")
    results = points_hit.measure(tools)
    found, missing = lttng.measure(tools)
    results.update(found)
    say(f"  flips of {points_flip.SITES} points and sleds")
    results.update(points_flip.measure(tools))
    say("  sizes")
    results.update(points_size.measure(tools))
    results.update(points_off.measure(tools, rounds, say))
    return results, remarks + missing
