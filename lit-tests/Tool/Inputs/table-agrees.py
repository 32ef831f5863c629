# Usage: table-agrees.py READELF LIST.json OBJECT [--dropped]
# Compares tp-select's list (-format=json) with the object's tables. The object
# has one function per section (-ffunction-sections). With --dropped, functions
# that the optimiser removed may be missing.
import json
import subprocess
import sys

readelf, list_file, object_file, *rest = sys.argv[1:]
out = subprocess.run(
    [readelf, "--elf-output-style=JSON", "-S", "-s", object_file],
    check=True, capture_output=True, text=True).stdout
data = json.loads(out)[0]
sections = [s["Section"] for s in data["Sections"]]
with_table = {s["Link"] for s in sections if s["Name"]["Name"] == "tp_sleds"}
functions = {}  # name -> index of its section
for symbol in (s["Symbol"] for s in data["Symbols"]):
    if symbol["Type"]["Name"] == "Function" and symbol["Section"]["Value"]:
        functions[symbol["Name"]["Name"]] = symbol["Section"]["Value"]

said = {f["name"]: f for f in json.load(open(list_file))["functions"]
        if f["rule"] != "copy"}
wrong = []
for name, f in said.items():
    if name not in functions:
        if "--dropped" not in rest:
            wrong.append(f"{name}: in the list, not in the object")
    elif (functions[name] in with_table) != f["sled"]:
        wrong.append(f"{name}: {'a' if f['sled'] else 'no'} sled said "
                     f"({f['why']}), the object has the contrary")
named = {functions[n] for n in said if n in functions}
for name, section in functions.items():
    # The optimiser gives __tls_init the name of its alias.
    alias = name.startswith("_ZTH") and "--dropped" in rest
    if section not in named and not (alias and section not in with_table):
        wrong.append(f"{name}: in the object, not in the list")
both = {f["sled"] for n, f in said.items() if n in functions}
if both != {True, False}:
    wrong.append("the sample has not both kinds of functions")
print("\n".join(wrong) if wrong else f"agree: {len(named)} sections")
sys.exit(bool(wrong))
