#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""matrix.py [options] FILE... -o FOLDER

Compiles, links and runs the files once for each cell of a matrix: installed compilers,
languages, sets of flags, and sets of flags for the link. Each pair of values of two
dimensions is in some cell. Combinations of three values are not all tried, as that would take
minutes and find little. Each program must print the lines `OUT: text` of the first file.
Prints the failed cells, with the command and the difference, and at the end the number of
cells. See README.md of lit-tests for the options' use.
"""

import argparse
import itertools
import os
import re
import shlex
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
INCLUDE = os.path.join(HERE, "..", "..", "..", "runtime", "include")
QEMU = ["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"]
# Maps a name to the commands for C and C++, and to the prefix of the command that runs a program.
COMPILERS = {
    "gcc-12": ("gcc-12", "g++-12", []),
    "clang-14": ("clang-14", "clang++-14", []),
    "clang-16": ("clang-16", "clang++-16", []),
    "clang-19": ("clang-19", "clang++-19", []),
    "clang-22": ("clang-22", "clang++-22", []),
    "aarch64-gcc": ("aarch64-linux-gnu-gcc", "aarch64-linux-gnu-g++", QEMU),
    "aarch64-clang": ("clang-22 --target=aarch64-linux-gnu", "clang++-22 --target=aarch64-linux-gnu", QEMU),
}


def installed(compiler):
    command, _, runner = COMPILERS[compiler]
    if runner and not (shutil.which(runner[0]) and os.path.exists(runner[2])):
        return False
    return shutil.which(command.split()[0]) is not None


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("files", nargs="+")
    parser.add_argument("-o", dest="folder", required=True)
    parser.add_argument("--compilers", default=",".join(COMPILERS), help="names, or prefixes as gcc or aarch64")
    parser.add_argument("--std", default="c11,c++17")
    parser.add_argument("--flags", default="-O0;-O2", help="one cell each, separated by ;")
    parser.add_argument("--common", default="", help="flags for all cells")
    parser.add_argument("--link", default="", help="flags for the link alone; one cell each, separated by ;")
    parser.add_argument("--compile-only", action="store_true", help="neither link nor run")
    parser.add_argument("--fails", default=None, help="compilation must fail and print this regular expression; implies --compile-only")
    parser.add_argument("--warns", default=None, help="compilation must print this regular expression; implies --compile-only")
    parser.add_argument("--quiet", action="store_true", help="compilation must print nothing")
    parser.add_argument("--shared", default=None, help="a file that becomes a shared library next to the program, lib.so")
    parser.add_argument("--then", default=None, help="a command to run after the program; {} is the program")
    parser.add_argument("--no-run", action="store_true", help="link without open-points.c, and do not run")
    return parser.parse_args()


class Cell:
    def __init__(self, options, compiler, std, flags, link):
        self.options, self.std = options, std
        self.cxx = "++" in std
        command = COMPILERS[compiler][1 if self.cxx else 0]
        self.compiler, self.runner = command.split(), COMPILERS[compiler][2]
        self.flags = shlex.split(options.common) + shlex.split(flags)
        if "clang" in compiler:
            self.flags.append("-Wno-unused-command-line-argument")
        self.link = shlex.split(link)
        self.name = " ".join([compiler, std, flags, link]).strip()
        self.folder = os.path.join(options.folder, re.sub(r"[^\w+=-]+", "_", self.name)[:120])
        self.log = ""

    def run(self, command):
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                              cwd=self.folder, timeout=120)
        self.log += f"$ {shlex.join(command)}\n{done.stdout}"
        return done

    def compile(self, file, *more):
        language = []
        std = self.std
        if file.endswith((".c", ".cpp", ".h")):
            cxx = self.cxx or file.endswith(".cpp")
            language = ["-x", "c++" if cxx else "c"]
            std = self.std if cxx == self.cxx else "c++17" if cxx else "c11"
        target = os.path.join(self.folder, os.path.basename(file) + ".o")
        done = self.run([*self.compiler, *language, f"-std={std}", "-I", INCLUDE, "-I", HERE, *self.flags, *more,
                         "-c", file, "-o", target])
        return done, target

    def opener(self):
        """Compiles open-points.c without the cell's flags, because its behavior must not depend on them."""
        target = os.path.join(self.options.folder, f"open-points-{os.path.basename(self.runner[0]) if self.runner else 'host'}.o")
        source = os.path.join(HERE, "open-points.c")
        if not os.path.exists(target) or os.path.getmtime(target) < os.path.getmtime(source):
            compiler = "aarch64-linux-gnu-gcc" if self.runner else "gcc"
            self.run([compiler, "-O1", "-fPIC", "-c", source, "-o", target])
        return target

    def right(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder)
        options = self.options
        objects = []
        for file in options.files:
            done, target = self.compile(file)
            wanted = options.fails or options.warns
            if wanted:
                if (done.returncode != 0) != bool(options.fails):
                    return False
                return re.search(wanted, done.stdout) is not None
            if done.returncode or (options.quiet and done.stdout):
                return False
            objects.append(target)
        if options.compile_only:
            return True
        opener = [] if options.no_run else [self.opener()]
        if options.shared:
            done, target = self.compile(options.shared, "-fPIC")
            library = os.path.join(self.folder, "lib.so")
            if done.returncode or self.run([*self.compiler, *self.flags, *self.link, "-shared", target, *opener,
                                            "-o", library]).returncode:
                return False
        program = os.path.join(self.folder, "program")
        if self.run([*self.compiler, *self.flags, *self.link, *objects, *opener, "-o", program]).returncode:
            return False
        if not options.no_run:
            done = self.run([*self.runner, program])
            if done.returncode or done.stdout != expected(options.files[0]):
                self.log += f"(status {done.returncode})\n"
                return False
        return not options.then or not self.run(shlex.split(options.then.replace("{}", program))).returncode


def expected(file):
    with open(file) as text:
        return "".join(re.findall(r"(?<=\bOUT: ).*\n", text.read()))


def pairs(cell):
    return set(itertools.combinations(enumerate(cell), 2))


def choose(*lists):
    """Cells that together have each pair of values. Cells with the most new pairs come first."""
    left = list(itertools.product(*lists))
    missing = set().union(*map(pairs, left))
    while missing:
        best = max(left, key=lambda cell: len(pairs(cell) & missing))
        left.remove(best)
        missing -= pairs(best)
        yield best


def main():
    options = arguments()
    options.files = [os.path.abspath(file) for file in options.files]
    options.shared = options.shared and os.path.abspath(options.shared)
    options.folder = os.path.abspath(options.folder)
    wanted = options.compilers.split(",")
    compilers = [name for name in COMPILERS if any(name.startswith(word) for word in wanted) and installed(name)]
    failed = []
    cells = list(choose(compilers, options.std.split(","), options.flags.split(";"), options.link.split(";")))
    for choice in cells:
        cell = Cell(options, *choice)
        try:
            right = cell.right()
        except subprocess.TimeoutExpired:
            right = False
            cell.log += "(too slow)\n"
        if right:
            shutil.rmtree(cell.folder)
        else:
            failed.append(cell.name)
            print(f"--- {cell.name}\n{cell.log[-4000:]}")
    print(f"{len(cells) - len(failed)} of {len(cells)} right")
    for name in failed:
        print(f"failed: {name}")
    return 1 if failed or not cells else 0


if __name__ == "__main__":
    sys.exit(main())
