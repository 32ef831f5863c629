#!/usr/bin/env python3
"""Checks which folders the include lines of runtime/ and tools/ lead to: the test `floors`.

ROOMS below lists the folders of runtime/ from the ground up, each with its job. The rules:
 - A file includes files of its own folder and of those before it in the list. arch/, os/
   and decode/ include less: what their lines say.
 - Two ports lead to the processor and the system: sites/arch.h and base/os_*.h. A folder
   includes nothing else of arch/ or os/, and no single part of sites/arch.h.
 - Between base/ and probes/ no header is included by which the system is called, and
   there is no condition on the processor or the system.
 - No header of arch/ has the name of one of the compiler's or the system's: the build
   searches arch/<name>/ first, also for `#include <name>`.
 - No two files of runtime/ have one name, except those of several processors, and the
   public headers.
 - The document architecture.md has the list as a table.

The folders of tools/ are in TOOLS below, each with the folders that it may include. So no
include leads from a folder to one above it. WRAPPED has libraries of which only one file
includes the headers.

It prints file, line and rule of each include that breaks a rule. With --prove it breaks
each rule in a copy of the tree, and prints which of these breaks it did not notice: the
test `floors.prove`. With --table it prints the folders of runtime/ as a table.

usage: check-floors.py [--prove | --table] SOURCE
"""
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

# The folders of runtime/ from the ground up, each with its job and the folders that it
# may include (None: all folders before it). Every folder may include the public
# headers.
ROOMS = {
    "include": ("public headers", ()),
    "base": ("memory, arrays, sorting; the port to the system (`os_*.h`); nothing of probes", None),
    "demangle": ("demangler of C++ and Rust names; tools and the plugin use it, too", ("base",)),
    "names": ("patterns for names of functions; tools and the plugin use it, too", ("base", "demangle")),
    "sites": ("what a site is, in memory; the port to the processor (`arch.h`)", ("base",)),
    "arch": ("implements `sites/arch.h` for each processor", ("base", "sites")),
    "os": ("implements `base/os_*.h` for each system", ("base",)),
    "threads": ("a thread's own memory, the lock, time, the text of the last error", None),
    "modules": ("a loaded module and its tables", None),
    "elf": ("symbols, source lines and other tools' tables, from files", None),
    "select": ("from a selector to sites", None),
    "actions": ("what happens at a hit, as data", None),
    "text": ("code that the runtime writes: stubs, islands, and the writer", None),
    "loader": ("modules come and go", None),
    "hits": ("the slow path of a hit; which thread is in which handler", None),
    "decode": ("reads code without sleds: `libtprt-code.so`", ("base", "sites")),
    "code": ("modules and sites made of decoded code", None),
    "patch": ("turns sites on and off: plan, prepare, synchronise, apply", None),
    "probes": ("the calls of the interface", None),
    "timing": ("durations, sums and histograms", None),
    "stacks": ("unwind tables for hits that walk the stack", None),
    "programs": ("programs of tools: their check and their interpreter", None),
    "aggregate": ("hits that programs add up in rows", None),
    "points": ("text and records of trace points", None),
    "record": ("the recorder", None),
    "run": ("files of handlers that tools load: their loader, and what the handlers call", None),
    "control": ("requests of tools", None),
    "options": ("`TPRT_OPTIONS`", None),
    "interpose": ("calls of the C library that the runtime wraps", None),
}
# The folders that call the system only through base/os_*.h.
PORTABLE = ("base", "sites", "threads", "modules", "elf", "select", "actions", "text", "loader", "hits", "code", "patch", "probes")


def may_include(room):
    """The folders, and the rule in words."""
    own = ROOMS[room][1]
    before = list(ROOMS)[: list(ROOMS).index(room)]
    # No folder above the ports may bypass them.
    rooms = [r for r in before if r not in ("arch", "os", "decode")] if own is None else list(own)
    if room == "code":
        rooms.append("decode")  # its header alone: DECODER
    return {"include", room, *rooms}, f"{room}/ includes {room}/, public headers" + "".join(f", {r}/" for r in rooms)


