# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Runs a command on a terminal and prints its output, with escape sequences as letters.
import os
import pty
import sys

os.environ["TERM"] = "xterm-256color"
output = b""


def read(terminal):
    global output
    output += (data := os.read(terminal, 4096))
    return data


# spawn copies its input to standard output.
real = os.dup(1)
os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
try:
    pty.spawn(sys.argv[1:], read)
except OSError:
    pass
os.dup2(real, 1)
print(repr(output.decode()))
