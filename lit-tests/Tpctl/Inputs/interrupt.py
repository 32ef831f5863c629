# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# interrupt.py COMMAND...: runs a command, sends it SIGINT when it has printed a line, and
# prints the rest and its exit code.
import signal
import subprocess
import sys

run = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, text=True)
print(run.stdout.readline(), end="")
run.send_signal(signal.SIGINT)
print(run.stdout.read(), end="")
print("code", run.wait())
