# Compares the calls in a report (CSV) with what signal-handlers-record-their-calls.c counted:
# calls of main, signals, and events that were lost or missed.
import csv
import sys

main, handled, lost = map(int, open(sys.argv[1]).read().split())
rows = {row["function"]: int(row["calls"]) for row in csv.DictReader(open(sys.argv[2]))}
recorded = rows.get("inHandler", 0)
ok = rows.get("inMain") == main and handled > 100 and recorded <= handled <= recorded + lost
print("every call of main is there, and every call of the handlers is recorded or counted" if ok
      else f"main {main}, handled {handled}, lost {lost}, recorded {rows}")
