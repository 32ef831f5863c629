# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Reads a pprof profile that protoc has decoded. Fails if an id refers to nothing. Prints each
# sample: its labels, its path from the outermost call on, and its values. With --lines, each
# function of the path has its file's name and line.
import re
import sys


def messages(text):
    """The fields of a message in protoc's text: a list of (name, value or message)."""
    found, lines = [], iter(text.splitlines())
    def read():
        fields = []
        for line in lines:
            line = line.strip()
            if line == "}":
                break
            name, _, value = line.partition(": ")
            fields.append((name, value) if value else (name.split()[0], read()))
        return fields
    return read()


def all_of(message, name):
    return [value for key, value in message if key == name]


def one(message, name):
    return int((all_of(message, name) or ["0"])[0])


profile = messages(open(sys.argv[1], encoding="utf-8").read())
assert not any(key.isdigit() for key, _ in profile), "unknown fields"
strings = [value.strip('"') for value in all_of(profile, "string_table")]
assert strings[0] == "", strings
functions = {one(f, "id"): f for f in all_of(profile, "function")}
mappings = {one(m, "id"): m for m in all_of(profile, "mapping")}
locations = {one(l, "id"): l for l in all_of(profile, "location")}
assert all(functions) and all(locations) and all(mappings), "0 is no number"
assert len(functions) == len(all_of(profile, "function")), "a number is given twice"
print("types:", *(f"{strings[one(t, 'type')]}/{strings[one(t, 'unit')]}" for t in all_of(profile, "sample_type")))
for sample in all_of(profile, "sample"):
    labels = [strings[one(l, "key")] + "=" + (strings[one(l, "str")] or str(one(l, "num")))
              for l in all_of(sample, "label")]
    path = []
    for number in reversed(all_of(sample, "location_id")):
        location = locations[int(number)]
        function = functions[one(all_of(location, "line")[0], "function_id")]
        path.append(strings[one(function, "name")])
        mapping = mappings[one(location, "mapping_id")]
        assert strings[one(mapping, "filename")]
        if "--lines" in sys.argv:
            assert all(key in dict(mapping) for key in ("has_filenames", "has_line_numbers"))
            line = one(all_of(location, "line")[0], "line")
            assert line == one(function, "start_line")
            path[-1] += f" {strings[one(function, 'filename')].split('/')[-1]}:{line}"
    print(*labels, ";".join(path), *all_of(sample, "value"))
