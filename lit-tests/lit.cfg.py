# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Configuration of the lit tests: substitutions and features, explained in
# README.md. lit.site.cfg.py, made by CMake, names the folders and loads this.
import os
import platform
import re
import shutil
import subprocess

import sys
import tempfile

import lit.formats

# If lit is run on this folder rather than on a build's, the tests are run against an
# installed tree.
if not hasattr(config, "tp_build"):
    prefix = os.environ.get("TP_INSTALLED")
    if not prefix or not os.path.exists(os.path.join(prefix, "lib", "libtp.so")):
        lit_config.fatal("run lit on BUILD/lit-tests, or name an installed tree: "
                         "TP_INSTALLED=/usr/local lit-22 -v lit-tests"
                         + (f" ({prefix} has no lib/libtp.so)" if prefix else ""))
    config.tp_build = os.path.abspath(prefix)
    config.tp_include = os.path.join(config.tp_build, "include")
    config.tp_test_exec_root = tempfile.mkdtemp(prefix="tp-lit-")
    # lib/libtp.so is a link to the libraries of the newest LLVM.
    config.tp_llvm = re.search(r"llvm-(\d+)", os.readlink(os.path.join(prefix, "lib", "libtp.so")))[1]
    config.llvm_tools_dir = os.environ.get("TP_LLVM_BIN", f"/usr/lib/llvm-{config.tp_llvm}/bin")
    config.llvm_include_dir = os.path.join(config.llvm_tools_dir, "..", "include")
    config.python = sys.executable
    lit_config.note(f"files go to {config.tp_test_exec_root}")

# The target, if this is the suite for another processor. None means the main suite.
target = getattr(config, "tp_target", None)
emulator = "qemu-aarch64 -L /usr/aarch64-linux-gnu"
# The emulated machine whose whole kernel runs the programs, instead of the emulator of
# programs alone (docs/dev/machine.md). The suite's test of ctest has started it.
machine = getattr(config, "tp_machine", None)
if machine:
    client = (os.path.join(config.tp_build, "machine", "client"), os.path.join(config.tp_build, "machine", "run", machine))
    if not os.path.exists(os.path.join(client[1], "port")):
        lit_config.fatal(f"the emulated machine does not run: 'scripts/machine.sh {machine} start' starts it")
    emulator = " ".join(client)
# The LLVM whose clang and tools the tests use, and whether this is the suite for an LLVM
# that is not the newest.
llvm = int(config.tp_llvm)
other_llvm = getattr(config, "tp_other_llvm", False)
config.name = f"tp-{machine}-system" if machine else "tp-aarch64" if target else f"tp-llvm-{llvm}" if other_llvm else "tp"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".c", ".cpp", ".m", ".ll", ".mir", ".s", ".test"]
config.excludes = ["Inputs", "CMakeLists.txt", "README.md"]
config.test_source_root = os.path.dirname(__file__)
sys.path.insert(0, os.path.join(config.test_source_root, "Inputs"))
from injection import may_inject
config.test_exec_root = config.tp_test_exec_root

bin_dir = os.path.join(config.tp_build, "bin")
lib_dir = os.path.join(config.tp_build, "lib")
llvm_bin = config.llvm_tools_dir
plugin_dir = os.path.join(lib_dir, "tp", f"llvm-{llvm}") if other_llvm else lib_dir
plugin = os.path.join(plugin_dir, "libtp.so")
pass_plugin = os.path.join(plugin_dir, "libtppass.so")
view_dir = os.path.join(config.tp_build, "tools", "tpctl", "view")
if target:
    lib_dir = os.path.join(lib_dir, "tp", "aarch64")
# The tpctl of the machine's processor, if it is built (cmake/CrossAArch64.cmake).
tpctl = os.path.join(config.tp_build, "aarch64-tools", "bin", "tpctl") if machine else ""
if os.path.exists(tpctl):
    config.available_features.add("aarch64-tpctl")
else:
    tpctl = os.path.join(bin_dir, "tpctl")
runtime_include = getattr(config, "tp_include", None) or os.path.join(
    config.tp_source, "runtime", "include")

# LLVM's tools come first on PATH, so that tests call them by their plain names.
config.environment["PATH"] = os.pathsep.join([llvm_bin, os.environ.get("PATH", "")])
# Programs that are unpacked but not installed (scripts/fetch-program.sh).
os.environ["PATH"] = config.environment["PATH"] = os.pathsep.join(
    [config.environment["PATH"], os.path.join(config.tp_build, "programs", "nginx", "usr", "sbin")])
