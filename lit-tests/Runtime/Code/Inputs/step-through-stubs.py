# gdb runs this script. The script single-steps through the second call of call_inner(), and checks the backtrace at each
# instruction: the backtrace ends in call_inner and main. In a stub, an island or the copy of an instruction, the
# backtrace also has the probed function.
import gdb


def names():
    found, frame = [], gdb.newest_frame()
    while frame and len(found) < 20:
        found.append(frame.name() or "?")
        frame = frame.older()
    return found


def is_ret():
    # At a ret, gdb reports the frame of the function that returns.
    return bytes(gdb.selected_inferior().read_memory(gdb.newest_frame().pc(), 1)) == b"\xc3"


gdb.execute("set pagination off")
gdb.execute("set confirm off")
gdb.execute("set breakpoint pending on")
gdb.execute("break call_inner")
gdb.execute("run")
gdb.execute("continue")
wrong, stubs = [], set()
for _ in range(20000):
    gdb.execute("stepi", to_string=True)
    frames = names()
    if frames[0] == "main":
        break
    right = frames[-2:] == ["call_inner", "main"]
    if frames[0].startswith("tprt_stub_of_"):
        stubs.add(gdb.newest_frame().pc())
        name = frames[0].removeprefix("tprt_stub_of_")
        right = right and (name in ("code", frames[1]) or is_ret())  # code without a symbol
    if not right:
        wrong.append(frames)
print("stepped through %d instructions of stubs, wrong: %s" % (len(stubs), wrong))
gdb.execute("break onHit")
gdb.execute("kill")
gdb.execute("delete 1")
gdb.execute("run")
print("in the handler: %s" % " ".join(names()))
gdb.execute("kill")
