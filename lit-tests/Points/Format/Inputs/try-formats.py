#!/usr/bin/env python3
"""Compiles each format of a test by each C++ compiler that is installed.

A line of the test is an expression that checks a format, and after // what is
expected: `compiles`, or `fails: NAME` with the function that the compiler's message
must name. All expressions of a test are compiled at once, and each has a separate file name
in messages. An expression whose message is not as expected is compiled separately, because
GCC does not repeat a message. The output has one line per compiler with the number of its
expressions, and one line per unexpected result.

usage: try-formats.py STANDARD INCLUDE TEST CLANG++
"""
import re
import shutil
import subprocess
import sys

standard, include, test, clang = sys.argv[1:]
cases = [re.match(r"(check_.*\)) *// (compiles|fails: (\w+))$", line.strip()) for line in open(test)]
cases = [case for case in cases if case]
# Users of Debian 12 have clang 14 and 16, in addition to GCC 12.
compilers = [clang] + [found for name in ("clang++-16", "clang++-14", "g++-12") if (found := shutil.which(name))]


def compile_text(compiler, cases):
    text = '#include "tprt/trace_format.h"\nusing namespace tprt::detail;\n'
    text += "".join(f'#line 1 "case{index}"\nstatic_assert({case[1]}, "");\n' for index, case in enumerate(cases))
    unlimited = "-ferror-limit=0" if "clang" in compiler else "-fmax-errors=0"
    return subprocess.run(
        [compiler, f"-std=c++{standard}", "-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only", unlimited, "-I", include,
         "-x", "c++", "-"],
        input=text, capture_output=True, text=True)


def messages_of(stderr, count):
    """The compiler's messages for each case, from its error to the next case's error."""
    of = [""] * count
    current = None
    for line in stderr.splitlines():
        if begins := re.match(r"case(\d+):\d+:\d+: error:", line):
            current = int(begins[1])
        if current is not None:
            of[current] += line + "\n"
    return of


surprises = 0
for compiler in compilers:
    good = compile_text(compiler, [case for case in cases if case[2] == "compiles"])
    if good.returncode:
        surprises += 1
        print(f"SURPRISE {compiler}:\n{good.stderr}")
    bad = [case for case in cases if case[3]]
    alone = 0
    for case, messages in zip(bad, messages_of(compile_text(compiler, bad).stderr, len(bad))):
        if case[3] in messages:
            continue
        alone += 1
        done = compile_text(compiler, [case])
        if not done.returncode or case[3] not in done.stderr:
            surprises += 1
            print(f"SURPRISE {compiler}: {case[0]}\n{done.stderr}")
    print(f"{compiler.split('/')[-1]}: {len(cases)} formats, {alone} of them compiled alone")
print(f"{surprises} surprises")
sys.exit(surprises > 0 or not cases)
