// Programs that were built for gprof, uftrace or -finstrument-functions are probed like others, by each
// compiler: the entry is where the function begins, before its calls of mcount and
// __cyg_profile_func_enter, so a handler there sees all arguments. The profiler continues to see these
// calls. The nop of -mnop-mcount is an instruction like any other. The probe allows traps because the code
// after an entry's first instruction may leave no room for a jump.
//
// REQUIRES: x86_64-host
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: gcc -O2 -pg %s %tprt_flags -o gcc-pg && ./gcc-pg | FileCheck %s
// RUN: gcc -O2 -pg -mfentry %s %tprt_flags -o gcc-fentry && ./gcc-fentry | FileCheck %s
// RUN: gcc -O2 -pg -mfentry -fno-pie -no-pie -mrecord-mcount %s %tprt_flags -o fixed && ./fixed | FileCheck %s
// RUN: gcc -O2 -pg -mfentry -fno-pie -no-pie -mnop-mcount -mrecord-mcount %s %tprt_flags -o nop && ./nop | FileCheck %s
// RUN: gcc -O2 -finstrument-functions -DOWN %s %tprt_flags -o gcc-cyg && ./gcc-cyg | FileCheck %s
// RUN: %plain_clang -O2 -pg %s %tprt_flags -o pg && ./pg | FileCheck %s
// RUN: %plain_clang -O2 -pg -mfentry %s %tprt_flags -o fentry && ./fentry | FileCheck %s
// RUN: %plain_clang -O2 -finstrument-functions-after-inlining -DOWN %s %tprt_flags -o cyg && ./cyg | FileCheck %s
// RUN: %python %S/Inputs/each-compiler.py %s %t/each %tprt_flags | FileCheck %s --check-prefix=EACH
//
// CHECK: entries 100, sum of arguments 9900, results right
// EACH-NOT: wrong
// EACH: all right
#include "../Inputs/harness.h"

#ifdef OWN
#define UNSEEN __attribute__((no_instrument_function))
long seen;
UNSEEN void __cyg_profile_func_enter(void *function, void *from) { (void)function, (void)from, ++seen; }
UNSEEN void __cyg_profile_func_exit(void *function, void *from) { (void)function, (void)from, ++seen; }
#else
#define UNSEEN
#endif

__attribute__((noinline)) long add(long a, long b) {
  __asm__ volatile("" : "+r"(a));
  return a + b;
}

static int hits;
static long sum;

UNSEEN static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {
  (void)event, (void)data;
  ++hits;
  sum += tprt_regs_argument(regs, 0) + tprt_regs_argument(regs, 1);
}

int main(void) {
  tprt_selector selector = {.function = "add", .kinds = TPRT_KIND_SET_ENTRY, .flags = TPRT_SELECT_CODE | TPRT_SELECT_TRAPS};
  tprt_probe *probe = attachSelected(selector, (tprt_action){.handler = onHit});
  int wrong = 0;
  for (long i = 0; i < 100; ++i)
    wrong += add(i, i) != 2 * i;
  tprt_probe_detach(probe, -1);
  for (long i = 0; i < 100; ++i)
    wrong += add(i, i) != 2 * i;
  printf("entries %d, sum of arguments %ld, results %s\n", hits, sum,
         wrong ? "wrong" : "right");
  return 0;
}
