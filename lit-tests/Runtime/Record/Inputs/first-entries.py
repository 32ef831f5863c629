# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Prints how many threads a recording has, and how many of their first entries have a time
# before the block that they are in was claimed (tprt/trace_file.h).
# usage: first-entries.py FILE
import struct
import sys

MAGIC = b"tpbk"
HEAD = struct.Struct("<4sHHQQIIIIIIQII")
TIME_BITS = 40

data = open(sys.argv[1], "rb").read()
threads, early = set(), 0
for at in range(0, len(data), 4096):
    if data[at:at + 4] != MAGIC:
        continue
    _, kind, _, _, counter, _, _, thread = HEAD.unpack_from(data, at)[:8]
    if not thread or thread in threads:
        continue
    place = at + HEAD.size
    while place + 8 <= len(data):
        word, = struct.unpack_from("<Q", data, place)
        if not word:
            break
        if word & 3:
            threads.add(thread)
            early += ((word >> 24) - counter) % (1 << TIME_BITS) >= 1 << (TIME_BITS - 1)
            break
        place += 8 * (1 + (word >> 8 & 0xffff))
print(f"{len(threads)} threads, {early} entries before their blocks")