# The only header of decode/ that others may include.
DECODER = "decode/decoder.h"
# Headers of an architecture that a port's header includes. They are part of the
# port.
INLINE = {
    "sites/arch.h": ("plan.h", "systemcall.h"),
    "base/page_size.h": ("page.h",),
    "base/direct_call.h": ("systemcall.h",),
}
# The parts of sites/arch.h, which is included in their place: it also defines their
# inline functions.
PARTS = re.compile(r"sites/arch_\w+\.h")
PARTS_RULE = "a part of sites/arch.h: include that"
# Structures, numbers, strings and formatting.
PLAIN_HEADERS = {"elf.h", "errno.h", "stdarg.h", "stddef.h", "stdint.h", "stdio.h", "stdlib.h", "string.h"}
PLAIN_RULE = f"{', '.join(PORTABLE)} call the system by base/os_*.h alone; of the C library they include {', '.join(sorted(PLAIN_HEADERS))}"
MACHINE = re.compile(
    r"\b(_WIN\d+|linux|unix|__(x86_64|amd64|i386|aarch64|arm|ARM\w*|riscv|powerpc|PPC|s390|loongarch|mips|sparc"
    r"|linux|gnu_linux|unix|GLIBC|ANDROID|BIONIC|APPLE|FreeBSD|NetBSD|OpenBSD|SSE|AVX)\w*)\b"
)
MACHINE_RULE = "no condition on processor or system here: that belongs into arch/ or os/"
# The folders of tools/, each after those that it may include. A folder may also include
# itself and the public headers of the runtime.
READER = ("tools/trace", "tools/trace/symbols")
# The verbs about running processes. Each of these folders may include those before it, and
# the folders that the first of them may include.
LIVE = tuple(f"tools/tpctl/live/{folder}" for folder in ("requests", "targets", "measure", "record"))


def live(count):
    return (*LIVE[:count], "tools/tpctl/types", "tools/tpctl/usdt", "tools/tpctl/expressions", "tools/tpctl/shared", *READER)


TOOLS = {
    "tools/tp-clang": (),
    "tools/tp-select": ("llvm-pass",),
    "tools/trace": (),
    "tools/trace/symbols": ("tools/trace",),
    "tools/trace/tests": READER,
    "tools/tpctl/shared": READER,
    "tools/tpctl/expressions": ("tools/tpctl/shared", *READER),
    "tools/tpctl/types": ("tools/tpctl/expressions", *READER),
    "tools/tpctl/usdt": ("tools/tpctl/expressions", "tools/tpctl/shared", *READER),
    "tools/tpctl/read": ("tools/tpctl/shared", *READER),
    "tools/tpctl/inject": ("tools/tpctl/shared",),
    "tools/tpctl/inject/x86_64": ("tools/tpctl/inject",),
    "tools/tpctl/live/requests": ("tools/tpctl/inject", "tools/tpctl/usdt", "tools/tpctl/shared", *READER),
    "tools/tpctl/live/targets": live(1),
    "tools/tpctl/live/measure": live(2),
    "tools/tpctl/live/record": live(2),
    "tools/tpctl/live/run": live(3),
    "tools/tpctl/live/verbs": live(4),
    "tools/tpctl/live/top": live(3),
    "tools/tpctl/tests": ("tools/tpctl/expressions", "tools/tpctl/live/measure", "tools/tpctl/live/requests", "tools/tpctl/shared", "tools/tpctl/usdt", *READER),
    "tools/tpctl/view": (),
    "tools/tpctl": ("tools/tpctl/shared",),
}
# Headers of libraries of which one file alone knows. Those of CLI11 also take seconds to
# compile.
WRAPPED = {"CLI/": "tools/tpctl/shared/CommandLine.cpp", "ncurses": "tools/tpctl/live/top/Screen.cpp"}
# Headers that the build generates, and those of LLVM.
ELSEWHERE = re.compile(r"Config\.h$|(llvm|llvm-c|clang)/")
SOURCES = (".h", ".hpp", ".cpp", ".c", ".S", ".inc")
# Where `#include <name>` leads without the build's folders.
SYSTEM_FOLDERS = (
    Path(subprocess.run(["cc", "-print-file-name=include"], capture_output=True, text=True, check=True).stdout.strip()),
    Path("/usr/include"),
)
SHADOW_RULE = "this header hides one of the same name of the compiler or the system"
SAME_RULE = "another file of runtime/ has this name"
NAMES_RULE = "a file of arch/ has the same name for every processor, or is named in sites/arch.h"


