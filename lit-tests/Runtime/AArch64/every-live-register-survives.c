// Around handlers that overwrite every register they may, all that is live at an
// entry, an exit and a tail call comes through: general registers, flags, q, z, p
// and ffr, also in streaming mode; and once detached nothing is hit.
//
// RUN: aarch64-linux-gnu-gcc -c %S/Inputs/caller.S -o %t.caller.o
// RUN: aarch64-linux-gnu-gcc -c %S/Inputs/sleds.S -o %t.sleds.o
// RUN: %plain_clang -O1 -I %S/Inputs %s %t.caller.o %t.sleds.o %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: kind 0: 128 sites, 256 hits (160 64 32), counted 0, bad 0
// CHECK-NEXT: off: 0
// CHECK-NEXT: kind 1: 128 sites, 256 hits (160 64 32), counted 0, bad 0
// CHECK-NEXT: off: 0
// CHECK-NEXT: kind 2: 128 sites, 0 hits (0 0 0), counted 256, bad 0
// CHECK-NEXT: off: 0
#include "tprt/tprt.h"
#include "layout.h"
#include <stdio.h>
#include <string.h>
#include <stdlib.h>
struct S { uint64_t x[31], nzcv, v[32][8], p[72], st[8]; } __attribute__((aligned(64)));
struct F { const void *entry; uint8_t off, shape, pad, needs; uint32_t event; };
extern const struct F stress_functions[], stress_functions_end[];
void stress_call_128(struct S*, struct S*, const void*), stress_call_scalable(struct S*, struct S*, const void*), stress_call_streaming(struct S*, struct S*, const void*);
uint64_t stress_vector_bytes(int); void stress_trample_scalable(void);
static int hits, events[3];
#define M(n) "mov x" #n ", #-1\n\t"
static void h(const tprt_event *e, const tprt_regs *r, void *d) { ++hits; ++events[e->event];
  __asm__ volatile(M(0) M(1) M(2) M(3) M(4) M(5) M(6) M(7) M(8) M(9) M(10) M(11) M(12) M(13) M(14) M(15) M(16) M(17) M(18) "msr nzcv, x0":::"x0","x1","x2","x3","x4","x5","x6","x7","x8","x9","x10","x11","x12","x13","x14","x15","x16","x17","x18","cc"); }
static void ht(const tprt_event *e, const tprt_regs *r, void *d) { h(e, r, d); stress_trample_scalable(); __asm__ volatile(""::: "v8","v9","v10","v11","v12","v13","v14","v15"); }
static int bad;
static void cmp(const char *k, int i, uint64_t g, uint64_t w, const struct F *f) { if (g != w && bad++ < 20) printf("needs %d event %d off %d: %s%d got %lx want %lx\n", f->needs, f->event, f->off, k, i, g, w); }
static void call(const struct F *f) {
  static struct S in, out; for (unsigned i = 0; i < sizeof in / 8; ++i) ((uint64_t *)&in)[i] = (uint64_t)random() << 32 ^ random();
  in.nzcv &= 0xf0000000; memset(&out, 0, sizeof out);
  int sve = f->needs & 4, sme = f->needs & 8, whole = f->event == 2 || f->needs & 32;
  (sme ? stress_call_streaming : sve ? stress_call_scalable : stress_call_128)(&in, &out, f->entry);
  uint64_t m = in.x[0]; for (int i = 1; i < 9; ++i) m = (m << 7 | m >> 57) ^ in.x[i]; m = (m << 7 | m >> 57) ^ in.x[15]; m = (m << 7 | m >> 57) ^ in.x[18];
  if (!whole) m = (m << 7 | m >> 57) ^ in.st[0];
  cmp("x", 0, out.x[0], m, f);
  for (int i = 1; i < 30; ++i) if (i < 8 || (i == 8 && f->event != 1) || (i == 15 && f->event != 1) || i >= 18 || (whole && !(f->event == 2 && i == 16))) cmp("x", i, out.x[i], in.x[i], f);
  if (whole) cmp("nzcv", 0, out.nzcv, in.nzcv, f);
  if (sve | sme) { uint64_t b = stress_vector_bytes(sme != 0); for (int i = 0; i < 32; ++i) for (unsigned j = 0; j < 8 && j < b / 8; ++j) cmp("z", i, out.v[i][j], in.v[i][j], f);
    cmp("p", 0, memcmp(in.p, out.p, 2 * b), 0, f); for (unsigned i = 0; sve && i < b / 8; ++i) cmp("ffr", i, ((uint8_t *)out.p)[2 * b + i], 0xff, f); }
  else for (int i = 0; i < 32; ++i) { if (i < 16 || f->needs & 32) cmp("qlo", i, out.v[i][0], in.v[i][0], f); if (i < 8 || f->needs & 32) cmp("qhi", i, out.v[i][1], in.v[i][1], f); }
}
int main() {
  for (int k = 0; k < 3; ++k) {
    tprt_selector s = {.function = "stress_word_*", .events = 7}; tprt_action a = {.kind = k == 2 ? TPRT_ACTION_COUNT : TPRT_ACTION_CALL, .handler = k == 0 ? h : k == 1 ? ht : 0, .flags = k == 0 ? TPRT_HANDLER_GENERAL_REGS_ONLY : 0};
    tprt_probe *p; tprt_result r; tprt_status st = tprt_probe_attach(&s, &a, &p, &r); hits = 0; memset(events, 0, sizeof events);
    if (st) { puts(tprt_last_error()); return 1; }
    for (const struct F *f = stress_functions; f < stress_functions_end; ++f) call(f), call(f);
    printf("kind %d: %zu sites, %d hits (%d %d %d), counted %lu, bad %d\n", k, r.enabled, hits, events[0], events[1], events[2], (unsigned long)tprt_probe_count(p), bad);
    tprt_probe_detach(p, -1);
    int before = hits; for (const struct F *f = stress_functions; f < stress_functions_end; ++f) call(f); printf("off: %d\n", hits - before);
  }
}
