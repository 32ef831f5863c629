# Compares the decoder of libtprt-code.so with LLVM's disassembler over all code of a file:
# the length of each instruction, and whether it refers to a place relative to itself. Calls
# are never moved, so their operands do not count. Instructions that the decoder
# does not know are counted separately: libtprt leaves a function with such an
# instruction alone. A file name without a folder means a library of the
# compiler. usage: compare-with-objdump.py TP-CODE-LENGTHS LLVM-OBJDUMP FILE...
import re
import subprocess
import sys

LINE = re.compile(r"^\s*([0-9a-f]+): ((?:[0-9a-f]{2}[ \t])+)\s*(.*)$")
# LLVM prints some prefixes on a separate line.
PREFIX = re.compile(r"^(?:lock|rep|repne|repz|repnz|data16|notrack|bnd)$")
# Branches by name; loops; and operands that count from the program counter.
BRANCH = re.compile(r"^(?:\w+\s+)*?(?:j\w+|call\w*|loop\w*|xbegin)\s+0x")
lengths, objdump = sys.argv[1:3]
for path in sys.argv[3:]:
    if "/" not in path:
        path = subprocess.run(["g++", f"-print-file-name={path}"], capture_output=True, text=True, check=True).stdout.strip()
    listing = subprocess.run([objdump, "-d", path], capture_output=True, text=True, check=True).stdout
    rows, prefix = [], None
    for line in listing.splitlines():
        match = LINE.match(line)
        if not match or "<unknown>" in match[3]:
            prefix = None
            continue
        text = match[3].strip().replace("\t", " ")
        address, length = prefix or (match[1], 0)
        length += len(match[2].split())
        prefix = (address, length) if PREFIX.match(text) else None
        if not prefix:
            relative = "(%rip)" in text and not text.startswith("call")
            rows.append((address, length, relative or bool(BRANCH.match(text)), text))
    answer = subprocess.run([lengths, path], input="\n".join(row[0] for row in rows), capture_output=True,
                            text=True, check=True).stdout.splitlines()
    differences = unknown = 0
    for (address, length, relative, text), ours in zip(rows, answer, strict=True):
        own_length, _, own_relative = ours.partition(" ")
        if own_length == "0":
            unknown += 1
        elif int(own_length) != length or bool(own_relative) != relative:
            differences += 1
            if differences <= 10:
                print(f"{path} {address}: {text}: LLVM {length} {relative}, ours {ours}")
    print(f"{path}: {'many' if len(rows) > 100000 else len(rows)} instructions, {differences} differences, {unknown} not known")
