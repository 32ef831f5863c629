# gdb runs this script for an AArch64 program. The script starts the program in the emulator and single-steps
# through the second call of call_probed(). At each instruction the backtrace ends in call_probed and main. In a
# stub and in the code after a stub, the backtrace also has the probed function. In the code that all stubs call,
# the backtrace has the stub as well. `how` is the program's argument, and `libraries` is where libtprt is.
import os, subprocess, time
import gdb

program = gdb.current_progspace().filename
path = "/tmp/tp-gdb-%d" % os.getpid()
emulator = os.environ["EMULATOR"].split()
# The emulator does not report to gdb which bits of a return address are the signature.
process = subprocess.Popen(emulator + ["-g", path, program, how],
                           env=dict(os.environ, TPRT_OPTIONS="gdb=1", QEMU_CPU="max,pauth=off"))
while not os.path.exists(path) and process.poll() is None:
    time.sleep(0.01)


def names():
    found, frame = [], gdb.newest_frame()
    while frame and len(found) < 20:
        found.append(frame.name() or "?")
        frame = frame.older()
    return found


for command in ("pagination off", "confirm off", "breakpoint pending on", "sysroot " + emulator[-1],
                "solib-search-path " + libraries):
    gdb.execute("set " + command)
gdb.execute("break call_probed")
gdb.execute("target remote " + path)
gdb.execute("continue")
gdb.execute("continue")
wrong, stubs, common = [], set(), set()
for _ in range(5000):
    gdb.execute("stepi", to_string=True)
    frames = names()
    if frames[0] == "main":
        break
    if frames[0] == "onHit" or frames[0].startswith("tprt::"):
        gdb.execute("finish", to_string=True)
        frames = names()
    inner = frames[:-2]
    right = frames[-2:] == ["call_probed", "main"]
    if inner and inner[0] == "tprt_stubs":
        common.add(gdb.newest_frame().pc())
        inner = inner[1:]
        right = right and inner[0].startswith("tprt_stub_of_")
    if inner and inner[0].startswith("tprt_stub_of_"):
        stubs.add(gdb.newest_frame().pc())
        right = right and inner[1:] == [inner[0].removeprefix("tprt_stub_of_")]
    if not right:
        wrong.append(frames)
print("stepped through %d instructions of stubs, and %d that all stubs call, wrong: %s" % (len(stubs), len(common), wrong))
gdb.execute("kill")
process.wait()
