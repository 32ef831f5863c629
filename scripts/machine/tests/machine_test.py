#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Tests the life of an emulated machine (scripts/machine.sh): what it says when it cannot
# start, that it runs commands, and that nothing of it is left when its owner ends, when its
# keeper is killed, and after `stop`. Exit code 77: its parts are not there.
#
# usage: machine_test.py BUILD_FOLDER [PROCESSOR]
import os
import subprocess
import sys
import tempfile
import time
import unittest

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "machine.sh")
build = os.path.abspath(sys.argv[1])
processor = sys.argv[2] if len(sys.argv) > 2 else "aarch64"
name = f"test-{os.getpid()}"
state = os.path.join(build, "machine", "run", name)


def machine(*arguments, options=(), **more):
    return subprocess.run([SCRIPT, "--build", build, "--name", name, *options, processor, *arguments], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=900, **more)


def processes():
    """The emulator's programs of this test's machine, by their arguments."""
    found = []
    for number in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{number}/cmdline", "rb") as file:
                arguments = file.read()
        except OSError:
            continue
        if state.encode() in arguments and int(number) != os.getpid():
            found.append(int(number))
    return found


class Life(unittest.TestCase):
    def setUp(self):
        self.owner = subprocess.Popen(["sleep", "10000"])
        self.addCleanup(lambda: (self.owner.kill(), self.owner.wait(), machine("stop")))

    def start(self, *options):
        done = machine("start", options=("--owner", str(self.owner.pid), *options))
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.assertGreaterEqual(len(processes()), 3)  # keeper, virtiofsd, qemu

    def assert_nothing_left(self):
        # Returns when it is so; else the test's time limit ends the wait.
        while processes():
            time.sleep(0.05)
        self.assertEqual(machine("status").returncode, 1)

    def test_runs_commands_and_stops(self):
        self.start()
        done = machine("run", "uname", "-m")
        self.assertEqual((done.stdout, done.stderr, done.returncode), (processor.removesuffix("-16k").replace("ppc64el", "ppc64le") + "\n", "", 0))
        done = machine("run", "cat", "/proc/uptime", cwd=build)
        first = float(done.stdout.split()[0])
        self.assertIn("already", machine("start").stderr)
        self.assertGreater(float(machine("run", "cat", "/proc/uptime").stdout.split()[0]), first)  # not booted anew
        self.assertEqual(machine("status").returncode, 0)
        self.assertEqual(machine("stop").returncode, 0)
        self.assert_nothing_left()

    def test_ends_with_its_owner(self):
        self.start()
        self.owner.kill()
        self.owner.wait()
        self.assert_nothing_left()

    def test_ends_with_its_keeper(self):
        self.start()
        with open(os.path.join(state, "pid")) as file:
            os.kill(int(file.read()), 9)
        self.assert_nothing_left()

    def test_ends_in_time(self):
        self.start("--seconds", "1")
        self.assert_nothing_left()


class Refusals(unittest.TestCase):
    def refused(self, code, words, *arguments):
        done = subprocess.run([SCRIPT, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100)
        self.assertEqual(done.returncode, code)
        self.assertIn(words, done.stderr)

    def test_wrong_usage(self):
        self.refused(2, "no processor 'vax'; known are: aarch64 aarch64-16k", "--build", build, "vax", "start")
        self.refused(2, "unknown: dance", "--build", build, processor, "dance")
        self.refused(2, "run needs a command", "--build", build, processor, "run")
        self.refused(2, "--seconds needs a number, not 'x'", "--seconds", "x", processor, "start")
        self.refused(2, "start has no arguments", "--build", build, processor, "start", "now")
        self.refused(2, "no build folder /no/such", "--build", "/no/such", processor, "start")
        self.refused(125, "there is no process 999999999", "--build", build, "--name", name, "--owner", "999999999", processor, "start")

    def test_parts_are_missing(self):
        with tempfile.TemporaryDirectory() as empty:
            self.refused(77, f"'scripts/machine.sh {processor} fetch' gets them", "--build", empty, processor, "start")


if __name__ == "__main__":
    if machine("start", options=("--owner", str(os.getpid()))).returncode == 77:
        print(machine("start").stderr)
        sys.exit(77)
    machine("stop")
    unittest.main(argv=sys.argv[:1])
