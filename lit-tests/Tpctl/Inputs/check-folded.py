# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Fails if the self times of folded stacks are not those of `tpctl report --format=csv`.
import collections
import csv
import sys

folded = collections.Counter()
for line in open(sys.argv[1], encoding="utf-8"):
    path, _, value = line.rstrip("\n").rpartition(" ")
    folded[path.split(";")[-1]] += int(value)
report = {row["function"]: float(row["self_ns"]) for row in csv.DictReader(open(sys.argv[2], encoding="utf-8"))}
assert folded and set(folded) == set(report), (folded, report)
for name, value in report.items():
    assert abs(folded[name] - value) <= 1, (name, folded[name], value)
