#!/usr/bin/env python3
"""Checks that the include lines of runtime/ respect its floors: the test `floors`.

    include/tprt/   public headers
    optional/       parts that register themselves with the core
    core/           calls two ports, core/arch.h and core/os.h
    arch/<name>/    implements core/arch.h
    os/<name>/      implements core/os.h
    code/           libtprt-code.so, which core/code.h describes

The rules:
 - A file includes files of its own floor or of a lower one.
 - Of core/, the floors arch/ and os/ include only their own port and core/plain/.
 - core/ includes no header by which the system is called.
 - core/ has no condition on the processor or the system.

It prints file, line and rule of each include that breaks a rule. With --prove it breaks
each rule in a copy of the tree, and prints which of these breaks it did not notice: the
test `floors.prove`.

usage: floors.py [--prove] RUNTIME
"""
import re
import shutil
import sys
import tempfile
from pathlib import Path

# Which files of the runtime a floor may include, and the rule in words.
FLOORS = {
    "include": (r"include/", "public headers include public headers alone"),
    "optional": (r"(include|optional|core)/", "optional/ includes optional/, core/ and public headers; of the system core/os.h"),
    "core": (r"(include|core)/", "core/ includes core/ and public headers; it reaches arch/ and os/ by core/arch.h and core/os.h"),
    "arch": (r"include/|core/(arch\.h|plain/)|{own}/", "arch/ includes core/arch.h, core/plain/, its own folder and public headers"),
    "code": (r"include/|code/|core/(code\.h|sort\.h|plain/)", "code/ includes core/code.h, core/sort.h, core/plain/ and public headers"),
    "os": (r"include/|core/(os\.h|plain/)|{own}/", "os/ includes core/os.h, core/plain/, its own folder and public headers"),
}
# Headers of the architecture that a header of the core includes. They are part of the
# port.
INLINE = {
    "core/arch.h": ("plan.h", "systemcall.h"),
    "core/plain/pages.h": ("page.h",),
}
# Structures, numbers, strings and formatting.
PLAIN_HEADERS = {"elf.h", "errno.h", "stdarg.h", "stddef.h", "stdint.h", "stdio.h", "stdlib.h", "string.h"}
PLAIN_RULE = f"core/ calls the system by core/os.h alone; of the C library it includes {', '.join(sorted(PLAIN_HEADERS))}"
MACHINE = re.compile(
    r"\b(_WIN\d+|linux|unix|__(x86_64|amd64|i386|aarch64|arm|ARM\w*|riscv|powerpc|PPC|s390|loongarch|mips|sparc"
    r"|linux|gnu_linux|unix|GLIBC|ANDROID|BIONIC|APPLE|FreeBSD|NetBSD|OpenBSD|SSE|AVX)\w*)\b"
)
MACHINE_RULE = "core/ has no condition on processor or system: that belongs into arch/ or os/"
NAMES_RULE = "a file of arch/ has the same name for every processor, or is named in core/arch.h"


def resolve(runtime, file, name):
    """The included file, from runtime/; None: it is none of the runtime's."""
    for folder in (file.parent, runtime, runtime / "include"):
        if (folder / name).is_file():
            return (folder / name).resolve().relative_to(runtime.resolve()).as_posix()
    found = sorted(runtime.glob(f"arch/*/{name}"))
    return found[0].relative_to(runtime).as_posix() if found else None


def faults_of_line(runtime, file, here, line):
    floor = here.split("/")[0]
    include = re.match(r"\s*#\s*include\s*([<\"])([^>\"]+)[>\"]", line)
    if include:
        kind, name = include.groups()
        to = resolve(runtime, file, name)
        if kind == "<" and not (to and to.startswith("include/")):
            if floor == "core" and name not in PLAIN_HEADERS:
                yield PLAIN_RULE
        elif to is None:
            yield f'"{name}" is no file of runtime/'
        elif name not in INLINE.get(here, ()):
            allowed, rule = FLOORS[floor]
            own = "/".join(here.split("/")[:2])
            if not re.match(allowed.format(own=re.escape(own)), to):
                yield rule
    elif floor == "core" and re.match(r"\s*#\s*(el)?if", line) and MACHINE.search(line):
        yield MACHINE_RULE


