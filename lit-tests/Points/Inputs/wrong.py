#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""wrong.py FILE MATRIX...: runs the matrix once for each fault in the file. The file
has the languages in which the fault is tried, and a pattern for the message."""
import re
import subprocess
import sys

faults = re.findall(r"WRONG == (\d+) // (\S+) // (.*)", open(sys.argv[1]).read())
# Without a statement, the file compiles.
faults.append(("0", "c11,c++17,c++20", ""))
failed = len(faults) < 2
for number, languages, message in faults:
    command = [*sys.argv[2:], sys.argv[1], "--common=-DWRONG=" + number, "--flags=-O0", "--std", languages,
               *(["--fails", message] if message else ["--compile-only"]), "--compilers", "gcc-12,clang-14,clang-22"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        failed = True
        print(f"=== {number} in {languages}: {message}\n{done.stdout}")
sys.exit(failed)
