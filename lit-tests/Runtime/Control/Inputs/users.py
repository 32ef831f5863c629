"""users.py PROGRAM LIBRARIES: runs users.c with these libraries preloaded, and meanwhile sends requests to its control
without a pause."""
import sys
from control import *

os.environ["LIBTPRT"] = sys.argv[2]
program = start(sys.argv[1], "3000")
tool = Tool(program.pid)
program.stdin.close()
try:
    while program.poll() is None:
        tool.send(FIGURES)
        if not tool.socket.recv(1 << 17):
            break
except OSError:
    pass  # the process has ended
print(program.stdout.read().strip(), "exit status", program.wait())
