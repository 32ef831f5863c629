# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures for how long tpctl attach stops the one thread that it stops, in a program with
100 threads: inject_stop_ms."""

import re
import statistics
import subprocess

from toolchain import sized

RUNS = sized(40, 2)
SOURCE = """
#include <pthread.h>
#include <unistd.h>
static void *wait_in_thread(void *nothing) { for (;;) usleep(20000); return nothing; }
int main(void) {
  pthread_t thread;
  for (int i = 0; i < 100; ++i)
    pthread_create(&thread, 0, wait_in_thread, 0);
  char byte = 0;
  write(1, &byte, 1);
  return (int)read(0, &byte, 1);
}
"""


def measure(tools, tpctl):
    source = tools.path("inject", "threads.c")
    with open(source, "w") as out:
        out.write(SOURCE)
    program = tools.path("inject", "threads")
    tools.call([tools.clang, "-O2", "-w", "-pthread", source, "-o", program])
    times = []
    for _ in range(RUNS):
        with subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as running:
            running.stdout.read(1)
            said = subprocess.run([tpctl, "attach", "-p", str(running.pid)], check=True,
                                  capture_output=True, text=True).stdout
            running.stdin.close()
        times.append(int(re.search(r"stopped for (\d+) us", said)[1]) / 1000)
    return {"inject_stop_ms": statistics.median(times)}
