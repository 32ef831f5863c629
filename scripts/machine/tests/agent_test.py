#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Tests the agent and the client of scripts/machine.sh with each other. Without arguments
# both are built for this machine and run here. With the state folder of a machine that
# runs, and its client, the same is tried with the agent there.
#
# usage: agent_test.py [CLIENT STATE_FOLDER [--or-skip]]
#        --or-skip: exit code 77 if the machine does not run
import os
import signal
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCES = os.path.dirname(HERE)
remote = [os.path.abspath(path) for path in sys.argv[1:3]]


class Agent(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # A folder that both sides see.
        cls.temporary = tempfile.TemporaryDirectory(dir=os.path.dirname(remote[1]) if remote else None)
        cls.folder = cls.temporary.name
        cls.agent = None
        if remote:
            cls.client, cls.state = remote
            return
        cls.client, cls.state = os.path.join(cls.folder, "client"), cls.folder
        for name in ("client", "agent"):
            subprocess.run([os.environ.get("CXX", "c++"), "-std=c++17", "-Wall", "-Wextra", "-Werror", "-o", os.path.join(cls.folder, name),
                            os.path.join(SOURCES, name + ".cpp")], check=True)
        cls.write("token", "secret\n")
        cls.agent = subprocess.Popen([os.path.join(cls.folder, "agent"), "127.0.0.1", "0", os.path.join(cls.folder, "token")],
                                     stdout=subprocess.PIPE, text=True)
        cls.write("port", cls.agent.stdout.readline().split()[-1] + "\n")

    @classmethod
    def tearDownClass(cls):
        if cls.agent:
            cls.agent.kill()
            cls.agent.wait()
            cls.agent.stdout.close()
        cls.temporary.cleanup()

    @classmethod
    def write(cls, name, text):
        with open(os.path.join(cls.folder, name), "w") as file:
            file.write(text)

    def read_port(self):
        with open(os.path.join(self.state, "port")) as file:
            return file.read()

    def command(self, *arguments):
        return [self.client, self.state, *arguments]

    def run_sh(self, script, **more):
        more = {"stdin": subprocess.DEVNULL, "cwd": self.folder, **({} if "input" not in more else {"stdin": None}), **more}
        return subprocess.run(self.command("sh", "-c", script), capture_output=True, text=True, timeout=300, **more)

    def begin(self, script, **more):
        """Starts a command that prints a line when it is ready."""
        process = subprocess.Popen(self.command("sh", "-c", script), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=self.folder, **more)
        self.addCleanup(lambda: (process.kill(), process.wait(), process.stdin.close(), process.stdout.close()))
        return process, process.stdout.readline()

    def test_streams_are_apart(self):
        done = self.run_sh("echo out; echo errors >&2")
        self.assertEqual((done.stdout, done.stderr, done.returncode), ("out\n", "errors\n", 0))

    def test_one_stream_keeps_its_order(self):
        done = subprocess.run(self.command("sh", "-c", "for i in 1 2 3 4 5; do echo a$i; echo b$i >&2; done"), stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300, cwd=self.folder)
        self.assertEqual(done.stdout, "".join(f"a{i}\nb{i}\n" for i in range(1, 6)))

    def test_exit_codes(self):
        for code in (0, 1, 125, 255):
            self.assertEqual(self.run_sh(f"exit {code}").returncode, code)

    def test_ends_by_the_same_signal(self):
        for number in (signal.SIGSEGV, signal.SIGKILL, signal.SIGTERM):
            self.assertEqual(self.run_sh(f"kill -{int(number)} $$").returncode, -number)

    def test_no_such_program(self):
        done = subprocess.run(self.command("no-such-program"), capture_output=True, text=True, timeout=300, cwd=self.folder)
        self.assertEqual(done.returncode, 127)
        self.assertIn("machine: cannot run no-such-program: No such file", done.stderr)

    def test_no_such_folder(self):
        if not remote:
            return  # both sides have the same folders
        with tempfile.TemporaryDirectory() as here:
            done = subprocess.run(self.command("true"), capture_output=True, text=True, timeout=300, cwd=here)
        self.assertEqual(done.returncode, 126)
        self.assertIn("has no folder " + here, done.stderr)

    def test_large_input_and_output(self):
        text = "".join(f"line {i}\n" for i in range(300000))
        self.assertEqual(self.run_sh("cat", input=text).stdout, text)

    def test_input_that_nobody_reads(self):
        self.assertEqual(self.run_sh("exec <&-; echo done", input="x" * 1000000).stdout, "done\n")

    def test_folder_variables_and_arguments(self):
        done = subprocess.run(self.command("-E", "B=two words", "sh", "-c", 'pwd -P; echo "$A/$B/$1/$2"', "sh", "", "a\nb"), capture_output=True,
                              text=True, timeout=300, cwd=self.folder, env={**os.environ, "A": "ä"}, stdin=subprocess.DEVNULL)
        self.assertEqual(done.stdout, f"{os.path.realpath(self.folder)}\nä/two words//a\nb\n")

    def test_variables_of_this_machine_stay_here(self):
        done = self.run_sh('echo "$PATH,$TMPDIR,$PYTHONPATH"', env={**os.environ, "PATH": "/here", "TMPDIR": "/here", "PYTHONPATH": "/here"})
        self.assertNotIn("here", done.stdout)

    def test_signals_are_passed_on(self):
        process, line = self.begin("trap 'echo got; exit 3' TERM; echo ready; while :; do sleep 0.01; done")
        self.assertEqual(line, "ready\n")
        process.send_signal(signal.SIGTERM)
        self.assertEqual((process.stdout.read(), process.wait(300)), ("got\n", 3))

    def test_a_signal_passes_input_that_nobody_reads(self):
        process, _ = self.begin("trap 'exit 4' USR1; echo ready; while :; do sleep 0.01; done")
        process.stdin.write("x" * 50000)  # fits into the pipe here, but not into what the command reads
        process.stdin.flush()
        process.send_signal(signal.SIGUSR1)
        self.assertEqual(process.wait(300), 4)

    def test_a_killed_client_s_command_ends(self):
        process, number = self.begin("sleep 1000 & echo $$; wait")
        process.kill()
        process.wait()
        # Ends only when the process has gone; else the test's time limit ends it.
        self.assertEqual(self.run_sh(f"while kill -0 {number.strip()} 2>/dev/null; do sleep 0.05; done; echo gone").stdout, "gone\n")

    def test_a_reader_that_ends_early(self):
        process, line = self.begin("exec yes")
        self.assertEqual(line, "y\n")
        process.stdout.close()
        self.assertEqual(process.wait(300), -signal.SIGPIPE)

    def test_output_of_children_is_waited_for(self):
        self.assertEqual(self.run_sh("(sleep 0.2; echo late) & echo early").stdout, "early\nlate\n")

    def test_many_at_once(self):
        running = [subprocess.Popen(self.command("sh", "-c", f"echo {i}; exit {i}"), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
                   for i in range(20)]
        self.assertEqual([(process.communicate(timeout=300)[0], process.returncode) for process in running],
                         [(f"{i}\n", i) for i in range(20)])

    def test_another_token_runs_nothing(self):
        with tempfile.TemporaryDirectory() as state:
            for name, text in (("token", "other\n"), ("port", self.read_port())):
                with open(os.path.join(state, name), "w") as file:
                    file.write(text)
            done = subprocess.run([self.client, state, "echo", "run"], capture_output=True, text=True, timeout=300, cwd=self.folder)
        self.assertEqual((done.returncode, done.stdout), (125, ""))
        self.assertIn("did not accept", done.stderr)

    def test_no_machine(self):
        with tempfile.TemporaryDirectory() as state:
            done = subprocess.run([self.client, state, "true"], capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 125)
        self.assertIn("does not run", done.stderr)


if __name__ == "__main__":
    if "--or-skip" in sys.argv and not os.path.exists(os.path.join(remote[1], "port")):
        print("skipped: the emulated machine does not run")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