config.environment["LC_ALL"] = "C"
for name in ("TP_CLANG", "TP_CLANGXX", "TPRT_OPTIONS"):
    config.environment.pop(name, None)
if other_llvm:
    config.environment["TP_CLANG"] = os.path.join(llvm_bin, "clang")
    config.environment["TP_CLANGXX"] = os.path.join(llvm_bin, "clang++")
# For emulators; cmake/aarch64-linux-gnu.cmake gives the reason.
config.environment["G_SLICE"] = "always-malloc"
# The sockets of observed programs are in a separate folder for the tests. The
# folder's path is short, because a socket's path, which contains it, must be short.
sockets = os.path.join(tempfile.gettempdir(), f"tp-lit-{os.geteuid()}")
os.makedirs(sockets, mode=0o700, exist_ok=True)
config.environment["XDG_RUNTIME_DIR"] = "/run/user-0" if machine else sockets
# A test that hangs fails by itself, and its output is shown; the other tests are still
# run. The slowest test takes some 10 s, and under an emulator, which needs a second for
# each fork and each start, some 100 s.
if lit_config.maxIndividualTestTimeIsSupported[0] and not lit_config.maxIndividualTestTime:
    lit_config.maxIndividualTestTime = 900 if target else 300


def tool(name, *arguments):
    return " ".join((os.path.join(llvm_bin, name),) + arguments)


for_target = (f"--target={target}",) if target else ()


def compiler(name, *arguments):
    return tool(name, *for_target, *arguments)


# For another processor the emulator runs every command that begins with one of the
# test's own files, or with env. Inputs/env also replaces env if a path of the tests
# contains a =, because env and lit's own env treat such a program as a variable.
begin = r"(?:^ *|(?<=\)) *|(?<=&& )|(?<=; )|(?<=\bnot ))"
if target:
    config.environment["EMULATOR"] = emulator
    config.environment["QEMU_CPU"] = "max,pauth-impdef=on"
    config.substitutions.append((begin + r"(?=%t\b|\./)", emulator + " "))
if machine:
    # The program that gdb starts is in the machine, and so is a gdb.
    config.substitutions.append((begin + r"(?=gdb )", emulator + " "))
    if "aarch64-tpctl" in config.available_features:
        config.substitutions.append((begin + r"%tpctl\b", emulator + " " + tpctl))
if target or "=" in config.tp_build + config.tp_test_exec_root:
    config.substitutions.append((begin + r"env\b", os.path.join(config.test_source_root, "Inputs", "env")))



def libcxx(part):
    """The folder of LLVM's C++ library, or of its part for the ABI."""
    package = f"libc++{'abi' if part == 'abi' else ''}-{llvm}-dev"
    return os.path.join(config.tp_build, "programs", package, "usr", "lib", f"llvm-{llvm}")


if os.path.exists(os.path.join(libcxx("abi"), "lib", "libc++abi.a")) and os.path.exists(libcxx("dev")):
    config.available_features.add("libcxx")

# lit replaces in this order, so a name that begins with another name must come before it.
for name, text in (
    ("%plain_clangxx", compiler("clang++")),
    ("%plain_clang", compiler("clang")),
    ("%tp_llvm_ar", os.path.join(bin_dir, "tp-llvm-ar")),
    ("%tp_clangxx", " ".join((os.path.join(bin_dir, "tp-clang++"),) + for_target)),
    ("%tp_clang", " ".join((os.path.join(bin_dir, "tp-clang"),) + for_target)),
    ("%tp_select", os.path.join(bin_dir, "tp-select")),
    ("%{tpctl}", tpctl),
    ("%tpctl", os.path.join(bin_dir, "tpctl")),
    ("%{speedscope}", os.path.join(view_dir, "node_modules", "speedscope", "dist", "release")),
    ("%make_trace", os.path.join(bin_dir, "tp-make-trace")),
    ("%clangxx", compiler("clang++", "-fplugin=" + plugin)),
    ("%clang", compiler("clang", "-fplugin=" + plugin)),
    ("%llc", tool("llc", "-load=" + pass_plugin)),
    ("%opt", tool("opt", "-load=" + pass_plugin, "-load-pass-plugin=" + pass_plugin)),
    # -fuse-ld=lld may find the lld of another LLVM.
    ("%use_lld", "-fuse-ld=lld --ld-path=" + os.path.join(llvm_bin, "ld.lld")),
    ("%{llvm}", str(llvm)),
    ("%libcxx_flags", " ".join((
        f"-nostdinc++ -isystem {libcxx('dev')}/include/c++/v1 -nostdlib++",
        f"{libcxx('dev')}/lib/libc++.a {libcxx('abi')}/lib/libc++abi.a -lpthread"))),
    ("%passplugin", pass_plugin),
    ("%plugin", plugin),
    ("%tprt_interposed_flags", f"-I {runtime_include} -L {lib_dir}/interposed -ltprt -Wl,-rpath,{lib_dir}/interposed"),
    ("%tprt_flags", f"-I {runtime_include} -L {lib_dir} -ltprt -Wl,-rpath,{lib_dir}"),
    ("%tprt_include", runtime_include),
    ("%run_aarch64", emulator),
    ("%run_ppc64le", "qemu-ppc64le -cpu power10 -L /usr/powerpc64le-linux-gnu"),
    ("%run", emulator if target else ""),
    ("%shim", os.path.join(config.tp_build, "libexec", "tp")),
    ("%{prefix}", config.tp_build),
    ("%check_linked", config.python + " -B " +
     os.path.join(config.test_source_root, "Inputs", "check-linked.py")),
    ("%points_matrix", config.python + " -B " +
     os.path.join(config.test_source_root, "Points", "Inputs", "matrix.py")),
    ("%python", config.python),
    ("%{llvm_include}", config.llvm_include_dir),
    ("%{libdir}", lib_dir),
    ("%{bindir}", bin_dir),
):
    # Only whole words are replaced, so that %run is not found in %runtime.
    pattern = name if name.endswith("}") else name + r"\b"
    config.substitutions.append((pattern, text))

