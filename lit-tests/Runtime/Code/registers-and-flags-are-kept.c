// A hit in code without sleds preserves every register and the flags, because the surrounding code
// may use any of them. The handler overwrites all registers that a function may, including vector
// registers. The same holds for a hit that is only counted, for a thread's first hit, and for
// a hit of two probes at one site.
//
// RUN: gcc -O1 -mavx2 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
// REQUIRES: avx2
//
// CHECK: 1000 calls, 1000 hits at the entry, 1000 at the end, 0 with another register
// CHECK-NEXT: counted: 2000 of 1000 calls, 0 with another register, 0 of 64 flags lost
// CHECK-NEXT: counted and called: 2000 of 1000 calls, 0 with another register, 0 of 64 flags lost
// CHECK-NEXT: counted in a new thread: 2000 of 1000 calls, 0 with another register, 0 of 64 flags lost
#include "../Inputs/harness.h"
#include "Inputs/means.h"
#include <pthread.h>
#include <string.h>

// Returns the flags that it was called with.
__asm__(".text\n" FUNCTION("flags_of", "0", "leaq one(%rip), %rax\npushfq\npopq %rax\n" RET_PADDED));

static int hits[4];

static void on(const tprt_event *event, const tprt_regs *regs, void *data) {
  (void)regs, (void)data;
  ++hits[event->kind];
  __asm__ volatile("vpcmpeqd %%ymm0, %%ymm0, %%ymm0\n\tvpcmpeqd %%ymm7, %%ymm7, %%ymm7\n\t"
                   "vpcmpeqd %%ymm15, %%ymm15, %%ymm15\n\tmovq $-1, %%r11\n\tmovq $-1, %%r10\n\tmovq $-1, %%rcx\n\t"
                   "movq $-1, %%r8\n\tmovq $-1, %%r9\n\tmovq $-1, %%rsi\n\txorl %%eax, %%eax"
                   ::: "rax", "rcx", "rsi", "r8", "r9", "r10", "r11", "xmm0", "xmm7", "xmm15", "cc");
}

// Calls hop() with a value in every register, and counts the registers that have
// changed afterwards. hop() itself changes rax and, by incq, flags except the carry.
static int callOnce(long seed) {
  long in[9], out[9];
  long long vector[4] = {seed, ~seed, seed * 3, seed ^ 77}, vectors[3][4];
  unsigned char carry;
  for (int i = 0; i < 9; ++i)
    in[i] = seed * (i + 3);
  __asm__ volatile("vmovdqu %[v], %%ymm0\n\tvmovdqu %[v], %%ymm7\n\tvmovdqu %[v], %%ymm15\n\t"
                   "movq 0(%[in]), %%rcx\n\tmovq 8(%[in]), %%rdx\n\tmovq 16(%[in]), %%rsi\n\tmovq 24(%[in]), %%rdi\n\t"
                   "movq 32(%[in]), %%r8\n\tmovq 40(%[in]), %%r9\n\tmovq 48(%[in]), %%r10\n\tmovq 56(%[in]), %%r11\n\t"
                   "subq $128, %%rsp\n\tstc\n\tcall hop\n\tsetc %[c]\n\taddq $128, %%rsp\n\t"
                   "movq %%rcx, 0(%[out])\n\tmovq %%rdx, 8(%[out])\n\tmovq %%rsi, 16(%[out])\n\tmovq %%rdi, 24(%[out])\n\t"
                   "movq %%r8, 32(%[out])\n\tmovq %%r9, 40(%[out])\n\tmovq %%r10, 48(%[out])\n\tmovq %%r11, 56(%[out])\n\t"
                   "movq %%rax, 64(%[out])\n\t"
                   "vmovdqu %%ymm0, %[v0]\n\tvmovdqu %%ymm7, %[v7]\n\tvmovdqu %%ymm15, %[v15]"
                   : [v0] "=m"(vectors[0]), [v7] "=m"(vectors[1]), [v15] "=m"(vectors[2]), [c] "=&r"(carry)
                   : [v] "m"(vector), [in] "b"(in), [out] "r"(out)
                   : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "xmm0", "xmm7", "xmm15", "cc", "memory");
  int wrong = carry != 1 || out[8] != in[3] + 1 || memcmp(in, out, 64) != 0;
  for (int i = 0; i < 3; ++i)
    wrong |= memcmp(vector, vectors[i], sizeof vector) != 0;
  return wrong;
}

static int callAll(void) {
  int wrong = 0;
  for (long i = 1; i <= 1000; ++i)
    wrong += callOnce(i * 0x9e3779b97f4a7c1l);
  return wrong;
}

// Calls flags_of() with each combination of the flags that arithmetic sets.
static int loseFlags(void) {
  static const unsigned long bits[] = {0x1, 0x4, 0x10, 0x40, 0x80, 0x800}, all = 0x8d5;
  int lost = 0;
  for (unsigned i = 0; i < 64; ++i) {
    unsigned long wanted = 0x202, got;
    for (unsigned k = 0; k < 6; ++k)
      wanted |= i >> k & 1 ? bits[k] : 0;
    __asm__ volatile("subq $128, %%rsp\n\tpushq %1\n\tpopfq\n\tcall flags_of\n\tleaq 128(%%rsp), %%rsp"
                     : "=&a"(got) : "r"(wanted) : "rdi", "cc", "memory");
    lost += (got & all) != (wanted & all);
  }
  return lost;
}

static void countAll(const char *how, tprt_probe *probe) {
  uint64_t before = tprt_probe_count(probe);
  int wrong = callAll();
  uint64_t counted = tprt_probe_count(probe) - before;
  printf("%s: %lu of 1000 calls, %d with another register, %d of 64 flags lost\n", how, (unsigned long)counted, wrong, loseFlags());
}

static void *countInThread(void *probe) {
  countAll("counted in a new thread", probe);
  return NULL;
}

int main(void) {
  tprt_selector selector = {.function = "hop", .kinds = TPRT_KIND_SET_ALL, .flags = TPRT_SELECT_CODE,
                            .module = "*/registers-and-flags*"};
  tprt_probe *called = attachSelected(selector, (tprt_action){.kind = TPRT_ACTION_CALL, .handler = on});
  int wrong = callAll();
  printf("1000 calls, %d hits at the entry, %d at the end, %d with another register\n", hits[0], hits[1], wrong);
  tprt_probe_detach(called, -1);
  tprt_probe *flags = attachSelected((tprt_selector){.function = "flags_of", .kinds = TPRT_KIND_SET_ALL, .flags = TPRT_SELECT_CODE,
                                     .module = "*/registers-and-flags*"}, (tprt_action){.kind = TPRT_ACTION_COUNT});
  tprt_probe *counted = attachSelected(selector, (tprt_action){.kind = TPRT_ACTION_COUNT});
  countAll("counted", counted);
  called = attachSelected(selector, (tprt_action){.kind = TPRT_ACTION_CALL, .handler = on});
  countAll("counted and called", counted);
  tprt_probe_detach(called, -1);
  pthread_t thread;
  pthread_create(&thread, NULL, countInThread, counted);
  pthread_join(thread, NULL);
  tprt_probe_detach(flags, -1);
  return 0;
}
