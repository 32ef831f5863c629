"""Builds a program for profilers with each installed compiler, runs the program, and prints the
errors.

each-compiler.py SOURCE PROGRAM FLAG...
"""

import os
import shutil
import subprocess
import sys

source, program, *flags = sys.argv[1:]
right = "entries 100, sum of arguments 9900, results right\n"
ways = (("-pg",), ("-pg", "-mfentry"), ("-finstrument-functions", "-DOWN"))
compilers = [name for name in ("gcc-12", "clang-14", "clang-16", "clang-19") if shutil.which(name)]
wrong = 0
for compiler in compilers:
    for way in ways:
        subprocess.run([compiler, "-O2", *way, source, *flags, "-o", program], check=True)
        # A program writes gmon.out to its working folder at its end.
        got = subprocess.run([program], cwd=os.path.dirname(program), capture_output=True, text=True)
        if got.stdout != right or got.returncode:
            print("wrong:", compiler, *way, got.stdout, got.stderr, got.returncode)
            wrong += 1
if not wrong:
    print("all right")
