# Copies a program and overwrites the last byte of its .debug_info, the end of a unit's entries. Usage: damage.py FROM TO
import re
import shutil
import subprocess
import sys

source, target = sys.argv[1:]
shutil.copy(source, target)
sections = subprocess.run(["readelf", "-SW", source], check=True, capture_output=True, text=True).stdout
found = re.search(r"\.debug_info\s+PROGBITS\s+\S+\s+(\S+)\s+(\S+)", sections)
with open(target, "r+b") as file:
    file.seek(int(found[1], 16) + int(found[2], 16) - 1)
    assert file.read(1) == b"\0"
    file.seek(-1, 1)
    file.write(b"\x7f")
