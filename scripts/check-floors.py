#!/usr/bin/env python3
"""Checks which folders the include lines of runtime/ and tools/ lead to: the test `floors`.

The floors of runtime/:

    include/tprt/   public headers
    optional/       parts that register themselves with the core
    core/           calls two ports, core/arch.h and core/os.h
    names/          names of functions and patterns for them; tools and the plugin use it, too
    arch/<name>/    implements core/arch.h
    os/<name>/      implements core/os.h
    code/           libtprt-code.so, which core/code.h describes

The rules of runtime/:
 - A file includes files of its own floor or of a lower one.
 - Of core/, the floors arch/ and os/ include only their own port and core/plain/.
 - core/ includes no header by which the system is called.
 - core/ has no condition on the processor or the system.
 - No header of arch/ has the name of one of the compiler's or the system's: the build
   searches arch/<name>/ first, also for `#include <name>`.

The folders of tools/ are in TOOLS below, each with the folders that it may include. So no
include leads from a folder to one above it.

It prints file, line and rule of each include that breaks a rule. With --prove it breaks
each rule in a copy of the tree, and prints which of these breaks it did not notice: the
test `floors.prove`.

usage: check-floors.py [--prove] SOURCE
"""
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

# Which files of the runtime a floor may include, and the rule in words.
FLOORS = {
    "names": (r"names/", "names/ includes names/ alone"),
    "include": (r"include/", "public headers include public headers alone"),
    "optional": (r"(include|optional|core|names)/", "optional/ includes optional/, core/, names/ and public headers; of the system core/os.h"),
    "core": (r"(include|core|names)/", "core/ includes core/, names/ and public headers; it reaches arch/ and os/ by core/arch.h and core/os.h"),
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
# The folders of tools/, each behind those that it may include. A folder may also include
# itself and the public headers of the runtime.
READER = ("tools/trace", "tools/trace/symbols")
TOOLS = {
    "tools/tp-clang": (),
    "tools/tp-select": ("llvm-pass",),
    "tools/trace": (),
    "tools/trace/symbols": ("tools/trace",),
    "tools/trace/tests": READER,
    "tools/tpctl/shared": READER,
    "tools/tpctl/read": ("tools/tpctl/shared", *READER),
    "tools/tpctl/inject": ("tools/tpctl/shared",),
    "tools/tpctl/inject/x86_64": ("tools/tpctl/inject",),
    "tools/tpctl/live": ("tools/tpctl/inject", "tools/tpctl/shared", *READER),
    "tools/tpctl/live/top": ("tools/tpctl/live", "tools/tpctl/shared", *READER),
    "tools/tpctl/view": (),
    "tools/tpctl": ("tools/tpctl/shared",),
}
# Headers that the build makes, and those of LLVM.
ELSEWHERE = re.compile(r"Config\.h$|(llvm|llvm-c|clang)/")
SOURCES = (".h", ".hpp", ".cpp", ".c", ".S", ".inc")
# Where `#include <name>` leads without the build's folders.
SYSTEM_FOLDERS = (
    Path(subprocess.run(["cc", "-print-file-name=include"], capture_output=True, text=True, check=True).stdout.strip()),
    Path("/usr/include"),
)
SHADOW_RULE = "this header hides one of the same name of the compiler or the system"
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


def faults_of_runtime(runtime):
    found = []
    for floor in FLOORS:
        for file in sorted((runtime / floor).rglob("*")):
            if file.suffix not in SOURCES:
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
            if any((system / file.name).exists() for system in SYSTEM_FOLDERS):
                found.append(f"runtime/{file.relative_to(runtime).as_posix()}:1: {SHADOW_RULE}")
            everywhere = all((p / file.name).exists() for p in processors)
            if not everywhere and file.name not in port and file.stem + ".*" not in port:
                found.append(f"runtime/{file.relative_to(runtime).as_posix()}:1: {NAMES_RULE}")
    return found


def is_shared(source, name):
    """A public header, or one about names of functions, which the tools are built with, too."""
    return (source / "runtime/include" / name).is_file() or (name.startswith("names/") and (source / "runtime" / name).is_file())


def faults_of_tools(source):
    found = []
    for file in sorted((source / "tools").rglob("*")):
        if file.suffix not in SOURCES or not file.is_file():
            continue
        here = file.relative_to(source).as_posix()
        folder = file.parent.relative_to(source).as_posix()
        if folder not in TOOLS:
            found.append(f"{here}:1: {folder}/ has no line in TOOLS of scripts/check-floors.py")
            continue
        allowed = (folder, *TOOLS[folder])
        rule = f"{folder}/ includes itself, public headers" + "".join(f", {name}/" for name in TOOLS[folder])
        # By which folders the build finds a header.
        folders = (file.parent, source / "tools/tpctl", *(source / name for name in allowed), *(source / name for name in TOOLS))
        for number, line in enumerate(file.read_text().splitlines(), 1):
            include = re.match(r'\s*#\s*include\s*"([^"]+)"', line)
            if not include or ELSEWHERE.match(include[1]) or is_shared(source, include[1]):
                continue
            to = next((path for path in (base / include[1] for base in folders) if path.is_file()), None)
            if to is None:
                found.append(f"{here}:{number}: {line.strip()}: is no file of tools/, nor a public header")
            elif to.resolve().parent.relative_to(source.resolve()).as_posix() not in allowed:
                found.append(f"{here}:{number}: {line.strip()}: {rule}")
    return found


def faults(source):
    return faults_of_runtime(source / "runtime") + faults_of_tools(source)


# A file, a line that breaks a rule there, and what the fault says.
BREAKS = [
    ("runtime/include/tprt/table.h", '#include "core/plain/array.h"', "public headers"),
    ("runtime/optional/duration.cpp", '#include "os/linux/maps.h"', "optional/ includes"),
    ("runtime/optional/duration.cpp", '#include "arch/x86_64/frame.h"', "optional/ includes"),
    ("runtime/core/select.cpp", '#include "optional/duration.h"', "core/ includes"),
    ("runtime/core/select.cpp", '#include "os/linux/maps.h"', "core/ includes"),
    ("runtime/core/select.cpp", '#include "frame.h"', "core/ includes"),
    ("runtime/core/select.cpp", '#include "plan.h"', "core/ includes"),
    ("runtime/core/plain/array.h", "#  include <pthread.h>", "core/ calls the system"),
    ("runtime/core/select.cpp", "#include <sys/mman.h>", "core/ calls the system"),
    ("runtime/core/select.cpp", "#if defined(__x86_64__)\n#endif", "no condition"),
    ("runtime/core/select.cpp", "#if !defined(NDEBUG) && \\\n  defined(__linux__)\n#endif", "no condition"),
    ("runtime/core/select.cpp", "#ifdef __GLIBC__\n#endif", "no condition"),
    ("runtime/arch/x86_64/sled.cpp", '#include "core/threads.h"', "arch/ includes"),
    ("runtime/arch/x86_64/sled.cpp", '#include "core/os.h"', "arch/ includes"),
    ("runtime/arch/aarch64/sled.cpp", '#include "os/linux/maps.h"', "arch/ includes"),
    ("runtime/arch/aarch64/sled.cpp", '#include "../x86_64/frame.h"', "arch/ includes"),
    ("runtime/code/reader.cpp", '#include "core/threads.h"', "code/ includes"),
    ("runtime/core/select.cpp", '#include "code/reader.h"', "core/ includes"),
    ("runtime/os/linux/maps.cpp", '#include "core/module.h"', "os/ includes"),
    ("runtime/os/linux/maps.cpp", '#include "core/arch.h"', "os/ includes"),
    ("runtime/os/linux/maps.cpp", '#include "frame.h"', "os/ includes"),
    ("runtime/os/linux/maps.cpp", '#include "optional/duration.h"', "os/ includes"),
    ("runtime/os/linux/maps.cpp", '#include "nowhere.h"', "is no file of"),
    ("runtime/arch/aarch64/other.cpp", "", "the same name"),
    ("runtime/arch/x86_64/unwind.h", "", "hides one"),
    ("tools/trace/Clock.cpp", '#include "Symbolizer.h"', "tools/trace/ includes itself"),
    ("tools/trace/Clock.cpp", '#include "shared/Output.h"', "tools/trace/ includes itself"),
    ("tools/trace/symbols/Symbolizer.cpp", '#include "../../tpctl/shared/Verb.h"', "tools/trace/symbols/ includes itself"),
    ("tools/tpctl/shared/Output.cpp", '#include "read/Rows.h"', "tools/tpctl/shared/ includes itself"),
    ("tools/tpctl/shared/Output.cpp", '#include "live/Target.h"', "tools/tpctl/shared/ includes itself"),
    ("tools/tpctl/read/Report.cpp", '#include "live/Target.h"', "tools/tpctl/read/ includes itself"),
    ("tools/tpctl/inject/Inject.cpp", '#include "live/Connection.h"', "tools/tpctl/inject/ includes itself"),
    ("tools/tpctl/inject/Inject.cpp", '#include "Recording.h"', "tools/tpctl/inject/ includes itself"),
    ("tools/tpctl/live/Count.cpp", '#include "read/Rows.h"', "tools/tpctl/live/ includes itself"),
    ("tools/tpctl/live/Count.cpp", '#include "live/top/Table.h"', "tools/tpctl/live/ includes itself"),
    ("tools/tpctl/live/Count.cpp", '#include "core/module.h"', "is no file of tools/"),
    ("tools/tpctl/new/New.cpp", "", "has no line in TOOLS"),
    ("tools/tp-clang/main.cpp", '#include "Options.h"', "is no file of tools/"),
]


def prove(source):
    unseen = []
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        shutil.copytree(source / "runtime", copy / "runtime", ignore=shutil.ignore_patterns("tests"))
        for name in ("tools", "llvm-pass"):
            shutil.copytree(source / name, copy / name)
        for name, line, expected in BREAKS:
            file = copy / name
            whole = file.read_text() if file.exists() else None
            file.parent.mkdir(exist_ok=True)
            file.write_text(f"{whole or ''}{line}\n")
            at = (whole or "").count("\n") + 1
            if not any(f.startswith(f"{name}:{at}:") and expected in f for f in faults(copy)):
                unseen.append(f"not seen in {name}: {line}")
            file.write_text(whole) if whole is not None else file.unlink()
    return unseen


arguments = sys.argv[1:]
check = prove if "--prove" in arguments else faults
found = check(Path(arguments[-1]))
print("\n".join(found) if found else "all includes keep to their floors" if check is faults else "all breaks are seen")
sys.exit(bool(found))
