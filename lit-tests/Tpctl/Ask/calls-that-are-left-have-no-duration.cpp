// A call that is left by an exception or longjmp has ended before its thread's next hit, and nobody knows when. Its duration is
// unknown, in expressions and in the histograms of durations, and a note tells of such calls. If this fails, the time that
// main() spends after such a call is shown as time of the call.
//
// REQUIRES: tpctl
// RUN: %clangxx -O2 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s -o %t
//
// RUN: %tpctl count work --by 'duration >= 0' -o - -- %t 2>&1 | FileCheck %s --check-prefix=KEYS
// KEYS-DAG: {{^ +}}20 {{.*}} ?{{$}}
// KEYS-DAG: {{^ +}}30 {{.*}} 1{{$}}
// KEYS: note: 20 calls were left by exceptions or longjmp: their durations are not known
//
// RUN: %tpctl count work --if 'duration >= 0' -o - -- %t 2>&1 | FileCheck %s --check-prefix=IF
// IF: {{^ +}}30 {{.*}}work
// IF: note: 20 calls were left by exceptions or longjmp: their durations are not known
//
// Without durations, nothing is said of them.
// RUN: %tpctl count work --if 'result || !result' -o - -- %t 2>&1 | FileCheck %s --check-prefix=RESULT
// RESULT-NOT: durations
//
// RUN: %tpctl hist work --if 'arg0 < 1000' -o - -- %t 2>&1 | FileCheck %s --check-prefix=HIST
// HIST: {{^}}  50 calls, total
// HIST-NEXT: {{^}}  20 with an unknown value{{$}}
// HIST: note: 20 calls were left by exceptions or longjmp: their durations are not known
//
// The histograms without expressions, with callers and without.
// RUN: %tpctl hist work -o - -- %t 2>&1 | FileCheck %s --check-prefix=TIMES
// RUN: %tpctl hist work --by caller -o - -- %t 2>&1 | FileCheck %s --check-prefix=TIMES
// TIMES: {{^}}  50 calls, total
// TIMES-NEXT: {{^}}  20 of them without a known duration{{$}}
// TIMES: note: 20 calls were left by exceptions or longjmp: their durations are not known
// RUN: %tpctl hist work --format json -o %t.json -- %t
// RUN: %python -c "import json; r = json.load(open('%t.json'))[0]; print(r['calls'], r['cut'], sum(b['calls'] for b in r['buckets']))" | FileCheck %s --check-prefix=JSON
// JSON: {{^}}50 20 30{{$}}
// RUN: %tpctl hist work --format openmetrics -o - -- %t | FileCheck %s --check-prefix=METRICS
// METRICS: le="+Inf"} 30{{$}}
// METRICS: _count{{.*}} 30{{$}}
//
// Left calls alone have no times.
// RUN: %tpctl top thrower --batch -- %t 2>&1 | FileCheck %s --check-prefix=TOP
// TOP: {{^ *[0-9,]+}} 9 - - - - - thrower
// TOP: note: 9 calls were left by exceptions or longjmp: their durations are not known
//
// RUN: %tpctl trace work --print 'result, duration' -- %t 2>&1 | FileCheck %s --check-prefix=TRACE
// TRACE: {{ \? +work.*no exit: unwound.*result=\?, duration=\?}}
#include <csetjmp>
#include <ctime>

#define APART __attribute__((noinline))
static std::jmp_buf back;
static volatile int zero;

extern "C" APART int thrower(int x) {
  if (!zero)
    throw x;
  return x;
}

// Every fifth call is left by an exception, every fifth one by longjmp.
extern "C" APART int work(int x) {
  if (x % 5 == 0)
    throw x;
  if (x % 5 == 1)
    std::longjmp(back, 1);
  return x + zero;
}

static void wait() {
  std::timespec until = {0, 2000000};
  nanosleep(&until, nullptr);
}

int main() {
  for (volatile int i = 0; i < 50; i = i + 1)
    if (!setjmp(back)) {
      try {
        work(i);
      } catch (int) {
        wait();
      }
    } else {
      wait();
    }
  for (int i = 0; i < 10; ++i)
    try {
      thrower(i);
    } catch (int) {
      wait();
    }
  return 0;
}
