# Runs a program under the emulator, which this script controls by gdb's remote protocol (GDB manual, "gdb Remote
# Serial Protocol"). From begin() to end() the program is single-stepped. When an instruction in a stub or in libtprt's
# trampolines is reached for the first time, the program gets SIGUSR1. The program's `base` is where libtprt begins.
import os, re, socket, subprocess, sys, time

library, program, *arguments = sys.argv[1:]
SIGNAL = "C1e"  # go on with SIGUSR1, which has the number 30 in this protocol
STACK, COUNTER, LINK = 0x1f, 0x20, 0x1e

# The path of a socket must be short.
path = "/tmp/tp-step-%d" % os.getpid()
process = subprocess.Popen(os.environ["EMULATOR"].split() + ["-g", path, program] + arguments)
connection = socket.socket(socket.AF_UNIX)
while True:
    try:
        connection.connect(path)
        break
    except OSError:
        assert process.poll() is None, "the emulator does not start"
        time.sleep(0.01)
os.unlink(path)
stream = connection.makefile("rb")


def ask(text):
    connection.sendall(b"$%s#%02x" % (text.encode(), sum(text.encode()) & 255))
    answer = b""
    while stream.read(1) not in (b"$", b""):
        pass
    while (byte := stream.read(1)) not in (b"#", b""):
        answer += byte
    stream.read(2)
    connection.sendall(b"+")
    return answer.decode()


def words(at, count, size=4):
    code = bytes.fromhex(ask("m%x,%x" % (at, size * count)))
    return [int.from_bytes(code[i:i + size], "little") for i in range(0, len(code), size)]


def register(number):
    return int.from_bytes(bytes.fromhex(ask("p%x" % number)), "little")


def run_to(address, how="c"):
    ask("Z0,%x,4" % address)
    answer = ask(how)
    ask("z0,%x,4" % address)
    assert answer.startswith("T05"), "the program has ended: " + answer


def symbols_of(file):
    names = subprocess.run(["llvm-nm", file], capture_output=True, text=True).stdout
    return {name: int(at, 16) for at, name in re.findall(r"^([0-9a-f]+) \w (\w+)$", names, re.M)}


def end_of_exclusive(at):
    """The end of the loop around a load-exclusive and its store, or None if no such loop begins
    here. In the emulator, a store-exclusive fails if the program has stopped since the load."""
    if is_ours(at) and words(at, 1)[0] & 0x3fff7c00 == 0x085f7c00:
        for i, word in enumerate(words(at, 8)):
            if word & 0x7f000000 == 0x35000000:  # cbnz
                return at + 4 * i + 4


ask("qXfer:features:read:target.xml:0,8")  # from then on the emulator answers what is asked about one register
here = symbols_of(program)
run_to(here["begin"])
base = words(here["base"], 1, 8)[0]
there = symbols_of(library)
first, last = base + there["__tprt_slow_hit"], base + there["__tprt_redirect_trampoline"] + 64


def is_ours(at):
    # Stubs are near the program, and libraries are far away.
    return first <= at < last or at < 1 << 32 and not here["_init"] <= at < here["_fini"]


seen = set()


def send_signal(at):
    if not is_ours(at) or at in seen:
        return
    seen.add(at)
    stack = register(STACK)
    run_to(at, SIGNAL)
    while register(STACK) != stack:  # the signal's handler got there
        ask("s")
        run_to(at)


while (at := register(COUNTER)) != here["end"]:
    back = register(LINK)
    if at > 1 << 32 and not is_ours(at) and is_ours(back):
        run_to(back)  # over a function in C++, or a handler of libtprt's
        continue
    after = end_of_exclusive(at)
    send_signal(at)
    if not after:
        ask("s")
        continue
    for inside in range(at + 4, after, 4):
        run_to(inside)
        if register(COUNTER) == inside:
            send_signal(inside)
    run_to(after)
ask("c")
connection.close()
sys.exit(process.wait())
