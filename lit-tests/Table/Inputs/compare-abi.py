# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compares the constants that docs/table-abi.md states (rows `NAME` | value) with
# the enumerators and macros of table.h. Run by a lit test.
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
fields = re.search(r"struct tprt_record \{(.*?)\};", header, flags=re.S).group(1)
for field in re.findall(r"\w+ (\w+);", fields):
    if f"`{field}`" not in document:
        faults.append(f"field {field} of a record is not described")
print("\n".join(faults))
sys.exit(bool(faults) or not in_document)
