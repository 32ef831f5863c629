# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compares docs/reference/trace-format.md with trace_file.h: the constants (rows `NAME` | value) and,
# for each structure, the offset, name and type of each field. A lit test runs this.
import re
import sys

document, header = (open(name, encoding="utf-8").read() for name in sys.argv[1:3])
header = re.sub(r"/\*.*?\*/", "", header, flags=re.S)
faults = []

constants = dict(re.findall(r"\b(TPRT_TRACE_\w+)\s*=\s*(\d+)", header))
for name, value in re.findall(r"#define (TPRT_TRACE_\w+) (\S+)", header):
    constants[name] = value.strip('"')
described = dict(re.findall(r"^\| `(TPRT_TRACE_\w+)` \| `?([^`|]+?)`? \|", document, flags=re.M))
for name in sorted(constants.keys() | described.keys()):
    if constants.get(name) != described.get(name):
        faults.append(f"{name}: code {constants.get(name)}, document {described.get(name)}")

# Sizes and alignments by type, and the rows that each structure must have.
types = {"char": (1, 1), "uint8_t": (1, 1), "uint16_t": (2, 2), "uint32_t": (4, 4), "uint64_t": (8, 8)}
structures = {}
for name, body in re.findall(r"struct (\w+) \{(.*?)\};", header, flags=re.S):
    at, most, rows = 0, 1, []
    for kind, field, count in re.findall(r"([\w ]+?) (\w+)(?:\[(\d+)\])?;", body):
        kind = kind.strip().removeprefix("struct ")
        size, align = types[kind]
        at = -(-at // align) * align
        said = kind.removeprefix("tprt_trace_").removesuffix("_t") + (f"[{count}]" if count else "")
        rows.append((str(at), field, said))
        at, most = at + size * int(count or 1), max(most, align)
    types[name] = (-(-at // most) * most, most)
    structures[name] = rows

for name, rows in structures.items():
    section = re.search(rf"`(?:struct )?{name}`(?: at|,| is| says|:)(.*?)(?=`struct |\n#|\Z)", document, flags=re.S)
    found = re.findall(r"^\| (\d+) \| `(\w+)` \| ([^|]+?) \|", section.group(1), flags=re.M) if section else []
    if found != rows:
        faults.append(f"{name}: code {rows}, document {found}")

print("\n".join(faults))
sys.exit(bool(faults) or len(structures) < 10 or len(constants) < 50)
