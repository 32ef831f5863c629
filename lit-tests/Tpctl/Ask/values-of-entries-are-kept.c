// entry(E) is the number that E was when the call began, in programs that run at the end of calls: in count, hist, trace and
// record, in calls inside of others, and in calls that longjmp ends. If this fails, another call's value is shown, or that
// of the end.
//
// REQUIRES: tpctl
// RUN: %clang -O1 -g -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s -o %t
// RUN: %tpctl trace step --print 'n, entry(*at), *at, entry(*at + n) - 1, entry(total), result' -- %t 2>&1 | FileCheck %s --check-prefix=TRACE
// TRACE:      step  n=0, entry(*at)=16, *at=17, entry(*at + n) - 1=15, entry(total)=2, result=17{{$}}
// TRACE-NEXT: step  n=1, entry(*at)=14, *at=17, entry(*at + n) - 1=14, entry(total)=1, result=17{{$}}
// TRACE-NEXT: step  n=2, entry(*at)=10, *at=17, entry(*at + n) - 1=11, entry(total)=0, result=17{{$}}
// TRACE:      step  n=9, entry(*at)=?, *at=?, entry(*at + n) - 1=?, entry(total)=3, result=0{{$}}
// TRACE:      step  (no exit: unwound)  n=7, entry(*at)=50, *at=51, entry(*at + n) - 1=56, entry(total)=4, result=?{{$}}
// RUN: rm -f %t.tp && %tpctl record -q -o %t.tp step --if 'n != 9 && entry(*at) + 1 != *at' --values 'entry(*at)' -- %t
// RUN: %tpctl trace %t.tp 2>&1 | FileCheck %s --check-prefix=FILE
// FILE:      step  entry(*at)=14{{$}}
// FILE-NEXT: step  entry(*at)=10{{$}}
// FILE-NOT:  step
// RUN: %tpctl count step --by 'entry(*at)' --of 'entry(total) + entry(*at) - entry(*at)' -- %t 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT-DAG: {{^ *1 +[0-9,]+ +0 .* 10$}}
// COUNT-DAG: {{^ *1 +[0-9,]+ +1 .* 14$}}
// COUNT-DAG: {{^ *1 +[0-9,]+ +2 .* 16$}}
// COUNT-DAG: {{^ *1 +[0-9,]+ +4 .* 50$}}
// COUNT-DAG: {{^ *2 .* [?]$}}
// RUN: %tpctl hist step --of 'entry(*at)' --if 'n < 9' -- %t 2>&1 | FileCheck %s --check-prefix=HIST
// HIST: 4 calls
//
// RUN: not %tpctl count step --of 'entry(result + 1)' -- %t 2>&1 | FileCheck %s --check-prefix=LATE
// LATE:      error: --of: result is of the end of a call, and entry() is of its beginning
// LATE-NEXT: entry(result + 1)
// LATE-NEXT: {{^ +\^~~~~~$}}
// RUN: not %tpctl count step --of 'entry(entry(n))' -- %t 2>&1 | FileCheck %s --check-prefix=NESTED
// NESTED: error: --of: entry(n) is of the end of a call, and entry() is of its beginning
// RUN: not %tpctl count step --by 'entry(n), entry(total)' --of 'entry(*at) + entry(n) + entry(n)' -- %t 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: error: --of: entry() is possible at most 4 times
// RUN: not %tpctl count step --by 'entry(str(at))' -- %t 2>&1 | FileCheck %s --check-prefix=TEXT
// TEXT: error: --by: str(at) is text, and entry() needs a number
#include <setjmp.h>

static jmp_buf back;
int total;

__attribute__((noinline, used)) int step(int *at, int n) {
  if (n == 9) {
    ++total;
    return 0;
  }
  int before = total++;
  if (n == 7) {
    *at += 1;
    longjmp(back, 1);
  }
  if (n > 0) {
    *at += 2 * n;
    step(at, n - 1);
  } else {
    *at += 1;
  }
  __asm__ volatile("" ::"r"(before) : "memory");
  return *at;
}

int main(void) {
  int place = 10, other = 50;
  step(&place, 2);
  step((int *)8, 9);
  if (!setjmp(back))
    step(&other, 7);
  step((int *)8, 9);
  return 0;
}
