# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the code addresses of an x86-64 library, exported or taken by its own code
and data, that do not begin with endbr64. The arguments are the outputs of
`llvm-objdump -d --no-show-raw-insn` and `llvm-readelf -srW` for the library."""
import re
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    code = file.read()
with open(sys.argv[2], encoding="utf-8") as file:
    symbols = file.read()

instructions = {int(at, 16): text for at, text in re.findall(r"^ *([0-9a-f]+):\s+(\S+)", code, re.M)}


def report(name, addresses):
    code_addresses = sorted(a for a in addresses if a in instructions)
    bare = [hex(a) for a in code_addresses if instructions[a] != "endbr64"]
    print(f"{name}: {len(code_addresses)}, without: {bare}")


dynamic = symbols.split("'.dynsym'")[1].split("Symbol table")[0]
report("exported", {int(at, 16) for at in re.findall(r": ([0-9a-f]+) +\d+ FUNC +\S+ +DEFAULT +\d", dynamic)})
# Instructions that load addresses, and words that the loader fills in from the library's own base.
report("taken", {int(at, 16) for at in re.findall(r"\blea\S*\s.*# (0x[0-9a-f]+)", code)}
       | {int(at, 16) for at in re.findall(r"R_X86_64_RELATIVE +([0-9a-f]+)", symbols)})
