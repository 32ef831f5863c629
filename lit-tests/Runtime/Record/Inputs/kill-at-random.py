# Runs a program that records, kills it by SIGKILL at a random moment, and reads the
# recording: for each thread, at most one event is lost. Arguments: tpctl, file, command.
# The program prints a line when it has begun. TP_KILL_RUNS is how often this is done.
import os
import random
import re
import signal
import subprocess
import sys
import time

tpctl, file, *command = sys.argv[1:]
# An emulator takes seconds for each start.
runs = os.environ.get("TP_KILL_RUNS", "10" if "qemu" in command[0] else "50")
events, seed = 0, random.randrange(1 << 30)
random.seed(seed)
for run in range(int(runs)):
    subprocess.run(["rm", "-f", file], check=True)
    program = subprocess.Popen(command, stdout=subprocess.PIPE)
    program.stdout.readline()
    time.sleep(random.random() * 0.03)
    program.send_signal(signal.SIGKILL)
    program.wait()
    report = subprocess.run([tpctl, "report", file], capture_output=True, text=True)
    text = report.stdout + report.stderr
    found = re.search(r"(\d+) events? of (\d+) threads?", text)
    claimed = re.search(r"(\d+) words? (?:was|were) claimed and never stored", text)
    bad = [line for line in text.splitlines() if "note:" in line and "claimed" not in line
           and "still open" not in line and "began before" not in line and "not closed" not in line
           and "killed" not in line
           and "rate is not known" not in line]
    threads = int(found.group(2)) if found else 0
    if "has no events" in text:
        continue  # it was killed before its threads ran
    if report.returncode or not found or (claimed and int(claimed.group(1)) > threads) or bad or threads > 2:
        print(f"run {run} of seed {seed}:\n{text}")
        sys.exit(1)
    events += int(found.group(1))
print("all", runs, "runs are whole," if events > int(runs) * 100 else "runs are empty,", "at most one event a thread is lost")
