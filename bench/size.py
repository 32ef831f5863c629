# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures sizes: dynamic_relocations, text_bytes_per_function_entry,
table_bytes_per_function_entry, runtime_text_kb, and XRay's. compile.py measures the sizes
with exits.

text_bytes_per_function_entry is what `2,0` adds to a function beyond alignment: the growth
of the function symbols' sizes (the sled is inside) and the slot in front of the label,
over the number of records. text_section_bytes_per_function is the growth of the whole
.text, with the padding between functions, which depends on how the functions were aligned
before.
"""

import struct

RECORD = struct.Struct("<iiBBBB")


def each_section(tools, path):
    """Name, offset in the file and size of each section."""
    for line in tools.call([tools.readelf, "-SW", path]).splitlines():
        parts = line.replace("[", " ").replace("]", " ").split()
        if parts and parts[0].isdigit() and len(parts) > 6 and parts[1] != "NULL":
            yield parts[1], int(parts[4], 16), int(parts[5], 16)


def sections(tools, path):
    """Section sizes by name. Sections of one name, as objects have them, are added up."""
    found = {}
    for name, _, bytes in each_section(tools, path):
        found[name] = found.get(name, 0) + bytes
    return found


def runtime(tools):
    """Code of libtprt.so, in thousands of bytes."""
    return {"runtime_text_kb": sections(tools, tools.runtime)[".text"] / 1000}


def function_bytes(tools, path):
    """Sum of the sizes of the function symbols."""
    total = 0
    for line in tools.call([tools.nm, "-S", "--defined-only", path]).splitlines():
        parts = line.split()
        if len(parts) == 4 and parts[2] in "tT":
            total += int(parts[1], 16)
    return total


def relocations(tools, path):
    lines = tools.call([tools.readelf, "-rW", path]).splitlines()
    return sum(" R_X86_64_" in line or " R_AARCH64_" in line for line in lines)


def records(tools, path):
    """The records of a program, or of an object, which has more than one section of that name."""
    with open(path, "rb") as file:
        content = file.read()
    return [record for name, offset, bytes in each_section(tools, path) if name == "tp_sleds"
            for record in RECORD.iter_unpack(content[offset:offset + bytes])]


def compare(tools, programs, prefix=""):
    """The figures of one program, built plainly and with sleds. `prefix` begins their names."""
    programs = {variant: programs[variant] for variant in ("plain", "tp")}
    size = {variant: sections(tools, path) for variant, path in programs.items()}
    table = records(tools, programs["tp"])
    count = len(table)
    inside = {variant: function_bytes(tools, path) for variant, path in programs.items()}
    results = {
        "dynamic_relocations":
            relocations(tools, programs["tp"]) - relocations(tools, programs["plain"]),
        "text_bytes_per_function_entry":
            (inside["tp"] - inside["plain"] + sum(record[4] for record in table)) / count,
        "text_section_bytes_per_function":
            (size["tp"][".text"] - size["plain"][".text"]) / count,
        "table_bytes_per_function_entry": size["tp"]["tp_sleds"] / count,
    }
    return {prefix + name: value for name, value in results.items()}


def compare_objects(tools, objects, functions):
    """XRay's sizes, from objects, so that XRay's runtime is not part of them."""
    totals = {}
    for variant in ("plain", "tp", "xray"):
        text = table = 0
        for path in objects[variant]:
            found = sections(tools, path)
            text += found[".text"]
            table += found.get("xray_instr_map", 0) + found.get("xray_fn_idx", 0)
        inside = sum(function_bytes(tools, path) for path in objects[variant])
        totals[variant] = (text, table, inside)
    return {
        "xray_text_bytes_per_function_entry_exit":
            (totals["xray"][2] - totals["plain"][2]) / functions,
        "xray_text_section_bytes_per_function":
            (totals["xray"][0] - totals["plain"][0]) / functions,
        "xray_table_bytes_per_function_entry": totals["xray"][1] / functions,
    }
