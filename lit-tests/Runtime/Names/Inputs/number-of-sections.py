"""Moves the number of sections, and the index of their names, from a file's ELF header to its
first section header, as in files with too many sections for the ELF header."""
import struct
import sys

with open(sys.argv[1], "r+b") as file:
    head = bytearray(file.read(64))
    (sections,) = struct.unpack_from("<Q", head, 0x28)
    count, names = struct.unpack_from("<HH", head, 0x3C)
    struct.pack_into("<HH", head, 0x3C, 0, 0xFFFF)
    file.seek(0)
    file.write(head)
    file.seek(sections + 0x20)  # sh_size, sh_link
    file.write(struct.pack("<QI", count, names))