for feature, program in (
    ("gold", "ld.gold"),
    ("mold", "mold"),
    ("bfd", "ld.bfd"),
    ("gdb", "gdb"),
    ("gdb-multiarch", "gdb-multiarch"),
    ("ccache", "ccache"),
    ("distcc", "distccd"),
    ("groff", "groff"),
    ("protoc", "protoc"),
    ("chromium", "chromium"),
    ("sqlite3", "sqlite3"),
    ("callgrind_annotate", "callgrind_annotate"),
    ("strace", "strace"),
    ("uftrace", "uftrace"),
    ("mandoc", "mandoc"),
    ("qemu-x86_64", "qemu-x86_64"),
    ("gcc-12", "g++-12"),
    ("clang-14", "clang++-14"),
    ("clang-16", "clang++-16"),
    ("clang-19", "clang++-19"),
    ("bpftrace", "bpftrace"),
    ("perf", "perf"),
    ("readelf", "readelf"),
    ("patchelf", "patchelf"),
    ("dwz", "dwz"),
    ("debugedit", "debugedit"),
    ("eu-strip", "eu-strip"),
    ("zsh", "zsh"),
    ("openssl", "openssl"),
    ("nginx", "nginx"),
    # This is the same program as redis-server, from the package of the server.
    ("redis", "redis-check-rdb"),
):
    if shutil.which(program):
        config.available_features.add(feature)
# All clangs that have a plugin of ours, from the newest.
clangs = [version for version in range(60, 10, -1) if shutil.which(f"clang++-{version}") and
          os.path.exists(os.path.join(config.tp_build, "lib", "tp", f"llvm-{version}", "libtp.so"))]
config.substitutions.append(("%{clangs}", " ".join(map(str, clangs))))
# Two clangs of other versions, one with a plugin of ours and one without, to test the
# messages for them.
for version in range(10, 60):
    program = shutil.which(f"clang-{version}")
    if not program or version == llvm:
        continue
    has_plugin = os.path.exists(os.path.join(config.tp_build, "lib", "tp", f"llvm-{version}", "libtp.so"))
    feature, name = (("clang-other", "other") if has_plugin else ("clang-without-plugin", "unsupported"))
    if feature not in config.available_features:
        config.available_features.add(feature)
        config.substitutions += [(rf"%{name}_clang\b", program), (f"%{{{name}_llvm}}", str(version))]
# "llvm-19" is this LLVM, "llvm-at-least-19" it or a later one.
config.available_features.add(f"llvm-{llvm}")
config.available_features.update(f"llvm-at-least-{major}" for major in range(14, llvm + 1))
if shutil.which("g++"):
    config.available_features.add("gcc")
if os.path.exists(os.path.join(llvm_bin, "ld.lld")):
    config.available_features.add("lld")
if os.path.exists(os.path.join(llvm_bin, "llvm-bolt")):
    config.available_features.add("bolt")
if os.geteuid() == 0:
    config.available_features.add("root")
if may_inject():
    config.available_features.add("injection")
if os.path.exists(os.path.join(bin_dir, "tp-clang")):
    config.available_features.add("tp-clang")