def resolve(runtime, file, name):
    """The included file, from runtime/; None: it is none of the runtime's."""
    for folder in (file.parent, runtime, runtime / "include"):
        if (folder / name).is_file():
            return (folder / name).resolve().relative_to(runtime.resolve()).as_posix()
    found = sorted(runtime.glob(f"arch/*/{name}"))
    return found[0].relative_to(runtime).as_posix() if found else None


def faults_of_line(runtime, file, here, line):
    room = here.split("/")[0]
    include = re.match(r"\s*#\s*include\s*([<\"])([^>\"]+)[>\"]", line)
    if include:
        kind, name = include.groups()
        to = resolve(runtime, file, name)
        if kind == "<" and not (to and to.startswith("include/")):
            if room in PORTABLE and name not in PLAIN_HEADERS:
                yield PLAIN_RULE
        elif to is None:
            yield f'"{name}" is no file of runtime/'
        elif PARTS.fullmatch(to) and not here.startswith("sites/arch"):
            yield PARTS_RULE
        elif name not in INLINE.get(here, ()):
            allowed, rule = may_include(room)
            there = to.split("/")[0]
            processor = here.split("/")[:2] != to.split("/")[:2] and room == there in ("arch", "os")
            if there not in allowed or processor or (there == "decode" != room and to != DECODER):
                yield rule
    elif room in PORTABLE and re.match(r"\s*#\s*(el)?if", line) and MACHINE.search(line):
        yield MACHINE_RULE


def faults_of_names(runtime):
    """Two files of one name, except those of several processors."""
    places = {}
    for file in sorted(f for room in ROOMS if room != "include" for f in (runtime / room).rglob("*")):
        if file.suffix in SOURCES:
            here = file.relative_to(runtime).as_posix()
            places.setdefault(file.name, {}).setdefault(re.sub(r"(arch|decode)/[^/]+/", r"\1/*/", here), here)
    return [f"runtime/{here}:1: {SAME_RULE}" for found in places.values() if len(found) > 1 for here in sorted(found.values())]


def faults_of_runtime(runtime):
    found = faults_of_names(runtime)
    for room in sorted(p.name for p in runtime.iterdir() if p.is_dir() and p.name != "tests"):
        if room not in ROOMS:
            found.append(f"runtime/{room}:1: {room}/ has no line in ROOMS of scripts/check-floors.py")
            continue
        for file in sorted((runtime / room).rglob("*")):
            if file.suffix not in SOURCES:
                continue
            here = file.relative_to(runtime).as_posix()
            number = 0
            # After a backslash, a directive continues on the next line.
            for line in re.findall(r"(?:[^\n]*\\\n)*[^\n]*\n", file.read_text()):
                for rule in faults_of_line(runtime, file, here, line):
                    found.append(f"runtime/{here}:{number + 1}: {line.strip()}: {rule}")
                number += line.count("\n")
    port = (runtime / "sites/arch.h").read_text()
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
    return (source / "runtime/include" / name).is_file() or (name.startswith(("demangle/", "names/")) and (source / "runtime" / name).is_file())


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
        # The folders in which the build finds a header.
        folders = (file.parent, source / "tools/tpctl", *(source / name for name in allowed), *(source / name for name in TOOLS))
        for number, line in enumerate(file.read_text().splitlines(), 1):
            for library, wrapper in WRAPPED.items():
                if re.match(rf'\s*#\s*include\s*[<"]{library}', line) and here != wrapper:
                    found.append(f"{here}:{number}: {line.strip()}: only {wrapper} includes this library")
            include = re.match(r'\s*#\s*include\s*"([^"]+)"', line)
            if not include or ELSEWHERE.match(include[1]) or is_shared(source, include[1]):
                continue
            to = next((path for path in (base / include[1] for base in folders) if path.is_file()), None)
            if to is None:
                found.append(f"{here}:{number}: {line.strip()}: is no file of tools/, nor a public header")
            elif to.resolve().parent.relative_to(source.resolve()).as_posix() not in allowed:
                found.append(f"{here}:{number}: {line.strip()}: {rule}")
    return found


