// Messages about functions without sleds give no advice for sleds. A function with an exit that cannot be
// probed is counted but not timed: a time would be wrong if the end of the call is not seen.
//
// REQUIRES: tpctl
// RUN: gcc -O1 %s -o %t
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so TPRT_OPTIONS='time=what-is*!narrow code=1' %t 2>&1 \
// RUN:   | FileCheck %s --check-prefix=TIME --implicit-check-not=-ftp
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so TPRT_OPTIONS='time=what-is*!hop time=what-is*!two code=1' %t 2>&1 \
// RUN:   | FileCheck %s --check-prefix=SOME --implicit-check-not=-ftp
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so TPRT_OPTIONS='count=none.so!hop code=1' %t 2>&1 \
// RUN:   | FileCheck %s --check-prefix=MODULE --implicit-check-not=-ftp
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so TPRT_OPTIONS='count=what-is*!none code=1' %t 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NAME --implicit-check-not=-ftp
// RUN: %tpctl hist --code 'what-is*!narrow' -- %t 2>&1 | FileCheck %s --check-prefix=HIST --implicit-check-not=calls,
// RUN: %tpctl hist --code 'what-is*!two' -- %t 2>&1 | FileCheck %s --check-prefix=TWO --implicit-check-not=calls,
// RUN: %tpctl trace --code 'what-is*!narrow' 'what-is*!hop' 'what-is*!two' -- %t 2>&1 | FileCheck %s --check-prefix=TRACE
// RUN: %tpctl record --code 'what-is*!none' -- %t 2>&1 | FileCheck %s --check-prefix=RECORD --implicit-check-not=tp-clang
//
// TIME: time=what-is*!narrow: 1 of 1 function can't be timed, because no exit is known or can be probed: narrow
// TIME-NEXT: no call of the only watched function has ended
// TIME-NEXT: not timed: 1 function, as no exit is known or can be probed (or the function never returns)
// SOME: time=what-is*!two: 1 of 1 function can't be timed, because no exit is known or can be probed: two
// SOME: 11 {{.*}} hop (
// MODULE: tprt: count=none.so!hop: no function or point matches so far; libraries that are loaded later are
// NAME: none of the {{[0-9]+}} sites of what-is* matches none so far
// HIST: 1 of 2 sites refused, the first narrow
// HIST: note: narrow was called, but its calls have no times: no exit of it is known or can be probed
// TWO: 1 of 3 sites refused, the first two
// TWO: note: two was called, but its calls have no times: no exit of it is known or can be probed
// TRACE:      hop
// TRACE-NEXT: narrow{{$}}
// TRACE-NEXT: two{{$}}
// TRACE-NEXT: ns hop{{$}}
// RECORD: nothing was recorded: no function matches, or none that matches was called{{$}}
#include "Inputs/means.h"

// The return has one byte, and a jump with the next bytes leads into this program's own code.
#define RETURN "ret\n.byte 0x48, 0x05, 0, 0, 0, 0\n"
// leaq N(%rdi), %rax has seven bytes, which have room for a jump at any address of the program.
#define LOAD(n) ".byte 0x48, 0x8d, 0x87, " n ", 0, 0, 0\n"
__asm__(PACKED("narrow", "0", LOAD("1") RETURN)
        // Odd numbers leave by a return that can be probed.
        PACKED("two", "0", LOAD("1") "testq $1, %rdi\njnz 1f\n" RETURN "1: ret\nnopw 0(%rax,%rax,1)\n"));
long narrow(long), two(long);

int main(void) {
  for (int i = 0; i < 10; ++i)
    two(narrow(hop(i)));
  hop(1);
  return 0;
}
