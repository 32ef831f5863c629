# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Properties of this machine for the tests of running processes."""

import platform


def may_inject():
    """Whether the kernel lets tpctl change this user's processes that tpctl has not started. That needs
    x86-64, no seccomp filter (as containers have), and no restriction by the Yama module (ptrace(2))."""
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