def table():
    return ["| folder of `runtime/` | job |", "|---|---|"] + [f"| `{room}/` | {job} |" for room, (job, _) in ROOMS.items()]


def faults_of_documents(source):
    """architecture.md has the table as --table prints it."""
    for page in sorted(source.glob("docs/**/architecture.md")):
        if "\n".join(table()) not in page.read_text():
            yield f"{page.relative_to(source).as_posix()}:1: the table of folders differs from what check-floors.py --table prints"


def faults(source):
    return faults_of_runtime(source / "runtime") + faults_of_tools(source) + list(faults_of_documents(source))


# A file, a line that breaks a rule there, and the expected message.
BREAKS = [
    ("runtime/include/tprt/table.h", '#include "base/array.h"', "public headers"),
    ("runtime/base/sort.cpp", '#include "sites/site.h"', "base/ includes"),
    ("runtime/names/match.cpp", '#include "threads/lock.h"', "names/ includes"),
    ("runtime/timing/duration_probe.cpp", '#include "os/linux/maps.h"', "timing/ includes"),
    ("runtime/timing/duration_probe.cpp", '#include "arch/x86_64/frame.h"', "timing/ includes"),
    ("runtime/select/select.cpp", '#include "timing/duration_probe.h"', "select/ includes"),
    ("runtime/select/select.cpp", '#include "patch/overlap.h"', "select/ includes"),
    ("runtime/select/select.cpp", '#include "os/linux/maps.h"', "select/ includes"),
    ("runtime/select/select.cpp", '#include "frame.h"', "select/ includes"),
    ("runtime/select/select.cpp", '#include "plan.h"', "select/ includes"),
    ("runtime/select/select.cpp", '#include "sites/arch_sled.h"', "a part of sites/arch.h"),
    ("runtime/base/array.h", "#  include <pthread.h>", "call the system"),
    ("runtime/select/select.cpp", "#include <sys/mman.h>", "call the system"),
    ("runtime/select/select.cpp", "#if defined(__x86_64__)\n#endif", "no condition"),
    ("runtime/select/select.cpp", "#if !defined(NDEBUG) && \\\n  defined(__linux__)\n#endif", "no condition"),
    ("runtime/select/select.cpp", "#ifdef __GLIBC__\n#endif", "no condition"),
    ("runtime/arch/x86_64/sled.cpp", '#include "threads/thread_block.h"', "arch/ includes"),
    ("runtime/arch/aarch64/sled.cpp", '#include "os/linux/maps.h"', "arch/ includes"),
    ("runtime/arch/aarch64/sled.cpp", '#include "../x86_64/frame.h"', "arch/ includes"),
    ("runtime/decode/reader.cpp", '#include "threads/thread_block.h"', "decode/ includes"),
    ("runtime/code/code_modules.cpp", '#include "decode/reader.h"', "code/ includes"),
    ("runtime/select/select.cpp", '#include "decode/reader.h"', "select/ includes"),
    ("runtime/os/linux/maps.cpp", '#include "modules/module.h"', "os/ includes"),
    ("runtime/os/linux/maps.cpp", '#include "sites/arch.h"', "os/ includes"),
    ("runtime/os/linux/maps.cpp", '#include "frame.h"', "os/ includes"),
    ("runtime/os/linux/maps.cpp", '#include "timing/duration_probe.h"', "os/ includes"),
    ("runtime/os/linux/maps.cpp", '#include "nowhere.h"', "is no file of"),
    ("runtime/arch/aarch64/other.cpp", "", "the same name"),
    ("runtime/arch/x86_64/unwind.h", "", "hides one"),
    ("runtime/patch/select.h", "", "another file"),
    ("tools/trace/Clock.cpp", '#include "Symbolizer.h"', "tools/trace/ includes itself"),
    ("tools/trace/Clock.cpp", '#include "shared/Output.h"', "tools/trace/ includes itself"),
    ("tools/trace/symbols/Symbolizer.cpp", '#include "../../tpctl/shared/Verb.h"', "tools/trace/symbols/ includes itself"),
    ("tools/tpctl/shared/Output.cpp", '#include "read/Rows.h"', "tools/tpctl/shared/ includes itself"),
    ("tools/tpctl/shared/Output.cpp", '#include "live/targets/Target.h"', "tools/tpctl/shared/ includes itself"),
    ("tools/tpctl/read/Report.cpp", '#include "live/targets/Target.h"', "tools/tpctl/read/ includes itself"),
    ("tools/tpctl/expressions/Check.cpp", '#include "live/requests/Connection.h"', "tools/tpctl/expressions/ includes itself"),
    ("tools/tpctl/inject/Inject.cpp", '#include "live/requests/Connection.h"', "tools/tpctl/inject/ includes itself"),
    ("tools/tpctl/inject/Inject.cpp", '#include "Recording.h"', "tools/tpctl/inject/ includes itself"),
    ("tools/tpctl/live/verbs/Count.cpp", '#include "read/Rows.h"', "tools/tpctl/live/verbs/ includes itself"),
    ("tools/tpctl/live/verbs/Count.cpp", '#include "live/top/Table.h"', "tools/tpctl/live/verbs/ includes itself"),
    ("tools/tpctl/live/verbs/Count.cpp", '#include "core/module.h"', "is no file of tools/"),
    ("tools/tpctl/live/requests/Requests.cpp", '#include "live/targets/Target.h"', "tools/tpctl/live/requests/ includes itself"),
    ("tools/tpctl/live/targets/Target.cpp", '#include "live/measure/Timing.h"', "tools/tpctl/live/targets/ includes itself"),
    ("tools/tpctl/new/New.cpp", "", "has no line in TOOLS"),
    ("tools/tp-clang/main.cpp", '#include "Options.h"', "is no file of tools/"),
    ("tools/tpctl/live/verbs/Count.cpp", "#include <CLI/CLI.hpp>", "only tools/tpctl/shared/CommandLine.cpp includes"),
]


