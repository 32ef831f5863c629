#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""with-distccd.py COMMAND...: runs COMMAND while a distccd serves the loopback
interface, and prints how many of its jobs the server compiled. The server's log
is distccd.log in the current folder."""

import os
import socket
import subprocess
import sys
import time

with socket.socket() as probe:
    probe.bind(("127.0.0.1", 0))
    port = str(probe.getsockname()[1])

# distccd refuses to run as root. In a user namespace this process runs as another user.
server = ["unshare", "-U"] if os.geteuid() == 0 else []
server += ["distccd", "--no-detach", "--daemon", "--enable-tcp-insecure", "--jobs", "1",
           "--allow", "127.0.0.1", "--listen", "127.0.0.1", "--port", port,
           "--log-stderr", "--log-level", "info"]
os.makedirs("distcc", exist_ok=True)
os.environ.update(DISTCC_HOSTS="127.0.0.1:" + port, DISTCC_DIR=os.path.abspath("distcc"))
with open("distccd.log", "w") as log:
    daemon = subprocess.Popen(server, stderr=log, stdin=subprocess.DEVNULL)
    try:
        for _ in range(100):
            with socket.socket() as client:
                if client.connect_ex(("127.0.0.1", int(port))) == 0:
                    break
            time.sleep(0.1)
        code = subprocess.call(sys.argv[1:])
        # The client may end before the server has logged the result.
        for _ in range(100):
            with open("distccd.log") as said:
                text = said.read()
            if text.count("(dcc_job_summary)") >= text.count("(dcc_check_client)"):
                break
            time.sleep(0.1)
    finally:
        daemon.terminate()
        daemon.wait()
with open("distccd.log") as log:
    print("compiled by the server:", log.read().count("completed ok"))
sys.exit(code)
