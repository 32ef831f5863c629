# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Reads a Perfetto trace that protoc has decoded. Fails if a name is used before it is interned,
# times of a track decrease, or slices do not pair. Prints the slices by thread. With --lines, each
# slice has its file's name and line.
import re
import sys

text = open(sys.argv[1], encoding="utf-8").read()
# protoc shows a field that the schema lacks by its number.
assert not re.search(r"^\s*\d+:|^\s*\d+ \{", text, flags=re.M), "unknown fields"
names, places, threads, last, depth, slices = {}, {}, {}, {}, {}, {}
for packet in re.split(r"^packet \{$", text, flags=re.M)[1:]:
    def field(name, default=None):
        found = re.search(rf"\b{name}: (.+)", packet)
        return found.group(1).strip('"') if found else default
    for iid, name in re.findall(r'event_names \{\s*iid: (\d+)\s*name: "(.*)"', packet):
        names[iid] = name
    for iid, file, line in re.findall(
            r'source_locations \{\s*iid: (\d+)\s*file_name: ".*?([^/]*)"\s*line_number: (\d+)', packet):
        places[iid] = f" {file}:{line}"
    if "thread {" in packet:
        threads[field("uuid")] = f"{field('tid')} {field('thread_name', '')}"
    if "track_event" in packet:
        track, time = field("track_uuid"), int(field("timestamp"))
        assert time >= last.get(track, 0), packet
        last[track] = time
        kind = field("type")
        if kind == "SLICE_BEGIN":
            place = places[field("source_location_iid")] if "--lines" in sys.argv else ""
            slices.setdefault(track, []).append(names[field("name_iid")] + place)
        depth[track] = depth.get(track, 0) + {"SLICE_BEGIN": 1, "SLICE_END": -1, "INSTANT": 0}[kind]
        assert depth[track] >= 0, packet
assert not any(depth.values()), depth
for track, names in slices.items():
    print(f"{threads[track]}: {' '.join(names)}")
