// Errors of --since and --open. If this fails, the user does not learn what to write.
//
// REQUIRES: tpctl
// RUN: %clang -O1 -g -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s -o %t
// RUN: not %tpctl count f:a --open -- %t 2>&1 | FileCheck %s --check-prefix=OPEN
// OPEN: error: --open shows what has started and not ended: say by --since what starts, as in --since 'malloc:result' 'free:arg0' --open
// RUN: not %tpctl hist --since f:a -- %t 2>&1 | FileCheck %s --check-prefix=ENDS
// ENDS: error: --since says what starts: give what ends, too, as in --since 'enqueue:arg0' 'dequeue:arg0'
// RUN: not %tpctl hist --since f:a g -- %t 2>&1 | FileCheck %s --check-prefix=KEY
// KEY: error: 'g' lacks the key of the pair: write FUNCTION:EXPR, as in 'enqueue:arg0'
// RUN: not %tpctl hist --since f:a g:a h:a -- %t 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: nothing of {{.*}} matches h
// RUN: not %tpctl hist --since h:a g:a -- %t 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not %tpctl hist --since f:b g:a -- %t 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: error: --since: 'b' is no argument of f(char *a)
// RUN: not %tpctl hist --since f:a g:b -- %t 2>&1 | FileCheck %s --check-prefix=ENDNAME
// ENDNAME: error: 'g:b': 'b' is no argument of g(char *a)
// RUN: not %tpctl hist --since 'f:str(a)' g:a -- %t 2>&1 | FileCheck %s --check-prefix=TEXT
// TEXT: error: --since: str(a) is text, and the key of a pair is a number or an address
// RUN: not %tpctl hist --since f:a 'g:(double)1' -- %t 2>&1 | FileCheck %s --check-prefix=DOUBLE
// DOUBLE: error: 'g:(double)1': (double)1 is a floating-point number, and the key of a pair is a whole number or an address
// RUN: not %tpctl hist --since f:a,1 g:a -- %t 2>&1 | FileCheck %s --check-prefix=TWO
// TWO: error: 'f:a,1': a pair has one key, a number or an address
// RUN: not %tpctl hist --since f:a g:a --of 1 -- %t 2>&1 | FileCheck %s --check-prefix=OF
// OF: error: --of: with --since, hist shows the time between both calls: leave out --of
// RUN: not %tpctl count --since f:a g:a --open --of 1.5 -- %t 2>&1 | FileCheck %s --check-prefix=FLOAT
// FLOAT: error: --of: --open adds up whole numbers, and this is a double; cast it to long
// RUN: not %tpctl count --since f:a g:a --callees-of main -- %t 2>&1 | FileCheck %s --check-prefix=CALLEES
// CALLEES: error: --callees-of has no keys of pairs: leave it out, or leave out --since
// RUN: not %tpctl hist --since f:a g:a --heat -- %t 2>&1 | FileCheck %s --check-prefix=HEAT
// HEAT: error: --heat shows the durations of all calls: leave it out, or leave out --since
// RUN: not %tpctl hist --since f:a g:a --open -- %t 2>&1 | FileCheck %s --check-prefix=HISTOPEN
// HISTOPEN: error: '--open' is not an option of hist; count has it: tpctl count --since malloc:result free:arg0 --open
// RUN: not %tpctl trace --since f:a g:a -- %t 2>&1 | FileCheck %s --check-prefix=VERB
// RUN: not %tpctl record --since f:a g:a -- %t 2>&1 | FileCheck %s --check-prefix=VERB
// RUN: not %tpctl top --since f:a g:a -- %t 2>&1 | FileCheck %s --check-prefix=VERB
// VERB: error: '--since' is not an option of {{trace|record|top}}; count and hist have it, as in tpctl hist --since enqueue:arg0 dequeue:arg0
//
// RUN: not %tpctl count --since f:a --since 'f*:1' g:a -- %t 2>&1 | FileCheck %s --check-prefix=BOTH
// BOTH: error: f starts pairs by two expressions: 'f:a' and 'f*:1'
// RUN: not %tpctl count --since 'f:duration' 'f:errno' -- %t 2>&1 | FileCheck %s --check-prefix=END
// END: error: f starts and ends pairs, and both expressions need the end of the call (result, duration or errno): one of them has to do without
// RUN: %tpctl count --since f:a --since 'f*:a' g:a -o - -- %t 2>/dev/null | FileCheck %s --check-prefix=ONCE
// ONCE: {{^}}             1 {{.*}} g{{$}}
//
// A call ends a pair before it starts one: the time from call to call.
// RUN: %tpctl hist --since '[fg]:0' '[fg]:0' -o - -- %t | FileCheck %s --check-prefix=CALLS
// CALLS: {{^}}  3 calls, total
//
// A key that cannot be read starts nothing.
// RUN: %tpctl count --since 'f:*a' 'g:*a' -o - -- %t 2>&1 | FileCheck %s --check-prefix=UNREAD
// UNREAD: {{^}}             1 {{.*}} g{{$}}
// UNREAD: note: 2 calls not counted, because the condition or the key of the pair is not known
__attribute__((noinline)) void f(char *a) { __asm__ volatile("" : : "r"(a)); }
__attribute__((noinline)) void g(char *a) { __asm__ volatile("" : : "r"(a)); }
int main(void) {
  static char byte = 7;
  f(0);
  g((char *)16);
  f(&byte);
  g(&byte);
  return 0;
}
