# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures how long a snapshot of a ring of 64 MB holds up a thread that goes on recording:
snapshot_pause_us. src/record_snapshot.c says how."""

import os
import tempfile

from toolchain import sized

RING_MB = sized(64, 1)


def measure(tools):
    path = tools.path("record", "record_snapshot")
    objects = [tools.compile("record_snapshot.c", f"{path}.o"),
               tools.compile("hit_target.c", f"{path}-target.o", "tp_exit")]
    program = tools.link(objects, path, "tp_exit", ["tprt"])
    memory = "/dev/shm" if os.path.isdir("/dev/shm") else None
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        results = tools.run_numbers([program, os.path.join(folder, "ring.tp"),
                                     os.path.join(folder, "snapshot.tp"), str(RING_MB)], pinned=False)
    pause = results["snapshot_longest_us"] - results["no_snapshot_longest_us"]
    return {"snapshot_pause_us": max(0.0, pause), **results}
