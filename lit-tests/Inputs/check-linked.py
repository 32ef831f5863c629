#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check-linked.py [--like PLAIN] [--max N] FILE

Reads the sled table of a linked ELF file as a loader would, from PT_NOTE on, and
compares every record with the code. The sled's bytes must be those of its shape.
The record's function must have a symbol; an entry sled lies there, after a landing
pad, or on PowerPC64 at the local entry. Nothing may relocate the table, and no segment with the table may be writable.
Prints the number of records and at most N (20) functions by name, for FileCheck;
aliases are joined by "=". Each fault is a line on standard error, and the exit
code is then 1. docs/reference/table-abi.md describes the format.

--like PLAIN: the same link without sleds. Both links must have the same number of sections
in RELRO, segments with the same permissions, and the same number of dynamic relocations.
"""

import argparse
import struct
import sys

PT_LOAD, PT_DYNAMIC, PT_NOTE, PT_GNU_RELRO = 1, 2, 4, 0x6474E552
PF_X, PF_W, PF_R = 1, 2, 4
SHT_SYMTAB, SHT_NOBITS, SHT_DYNSYM = 2, 8, 11
STT_FUNC, STT_GNU_IFUNC = 2, 10
DT_PLTRELSZ, DT_RELA, DT_RELASZ, DT_JMPREL, DT_RELRSZ, DT_RELR = 2, 7, 8, 23, 35, 36
X86_64, AARCH64, PPC64 = 62, 183, 21
RECORD = struct.Struct("<iiBBBB")
EVENTS = ("entry", "exit", "tail-exit")
PLAIN, SHORT, LONG, RET, WORD = range(5)
NEAR = 128
NOP_WORDS = {AARCH64: bytes.fromhex("1f2003d5"), PPC64: bytes.fromhex("00000060")}
# endbr64; bti c and jc, paciasp, pacibsp.
LANDING_PADS = {bytes.fromhex(pad) for pad in
                ("f30f1efa", "5f2403d5", "df2403d5", "3f2303d5", "7f2303d5")}


class Elf:
    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = file.read()
        head = struct.unpack_from("<16sHHIQQQIHHHHHH", self.data)
        if head[0][:6] != b"\x7fELF\2\1":
            sys.exit(f"{path}: not a little-endian 64-bit ELF file")
        self.machine = head[2]
        self.others = {}  # st_other of the function at each address
        self.segments = [struct.unpack_from("<IIQQQQQQ", self.data, head[5] + i * head[9])
                         for i in range(head[10])]
        self.sections = [struct.unpack_from("<IIQQQQIIQQ", self.data, head[6] + i * head[11])
                         for i in range(head[12])]

    def of_type(self, kind):
        """Segments as (flags, offset, address, size in memory, in the file)."""
        return [(s[1], s[2], s[3], s[6], s[5]) for s in self.segments if s[0] == kind]

    def segment_at(self, address, size=1):
        for segment in self.of_type(PT_LOAD):
            if segment[2] <= address and address + size <= segment[2] + segment[3]:
                return segment
        return None

    def read(self, address, size):
        segment = self.segment_at(address, size)
        if not segment:
            return b""
        start = segment[1] + address - segment[2]
        return self.data[start:start + size]

    def functions(self):
        """Names of the functions at each address."""
        found = {}
        for section in self.sections:
            if section[1] not in (SHT_SYMTAB, SHT_DYNSYM):
                continue
            strings = self.sections[section[6]][4]
            for at in range(section[4], section[4] + section[5], 24):
                name, info, other, index, value, _ = struct.unpack_from("<IBBHQQ", self.data, at)
                if index and info & 15 in (STT_FUNC, STT_GNU_IFUNC):
                    end = self.data.index(0, strings + name)
                    found.setdefault(value, set()).add(self.data[strings + name:end].decode())
                    self.others[value] = other
        return found

    def local_entry(self, function):
        """PowerPC64: the bytes between the two entries (ELFv2 specification, "Symbol Values")."""
        code = self.others.get(function, 0) >> 5
        return 1 << code if 2 <= code <= 6 else 0

    def dynamic_relocations(self):
        """Addresses that the loader writes to."""
        values = {}
        for _, offset, _, _, size in self.of_type(PT_DYNAMIC):
            values = dict(struct.unpack_from("<QQ", self.data, at)
                          for at in range(offset, offset + size, 16))
        for table, size in ((DT_RELA, DT_RELASZ), (DT_JMPREL, DT_PLTRELSZ)):
            if table in values:
                data = self.read(values[table], values[size])
                for address, _, _ in struct.iter_unpack("<QQq", data):
                    yield address
        if DT_RELR in values:
            base = 0
            for (entry,) in struct.iter_unpack("<Q", self.read(values[DT_RELR], values[DT_RELRSZ])):
                if entry & 1 == 0:
                    yield entry
                    base = entry + 8
                else:
                    for bit in range(63):
                        if entry >> bit + 1 & 1:
                            yield base + 8 * bit
                    base += 8 * 63


class Checker:
    def __init__(self, elf):
        self.elf = elf
        self.faults = 0
        self.ranges = []  # what must be constant: (start, stop, name)

    def fault(self, text):
        self.faults += 1
        print(f"error: {text}", file=sys.stderr)

    def find_table(self):
        """Returns the table's start and stop from the notes, or None without a note."""
        tables = set()
        for _, offset, address, _, size in self.elf.of_type(PT_NOTE):
            data = self.elf.data[offset:offset + size]
            for at in range(0, size - 31, 4):
                names, descriptors, kind = struct.unpack_from("<III", data, at)
                if names == 3 and data[at + 12:at + 16] == b"tp\0\0" and kind == 1:
                    if descriptors != 16:
                        self.fault(f"the note's descriptor has {descriptors} bytes")
                    place = address + at + 16
                    start, stop = struct.unpack_from("<qq", data, at + 16)
                    tables.add((place + start, place + 8 + stop))
                    self.ranges.append((place - 16, place + 16, "the note"))
        if len(tables) > 1:
            self.fault("the notes name different tables")
        return tables.pop() if tables else None

    def check_constant(self):
        relocated = list(self.elf.dynamic_relocations())
        for start, stop, name in self.ranges:
            for address in relocated:
                if start - 8 < address < stop:
                    self.fault(f"{name} has a dynamic relocation at {address:#x}")
            segment = self.elf.segment_at(start, stop - start)
            if not segment:
                self.fault(f"{name} is in no segment")
            elif segment[0] & PF_W or not segment[0] & PF_R:
                self.fault(f"{name} is not in a read-only segment")

    def code(self, address, size):
        segment = self.elf.segment_at(address, size)
        if not segment or not segment[0] & PF_X:
            self.fault(f"{address:#x} is not in code")
            return b""
        return self.elf.read(address, size)

    def check_shape(self, where, shape, sled, function, size, slot):
        found = self.code(sled, size)
        if shape == WORD:
            good = sled % 4 == 0 and found[:4] == NOP_WORDS.get(self.elf.machine)
        elif self.elf.machine != X86_64:
            good = False
        elif shape == SHORT:
            good = sled % 2 == 0 and found[:2] == b"\x66\x90"
            good = good and slot >= 5 and self.code(function - slot, 5) == b"\xcc" * 5
        elif shape == LONG:
            good = sled % 8 <= 3 and found[:5] == b"\x0f\x1f\x44\0\0"
        elif shape == RET:
            good = found[:5] == b"\xc3\xcc\xcc\xcc\xcc"
        else:
            good = shape == PLAIN and found[:1] in (b"\x90", b"\x66", b"\x0f")
        if not good:
            self.fault(f"{where}: bytes {found.hex()} at {sled:#x}, slot {slot}, "
                       f"are not of shape {shape}")

    def check_exit(self, where, after):
        """PowerPC64: blr, b or bctr follows an exit sled, perhaps after XRay's padding."""
        words = [self.code(after, 4), self.code(after + 4, 4)]
        (word,) = struct.unpack("<I", words[words[0] == NOP_WORDS[PPC64]] or bytes(4))
        if word not in (0x4E800020, 0x4E800420) and word & 0xFC000003 != 0x48000000:
            self.fault(f"{where}: {word:08x} at {after:#x} does not leave the function")

    def records(self, start, stop):
        """Checks each record; yields its event and names."""
        names = self.elf.functions()
        seen = {}
        if start % 4 or (stop - start) % RECORD.size:
            return self.fault("the table is not aligned or not a whole number of records")
        data = self.elf.read(start, stop - start)
        sled = None
        for number, fields in enumerate(RECORD.iter_unpack(data)):
            place = start + number * RECORD.size
            kind, size, slot, needs = fields[2:]
            if needs & NEAR and sled is None:
                return self.fault("the first record says that another record is before it")
            sled = fields[0] + (sled if needs & NEAR else place)
            function = fields[1] + (sled if needs & NEAR else place + 4)
            event, shape = kind & 3, kind >> 4 & 7
            if function not in names:
                self.fault(f"record {number}: no function at {function:#x}")
            where = "=".join(sorted(names.get(function, ("?",))))
            if event >= len(EVENTS):
                self.fault(f"{where}: unknown event {event}")
                continue
            # Folding of identical code may leave two records for one sled. These
            # records must agree, except about the registers that hold arguments.
            facts = (function, event, shape, size, slot, needs & ~NEAR)
            if seen.setdefault(sled, facts) != facts:
                self.fault(f"{where}: two different records for the sled at {sled:#x}")
            if event == 0 and self.elf.machine == PPC64:
                if sled - function != self.elf.local_entry(function):
                    self.fault(f"{where}: {sled - function} bytes before the sled, and "
                               f"{self.elf.local_entry(function)} before the local entry")
            elif event == 0 and sled != function:
                pad = self.elf.read(function, 4)
                if pad not in LANDING_PADS or not 4 <= sled - function < 16:
                    self.fault(f"{where}: {sled - function} bytes before the sled")
            self.check_shape(where, shape, sled, function, size, slot)
            if event and self.elf.machine == PPC64:
                self.check_exit(where, sled + size)
            yield EVENTS[event], where


