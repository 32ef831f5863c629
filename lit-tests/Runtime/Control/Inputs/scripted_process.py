# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A process with one function, for tests of what tpctl makes of its answers. It has a clock of its own: from reading to
reading, two seconds pass, and the function gets 1000 calls. Its arguments: a folder for its socket, how many seconds an
attach takes, and which part of the calls are in histograms: all or none."""

import ctypes, os, socket, struct, sys, time

folder, slow, placed = sys.argv[1], float(sys.argv[2]), sys.argv[3] == "all"
ctypes.CDLL(None).prctl(15, b"tprt-control", 0, 0, 0)
HEAD = struct.Struct("<IHHIi")
listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
listener.bind(f"{folder}/process-{os.getpid()}")
listener.listen(4)
print("ready", flush=True)
tool, _ = listener.accept()
readings, on = 0, None

def body(kind, request):
    global readings, on
    if kind == 1:
        return struct.pack("<IiQQQQ", 2, os.getpid(), 1, 0, 1, 10**9) + b"0.2.0\0/bin/process\0"
    if kind == 2:
        return struct.pack("<IIII", 1, 1, 0, 20) + struct.pack(
            "<QQQIBBBBIIIIIIBB22s", 4096, 4096, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, b"") + b"\0work\0"
    if kind == 3:
        time.sleep(slow)
        return struct.pack("<IIII", 1, 1, 1, 0) + b"\0"
    if kind in (6, 7):
        calls, ticks = 777 + 1000 * readings, (1 + 2 * readings) * 10**9
        readings += 1
        row = (struct.pack("<IiQ", 1, 0, calls) if kind == 6 else
               struct.pack("<IiQQQQQIIII", 1, 0, calls, 100 * calls, 100 * calls, 100, 0 if placed else calls, 0, 0, 0, placed) +
               struct.pack("<Q", 56 << 48 | calls) * placed)
        return struct.pack("<IIIIQQQ", 1, 0, 0, 0, ticks, 0, 0) + row
    if kind == 8:
        what = struct.unpack_from("<I", request, 16)[0]
        if what == 0:
            return request[48:]
        if what == 1:
            time.sleep(slow)
            on = time.monotonic()
            return struct.pack("<IIII", 1, 1, 1, 0) + b"\0"
        print(time.monotonic() - on, flush=True)
    return b""

while message := tool.recv(1 << 17):
    size, version, kind, number, _ = HEAD.unpack_from(message)
    answer = body(kind, message[HEAD.size:])
    tool.send(HEAD.pack(HEAD.size + len(answer), 2, kind, number, 0) + answer)
