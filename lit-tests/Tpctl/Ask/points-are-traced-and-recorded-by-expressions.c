// `trace` and `record` take expressions at points, by `point:` and by a bare name. If this fails, the values are not those
// of the points, hits of threads are lost, or a reader does not know which point an event belongs to.
//
// REQUIRES: tpctl
// RUN: gcc -g -O2 -pthread -I %tprt_include %s -o %t
//
// RUN: %tpctl trace point:sold --print 'what, price' --if 'number == 3' --hits 2 -- %t > %t.out 2> %t.err
// RUN: FileCheck %s --input-file %t.out --check-prefix=PRINT
// PRINT: {{[0-9]}} sold what="pike", price=1.5{{$}}
// PRINT: {{[0-9]}} sold what="pike", price=1.5{{$}}
// PRINT-NOT: sold
//
// A bare name, and an expression without types.
// RUN: %tpctl trace sold --if 'arg0 == 7' --hits 1 -- %t 2>&1 | FileCheck %s --check-prefix=BARE
// BARE: {{[0-9]}} sold{{$}}
// BARE: tpctl: note: 1 call
//
// Functions and points of one pattern: each has its own values.
// RUN: %clang -g -O2 -pthread -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit -I %tprt_include %s -o %t.sleds
// RUN: rm -rf %t.both %t.all && %tpctl record 's*' --values 'number' -o %t.both -- %t.sleds > %t.out 2> %t.err
// RUN: %tpctl report %t.both > %t.out 2> %t.err && FileCheck %s --input-file %t.out --check-prefix=BOTH
// BOTH-DAG: {{^ *}}8000 {{.*}} sold{{$}}
// BOTH-DAG: {{^ *}}8000 {{.*}} sell{{$}}
// RUN: FileCheck %s --input-file %t.err --allow-empty --check-prefix=QUIET
// QUIET-NOT: {{no exits|does not describe}}
//
// Every hit of eight threads is in the file once, with the values of its thread.
// RUN: %tpctl record 'point:*' --values 'args, thread' -o %t.all -- %t > %t.out 2>&1
// RUN: FileCheck %s --input-file %t.out --check-prefix=ALL
// ALL: 8,000 events, none lost
// RUN: %tpctl export --format csv %t.all 2> %t.err | %python -c 'import csv, json, sys; rows = [json.loads(r["values"]) for r in csv.DictReader(sys.stdin)]; print(len(rows), "rows,", len({(r["thread"], r["number"]) for r in rows}), "distinct,", sum(r["price"] for r in rows), "in all,", sorted({r["what"] for r in rows}))' | FileCheck %s --check-prefix=ROWS
// ROWS: 8000 rows, 8000 distinct, 1998000.0 in all, ['perch', 'pike']
// RUN: %tpctl export --format chrome -o %t.json %t.all && %python -c 'import json, sys; print(len([e for e in json.load(open(sys.argv[1]))["traceEvents"] if e.get("name") == "sold" and e["args"]["values"]["what"] in ("perch", "pike")]), "instants")' %t.json | FileCheck %s --check-prefix=JSON
// JSON: 8000 instants
//
// RUN: not %tpctl trace point:sold --if 'result > 0' -- %t 2>&1 | FileCheck %s --check-prefix=RESULT
// RESULT: tpctl: error: --if: 'result' is known of calls, and sold is a point; select functions for it
// RUN: not %tpctl trace point:sold --print 'weight' -- %t 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: tpctl: error: --print: 'weight' is no argument of the point sold(
// RUN: not %tpctl record point:sold sell --values number -o %t.none -- %t 2>&1 | FileCheck %s --check-prefix=MIXED
// MIXED: tpctl: error: 'point:sold' selects points: with expressions, select functions in a command of their own
#include <pthread.h>
#include <tprt/trace.h>

TPRT_POINT(sold);

__attribute__((noinline)) static void sell(int number) {
  TPRT_TRACE(sold, "number=%d what=%s price=%g", number, number % 2 ? "pike" : "perch", number / 2.0);
  __asm__ volatile("" ::: "memory");
}

static void *work(void *unused) {
  for (int i = 0; i < 1000; ++i)
    sell(i);
  return unused;
}

int main(void) {
  pthread_t threads[8];
  for (int i = 0; i < 8; ++i)
    pthread_create(&threads[i], 0, work, 0);
  for (int i = 0; i < 8; ++i)
    pthread_join(threads[i], 0);
}