# tp-select is made for the newest LLVM.
if not other_llvm and os.path.exists(os.path.join(bin_dir, "tp-select")):
    config.available_features.add("tp-select")
# tp-make-trace is not installed.
if all(os.path.exists(os.path.join(bin_dir, name)) for name in ("tpctl", "tp-make-trace")):
    config.available_features.add("tpctl")
# npm was installed when tpctl was built.
if os.path.exists(os.path.join(view_dir, "view.html")):
    config.available_features.add("npm")
if os.path.exists(os.path.join(lib_dir, "libtprt.so")):
    config.available_features.add("tprt")
if os.path.exists(os.path.join(lib_dir, "libtprt-code.so")):
    config.available_features.add("tprt-code")
if os.path.exists(os.path.join(lib_dir, "tp", "libtprt-inject.so")):
    config.available_features.add("tprt-inject")
if os.path.exists(os.path.join(config.tp_build, "lib", "tp", "aarch64", "libtprt.so")):
    config.available_features.add("tprt-aarch64")
if os.path.exists("/usr/aarch64-linux-gnu/lib/libc.so.6") and shutil.which("qemu-aarch64"):
    config.available_features.add("aarch64-cross")
if os.path.exists("/usr/powerpc64le-linux-gnu/lib/libc.so.6") and shutil.which("qemu-ppc64le"):
    config.available_features.add("ppc64le-cross")
if any(os.path.exists(f"/usr/include/{part}libunwind.h") for part in ("", "x86_64-linux-gnu/")):
    config.available_features.add("libunwind")
# The runtime built against musl (runtime/CMakeLists.txt), and its compiler.
if os.path.exists(os.path.join(lib_dir, "musl", "libtprt.a")) and shutil.which("musl-gcc"):
    config.available_features.add("musl")
    if os.path.exists(os.path.join(lib_dir, "tp", "musl", "libtprt.so")):
        config.available_features.add("tprt-musl")
# A made-up later libtprt (runtime/tests/later/make-later.py).
if os.path.exists(os.path.join(lib_dir, "later", "libtprt.so.0")):
    config.available_features.add("tprt-later")
# Features of the machine that some tests need.
if os.geteuid() == 0:
    config.available_features.add("root")
if subprocess.run(["unshare", "-rm", "true"], stderr=subprocess.DEVNULL).returncode == 0:
    config.available_features.add("userns")
with open("/proc/meminfo") as meminfo:
    if re.search(r"HugePages_Free: +[1-9]", meminfo.read()):
        config.available_features.add("hugepages")
# Features of the kernel that some tests need and an emulator may lack.
# Each feature is tried in a separate process, as some cannot be undone. The numbers of
# mseal and perf_event_open are those of the kernel's table of each processor.
for feature, code in (
    ("mdwe", "exit(libc.prctl(65, 1, 0, 0, 0))"),  # Linux 6.3
    ("mseal", "exit(libc.syscall(462, 0, 0, 0))"),  # Linux 6.10
    # AT_HWCAP2 and HWCAP2_SME of the kernel's Documentation/arch/arm64/elf_hwcaps.rst.
    ("sme", "libc.getauxval.restype = ctypes.c_ulong; exit(os.uname().machine != 'aarch64' or not libc.getauxval(26) & 1 << 23)"),
    # A uprobe on a file, by perf_event_open with the kind that sysfs names.
    ("uprobes", """
kind = int(open("/sys/bus/event_source/devices/uprobe/type").read())
path = ctypes.create_string_buffer(b"/bin/true")
attr = struct.pack("IIQQQQQIIQQ", kind, 72, 0, 0, 0, 0, 0, 0, 0, ctypes.addressof(path), 0)
exit(libc.syscall({"x86_64": 298, "aarch64": 241}[os.uname().machine], ctypes.create_string_buffer(attr), 0, -1, -1, 0) < 0)
"""),
):
    code = "import ctypes, os, struct\nlibc = ctypes.CDLL(None)\n" + code
    python = [*client, "python3"] if machine else [config.python]
    if (machine or (not target and platform.machine() == "x86_64")) and subprocess.run(
            [*python, "-c", code], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0:
        config.available_features.add(feature)
if target:
    config.available_features.add("aarch64-run")
    config.available_features.add("aarch64-system" if machine else "sme")
elif platform.machine() == "x86_64":
    config.available_features.add("x86_64-host")
    with open("/proc/cpuinfo") as cpuinfo:
        flags = cpuinfo.read()
    for feature in ("avx", "avx2", "avx512f"):
        if re.search(rf"\b{feature}\b", flags):
            config.available_features.add(feature)
