#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tables.py FILE STATEMENTS: measures the cost of the statements of a linked file, without cold
code. Fails if that is more than 16 bytes of table and 9 bytes of hot text a statement, if a
relocation at run time or a symbol of binding GNU_UNIQUE is left, or if the tables are
writable."""
import os
import struct
import sys
from importlib.machinery import SourceFileLoader

inputs = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "Inputs")
linked = SourceFileLoader("linked", os.path.join(inputs, "check-linked.py")).load_module()
elf, statements = linked.Elf(sys.argv[1]), int(sys.argv[2])
names = elf.sections[struct.unpack_from("<H", elf.data, 62)[0]][4]
faults = []


def name_of(section):
    return elf.data[names + section[0]:].split(b"\0", 1)[0].decode()


def must(right, text):
    if not right:
        faults.append(text)


sections = {name_of(section): section for section in elf.sections}
size = sections["tp_points"][5] if "tp_points" in sections else 0
must(size == 16 * statements, f"a table of {size} bytes")
for name in ("tp_points", ".rodata"):
    must(name not in sections or not sections[name][2] & 1, f"{name} is writable")
relocated = list(elf.dynamic_relocations())
must(not relocated, f"{len(relocated)} dynamic relocations")
for section in elf.sections:
    if section[1] in (linked.SHT_SYMTAB, linked.SHT_DYNSYM):
        for at in range(section[4], section[4] + section[5], 24):
            must(elf.data[at + 4] >> 4 != 10, "a symbol is GNU_UNIQUE")
    if section[1] == linked.SHT_DYNSYM:
        text = elf.data[section[4]:section[4] + section[5]]
        objects = sum(text[at + 6:at + 8] != b"\0\0" and text[at + 4] & 15 in (1, 10) for at in range(0, len(text), 24))
        must(not objects, f"{objects} objects are exported")
if not faults:
    at = sections["tp_points"][3]
    table = elf.read(at, size)
    led = [at + i + struct.unpack_from("<i", table, i)[0] for i in range(0, len(table), 4)]
    gates, i = [], 0
    while i < len(led):
        is_static_branch = led[i] & 7 == 7
        if is_static_branch:
            gates.append(led[i + 1])
        i += 3 if is_static_branch else 1
    must(len(gates) == statements, f"{len(gates)} gates")
    hot = (max(gates) + 5 - min(gates)) / statements
    must(hot <= 9, f"{hot} bytes of hot text a statement")
for fault in faults:
    print(fault)
sys.exit(bool(faults))
