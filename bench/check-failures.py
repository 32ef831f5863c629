#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs two stages, the first of which cannot work: no program is found, so none can be
pinned to a processor. Fails unless the second one's figures are written and the first is
named.

usage: check-failures.py OUT COMMAND_OF_RUN_PY...
"""
import json
import os
import shutil
import subprocess
import sys

out, command = sys.argv[1], sys.argv[2:]
shutil.rmtree(out, ignore_errors=True)
# A Python given by name, or one that is a script, would not be found either.
done = subprocess.run([sys.executable, *command[1:], "--out", out, "--only", "code", "compile"], text=True,
                      capture_output=True, env={**os.environ, "PATH": "/nonexistent"})
with open(os.path.join(out, "results.json")) as file:
    results = json.load(file)
with open(os.path.join(out, "results.md")) as file:
    written = file.read()
wrong = [what for what, holds in {
    "the exit status is not 1": done.returncode == 1,
    "the stage that failed is not named": "bench: failed: code\n" in done.stderr,
    "the results do not say which stage failed": "the stage code failed" in written,
    "the figures of the other stage are missing": "object_size_ratio" in results,
    "there are figures of the stage that failed": not any(name.startswith("code_") for name in results),
}.items() if not holds]
if wrong:
    sys.exit("\n".join([*wrong, done.stdout, done.stderr]))
