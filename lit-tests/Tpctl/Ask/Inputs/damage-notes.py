# Damages the notes of USDT probes byte by byte, and lists each file: tpctl
# must end in order, and say what is damaged or list probes.
# usage: damage-notes.py TPCTL PROGRAM NOTES BAD
import subprocess
import sys

tpctl, program, notes, bad = sys.argv[1:]
whole, section = open(program, "rb").read(), open(notes, "rb").read()
begin = whole.index(section)
faults = set()
for at in range(len(section)):
    data = bytearray(whole)
    data[begin + at] = 255
    open(bad, "wb").write(data)
    done = subprocess.run(
        [tpctl, "list", "-b", bad, "--args", "usdt:*"],
        capture_output=True, text=True, errors="replace")
    if done.returncode not in (0, 1):
        sys.exit(f"byte {at}: status {done.returncode}: {done.stderr}")
    if "usdt:" not in done.stdout and "damaged" not in done.stderr \
            and "not all USDT probes" not in done.stderr:
        sys.exit(f"byte {at}: nothing is said: {done.stderr}")
    faults.update(done.stderr.splitlines())
print("every damage was told of, or made no difference to the notes' form")
print("\n".join(sorted(faults)))
