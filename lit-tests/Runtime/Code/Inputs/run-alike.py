# Runs programs of the distribution, unmodified, while a thread of each attaches to all functions of the
# program and of its libraries and detaches again, at random,
# every few milliseconds. The output is compared with that of
# a plain run. usage: run-alike.py LIBTPRT TOGGLER LOG
import os
import re
import shutil
import subprocess
import sys

libtprt, toggler, log = sys.argv[1:]
numbers = "\n".join(f"{i * 7919 % 30011} {i}" for i in range(150000))
python = """
import json, threading
def work(out):
    data = {str(i): [i * 0.5, str(i)] for i in range(100)}
    for _ in range(100):
        data = json.loads(json.dumps(data))
    out.append(len(data))
out = []
threads = [threading.Thread(target=work, args=(out,)) for _ in range(4)]
[t.start() for t in threads]
[t.join() for t in threads]
print(out)
try:
    int("x")
except ValueError as error:
    print(error)
"""
tables = """
create table t(a integer, b text);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 40000) insert into t select i * 7919 % 30011, hex(i) from n;
create index byText on t(b);
select count(*), sum(x.a), max(y.b) from t x join t y on x.b = y.b where x.a % 3 = 0;
select group_concat(b) from (select b from t order by a, b limit 50);
"""
programs = [
    ["sort", "-n", "--parallel=2"],
    ["bash", "-c", "for i in {1..6000}; do x=${i//1/a}; y=$y$x; done; echo ${#y} $y"],
    ["perl", "-e", 'my %h; $h{$_ % 100} .= "x" for 1..600000; print join(",", map { length $h{$_} } sort keys %h)'],
    ["/usr/bin/python3", "-c", python],
    ["gzip", "-9", "-c", "-n"],
    ["xz", "-3", "-c", "-T2"],
    ["sqlite3", ":memory:", tables],
]
for command in programs:
    if not shutil.which(command[0]):
        print(f"{command[0]} is not here")
        continue
    outputs = []
    for options in ({}, {"TP_TOGGLER_CODE": "1", "TP_TOGGLER_LOG": log, "TPRT_VERBOSE": "0",
                         "LD_PRELOAD": f"{libtprt}:{toggler}"}):
        run = subprocess.run(command, input=numbers, capture_output=True, encoding="latin-1", timeout=120,
                             env={**os.environ, "LC_ALL": "C", **options})
        outputs.append((run.returncode, run.stdout))
    with open(log) as file:
        line = file.read().splitlines()[-1]
    hits = int(re.search(r"(\d+) hits", line)[1]) + int(re.search(r"(\d+) counted", line)[1])
    alike = "alike" if outputs[0] == outputs[1] else f"DIFFERENT: {outputs[1][0]}, {len(outputs[1][1])} bytes"
    print(f"{os.path.basename(command[0])}: {alike}, {'hits' if hits > 100 else 'hardly any hit'}, "
          f"{'no faults' if ' 0 faults' in line else line}")