def faults(runtime):
    found = []
    for floor in FLOORS:
        for file in sorted((runtime / floor).rglob("*")):
            if file.suffix not in (".h", ".hpp", ".cpp", ".c", ".S", ".inc"):
                continue
            here = file.relative_to(runtime).as_posix()
            number = 0
            # A directive goes on behind a backslash.
            for line in re.findall(r"(?:[^\n]*\\\n)*[^\n]*\n", file.read_text()):
                for rule in faults_of_line(runtime, file, here, line):
                    found.append(f"runtime/{here}:{number + 1}: {line.strip()}: {rule}")
                number += line.count("\n")
    port = (runtime / "core/arch.h").read_text()
    processors = [p for p in sorted((runtime / "arch").iterdir()) if p.is_dir()]
    for folder in processors:
        for file in sorted(folder.iterdir()):
            everywhere = all((p / file.name).exists() for p in processors)
            if not everywhere and file.name not in port and file.stem + ".*" not in port:
                found.append(f"runtime/{file.relative_to(runtime).as_posix()}:1: {NAMES_RULE}")
    return found


# A file, a line that breaks a rule there, and what the fault says.
BREAKS = [
    ("include/tprt/table.h", '#include "core/plain/array.h"', "public headers"),
    ("optional/duration.cpp", '#include "os/linux/maps.h"', "optional/ includes"),
    ("optional/duration.cpp", '#include "arch/x86_64/frame.h"', "optional/ includes"),
    ("core/select.cpp", '#include "optional/duration.h"', "core/ includes"),
    ("core/select.cpp", '#include "os/linux/maps.h"', "core/ includes"),
    ("core/select.cpp", '#include "frame.h"', "core/ includes"),
    ("core/select.cpp", '#include "plan.h"', "core/ includes"),
    ("core/plain/array.h", "#  include <pthread.h>", "core/ calls the system"),
    ("core/select.cpp", "#include <sys/mman.h>", "core/ calls the system"),
    ("core/select.cpp", "#if defined(__x86_64__)\n#endif", "no condition"),
    ("core/select.cpp", "#if !defined(NDEBUG) && \\\n  defined(__linux__)\n#endif", "no condition"),
    ("core/select.cpp", "#ifdef __GLIBC__\n#endif", "no condition"),
    ("arch/x86_64/sled.cpp", '#include "core/threads.h"', "arch/ includes"),
    ("arch/x86_64/sled.cpp", '#include "core/os.h"', "arch/ includes"),
    ("arch/aarch64/sled.cpp", '#include "os/linux/maps.h"', "arch/ includes"),
    ("arch/aarch64/sled.cpp", '#include "../x86_64/frame.h"', "arch/ includes"),
    ("code/reader.cpp", '#include "core/threads.h"', "code/ includes"),
    ("core/select.cpp", '#include "code/reader.h"', "core/ includes"),
    ("os/linux/maps.cpp", '#include "core/module.h"', "os/ includes"),
    ("os/linux/maps.cpp", '#include "core/arch.h"', "os/ includes"),
    ("os/linux/maps.cpp", '#include "frame.h"', "os/ includes"),
    ("os/linux/maps.cpp", '#include "optional/duration.h"', "os/ includes"),
    ("os/linux/maps.cpp", '#include "nowhere.h"', "is no file of"),
    ("arch/aarch64/other.cpp", "", "the same name"),
]


def prove(runtime):
    unseen = []
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "runtime"
        shutil.copytree(runtime, copy, ignore=shutil.ignore_patterns("tests"))
        for name, line, expected in BREAKS:
            file = copy / name
            whole = file.read_text() if file.exists() else None
            file.write_text(f"{whole or ''}{line}\n")
            at = (whole or "").count("\n") + 1
            if not any(f.startswith(f"runtime/{name}:{at}:") and expected in f for f in faults(copy)):
                unseen.append(f"not seen in {name}: {line}")
            file.write_text(whole) if whole is not None else file.unlink()
    return unseen


arguments = sys.argv[1:]
check = prove if "--prove" in arguments else faults
found = check(Path(arguments[-1]))
print("\n".join(found) if found else "all includes keep to their floors" if check is faults else "all breaks are seen")
sys.exit(bool(found))
