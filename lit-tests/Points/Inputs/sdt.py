#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""sdt.py FILE EXPECTED: the SDT notes of a linked file, `provider:name` and the sizes of its
arguments, sorted, must equal the lines of the second file. Also fails if a note violates the format that tracers
expect: SystemTap's UserSpaceProbeImplementation, and libbpf's usdt.c for the arguments."""
import os
import re
import struct
import sys
from importlib.machinery import SourceFileLoader

inputs = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "Inputs")
linked = SourceFileLoader("linked", os.path.join(inputs, "check-linked.py")).load_module()
ARGUMENT = {
    linked.X86_64: r"-?[1248]@(\$-?\d+|%[a-z][a-z0-9]+|-?\d*\(%[a-z0-9]+\))",
    linked.AARCH64: r"-?[1248]@(-?\d+|x\d+|\[(sp|x\d+)(, ?-?\d+)?\])",
}
elf = linked.Elf(sys.argv[1])
names = elf.sections[struct.unpack_from("<H", elf.data, 62)[0]][4]
text = {elf.data[names + s[0]:].split(b"\0", 1)[0].decode(): s for s in elf.sections}
notes = text[".note.stapsdt"]
faults, lines = [], []
at, end = notes[4], notes[4] + notes[5]
while at < end:
    name_size, size, kind = struct.unpack_from("<III", elf.data, at)
    if (name_size, kind, elf.data[at + 12:at + 20]) != (8, 3, b"stapsdt\0"):
        sys.exit(f"no SDT note of version 3 at {at:#x}")
    pc, base, semaphore = struct.unpack_from("<QQQ", elf.data, at + 20)
    provider, name, arguments, *rest = elf.data[at + 44:at + 20 + size].decode().split("\0")
    if rest != [""]:
        faults.append(f"{name}: {rest} after its strings")
    if base != text[".stapsdt.base"][3]:
        faults.append(f"{name}: base {base:#x}")
    nop = b"\x90\x90" if elf.machine == linked.X86_64 else linked.NOP_WORDS[elf.machine] * 2
    if elf.read(pc, len(nop)) != nop or not elf.segment_at(pc)[0] & linked.PF_X:
        faults.append(f"{name}: no two nops at {pc:#x}")
    segment = elf.segment_at(semaphore, 2)
    if not segment or not segment[0] & linked.PF_W or elf.read(semaphore, 2) != b"\0\0":
        faults.append(f"{name}: semaphore {semaphore:#x}")
    form = ARGUMENT[elf.machine]
    if not re.fullmatch(f"({form}( {form})*)?", arguments):
        faults.append(f"{name}: arguments `{arguments}`")
    lines.append(f"{provider}:{name} {' '.join(re.findall(r'(-?[1248])@', arguments))}".strip())
    at += 20 + (size + 3) // 4 * 4
with open(sys.argv[2]) as expected:
    if sorted(lines) != expected.read().splitlines():
        faults += ["the notes are:", *sorted(lines)]
for fault in faults:
    print(fault)
sys.exit(bool(faults))
