#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""probe-address.py FILE: prints the offsets in the file of the first SDT note's probe and of its
semaphore, as a tracer computes them."""
import os
import struct
import sys
from importlib.machinery import SourceFileLoader

inputs = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "Inputs")
linked = SourceFileLoader("linked", os.path.join(inputs, "check-linked.py")).load_module()
elf = linked.Elf(sys.argv[1])
# The owner's name is 8 bytes after the note's head of 12.
at = elf.data.index(b"stapsdt\0") + 8
pc, _, semaphore = struct.unpack_from("<QQQ", elf.data, at)
for address in (pc, semaphore):
    segment = elf.segment_at(address)
    print(hex(address - segment[2] + segment[1]))