def protections(elf):
    """Returns the sections that are read-only after relocation,
    the segments' flags, and the dynamic relocations."""
    relro = {section[3] for section in elf.sections if section[5] and section[1] != SHT_NOBITS
             for _, _, address, size, _ in elf.of_type(PT_GNU_RELRO)
             if address <= section[3] < address + size}
    return (f"{len(relro)} sections in RELRO, segments with flags "
            f"{sorted(segment[0] for segment in elf.of_type(PT_LOAD))}, "
            f"{len(list(elf.dynamic_relocations()))} dynamic relocations")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--like", metavar="PLAIN")
    parser.add_argument("--max", type=int, default=20)
    parser.add_argument("file")
    args = parser.parse_args()
    elf = Elf(args.file)
    checker = Checker(elf)
    table = checker.find_table()
    lines = []
    if not table:
        print("no note")
    elif table[1] - table[0] < RECORD.size:
        print("no records")
    else:
        checker.ranges.append((*table, "the table"))
        lines = sorted(checker.records(*table))
        print(f"{len(lines)} records")
    checker.check_constant()
    for event, name in lines[:args.max]:
        print(event, name)
    if args.like:
        found, plain = protections(elf), protections(Elf(args.like))
        if found != plain:
            checker.fault(f"{found}, but without sleds {plain}")
    sys.exit(1 if checker.faults else 0)


if __name__ == "__main__":
    main()
