// Nops that cannot be flipped by a single store are refused with a reason and
// advice, and their functions keep working: GCC's one-byte nops, a nop across
// two words (after endbr64). Nops that begin before the function, which no
// thread may ever reach, are refused even if traps are allowed.
//
// RUN: %plain_clang -O2 -fPIE -c -DOTHERS -fcf-protection=branch -fpatchable-function-entry=5 %s -o %t.ibt.o
// RUN: %plain_clang -O2 -fPIE -c -DOTHERS -fpatchable-function-entry=12,6 %s -o %t.front.o
// RUN: gcc -O2 -fPIE -c -DOTHERS -fpatchable-function-entry=5 %s -o %t.gcc.o
// RUN: %plain_clang -O2 %s %tprt_flags %t.ibt.o -o %t.ibt && %t.ibt | FileCheck --check-prefix=WORDS %s
// RUN: %plain_clang -O2 %s %tprt_flags %t.front.o -o %t.front && %t.front | FileCheck --check-prefix=FRONT %s
// RUN: %t.front with traps | FileCheck --check-prefix=FRONT %s
// RUN: %plain_clang -O2 %s %tprt_flags %t.gcc.o -o %t.gcc && %t.gcc | FileCheck --check-prefix=ROOM %s
//
// WORDS: refused 1 of 1: one store can't flip the sled at its address; ask for traps (tpctl --traps, TPRT_OPTIONS=traps=1, TPRT_SELECT_TRAPS)
// WORDS-NEXT: 42
// ROOM: refused 1 of 1: the sled has no room for a jump; {{.*}} or ask for traps (tpctl --traps, TPRT_OPTIONS=traps=1, TPRT_SELECT_TRAPS)
// ROOM-NEXT: 42
// FRONT: refused 1 of 1: no nops are there, or they may not be at the start of a function
// FRONT-NEXT: 42
#ifdef OTHERS
int twice(int x) { return 2 * x; }
#else
#include "tprt/tprt.h"
#include <stdio.h>
int twice(int x);
static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {}
int main(int argc, char **argv) {
  tprt_selector selector = {.flags = TPRT_SELECT_PATCHABLE};
  selector.flags |= argc > 1 ? TPRT_SELECT_TRAPS : 0;
  tprt_action action = {.handler = onHit};
  tprt_probe *probe;
  tprt_result result;
  tprt_probe_attach(&selector, &action, &probe, &result);
  printf("refused %zu of %zu: %s\n", result.refused, result.matched, tprt_refusal_string(result.first_refusal));
  printf("%d\n", twice(21));
}
#endif
