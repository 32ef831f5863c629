# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compares the constants in docs/reference/table-abi.md (rows `NAME` | value) with the enumerators
# and macros of table.h. A lit test runs this.
import re
import sys

document, header = (open(name, encoding="utf-8").read() for name in sys.argv[1:3])
header = re.sub(r"/\*.*?\*/", "", header, flags=re.S)
in_code = {}
for name, value in re.findall(r"\b(TPRT_\w+)\s*=\s*(\d+)", header):
    in_code[name] = value
for name, value in re.findall(r"#define (TPRT_\w+) (\S+)", header):
    in_code[name] = value.strip('"')
in_document = dict(re.findall(r"^\| `(TPRT_\w+)` \| `?([^`|]+?)`? \|", document, flags=re.M))

faults = []
for name in sorted(in_code.keys() | in_document.keys()):
    if in_code.get(name) != in_document.get(name):
        faults.append(f"{name}: code {in_code.get(name)}, document {in_document.get(name)}")
sizes = {"8": 1, "16": 2, "32": 4}
for structure in ("record", "branch_record", "point_sled_record", "usdt_record", "descriptor"):
    fields = re.search(rf"struct tprt_{structure} \{{(.*?)\}}(?: tprt_\w+)?;", header, flags=re.S).group(1)
    offset = 0
    for sign, bits, field in re.findall(r"(u?)int(\d+)_t (\w+);", fields):
        row = f"| {offset} | `{field}` | {sign}int{bits} |"
        if row not in document and (structure not in ("point_sled_record", "usdt_record") or f"`{field}`" not in document):
            faults.append(f"field {field} of tprt_{structure} is not described as {row}")
        offset += sizes[bits]
print("\n".join(faults))
sys.exit(bool(faults) or not in_document)