def is_told(found, name, at, expected):
    return any(fault.startswith(f"{name}:{at}:") and expected in fault for fault in found)


def prove(source):
    unseen = []
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        shutil.copytree(source / "runtime", copy / "runtime", ignore=shutil.ignore_patterns("tests"))
        for name in ("tools", "llvm-pass", "docs"):
            shutil.copytree(source / name, copy / name)
        # The breaks of files that exist go to their ends, all at once: each is a line of its own, and one
        # check of all files takes a second. A file that does not exist may change how others are
        # found, so each has a check of its own.
        ends = {}
        for name, line, expected in BREAKS:
            if (copy / name).exists():
                ends.setdefault(name, []).append((line, expected))
        expectations = []
        for name, breaks in ends.items():
            whole = (copy / name).read_text()
            for line, expected in breaks:
                expectations.append((name, whole.count("\n") + 1, line, expected))
                whole += line + "\n"
            (copy / name).write_text(whole)
        found = faults(copy)
        unseen += [f"not seen in {name}: {line}" for name, at, line, expected in expectations if not is_told(found, name, at, expected)]
        for name, line, expected in BREAKS:
            if name in ends:
                continue
            file = copy / name
            file.parent.mkdir(exist_ok=True)
            file.write_text(line + "\n")
            if not is_told(faults(copy), name, 1, expected):
                unseen.append(f"not seen in {name}: {line}")
            file.unlink()
        page = next(copy.glob("docs/**/architecture.md"))
        page.write_text(page.read_text().replace("| `base/` |", "| `ground/` |"))
        if not any("the table of folders differs" in f for f in faults(copy)):
            unseen.append("not seen: a changed table in architecture.md")
    return unseen


if __name__ == "__main__":
    arguments = sys.argv[1:]
    if "--table" in arguments:
        print("\n".join(table()))
        sys.exit()
    check = prove if "--prove" in arguments else faults
    found = check(Path(arguments[-1]))
    print("\n".join(found) if found else "all includes keep to their floors" if check is faults else "all breaks are seen")
    sys.exit(bool(found))
