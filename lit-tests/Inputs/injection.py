# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tests of programs that run have to know of this machine."""

import platform


def may_inject():
    """Whether the kernel lets tpctl change processes of this user, which it has not started: x86-64, no
    seccomp filter (as containers have), and nothing that ptrace(2) asks of the Yama module."""
    with open("/proc/self/status") as lines:
        status = dict(line.rstrip("\n").split(":\t") for line in lines if ":\t" in line)
    try:
        with open("/proc/sys/kernel/yama/ptrace_scope") as scope:
            yama = int(scope.read())
    except FileNotFoundError:
        yama = 0
    traces_all = int(status["CapEff"], 16) >> 19 & 1  # CAP_SYS_PTRACE
    return (platform.machine() == "x86_64" and status.get("Seccomp", "0").strip() == "0" and
            (yama == 0 or (yama < 3 and traces_all)))
