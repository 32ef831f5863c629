// If a file has functions with and without sleds, a probe with --code probes both. Each function is
// probed once, by its sled if the function has a sled. The slots of sleds look like padding, but must not
// hold jumps of functions without sleds.
//
// RUN: %clang -O2 -falign-functions=16 -DSLEDS -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit -c %s -o %t.sleds.o
// RUN: gcc -O2 -falign-functions=1 -I %tprt_include -c %s -o %t.plain.o
// RUN: gcc %t.sleds.o %t.plain.o %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: with code: 10 sites, 0 refused; 500 hits at entries, 500 at exits
// CHECK-NEXT: without code: 4 sites
// CHECK-NEXT: the sleds alone: 200 hits at entries, 200 at exits
#ifdef SLEDS
// This function is before the first function with a sled, whose slot is the only padding nearby.
__asm__(".text\n.p2align 4\n.globl fixth\n.type fixth, @function\nfixth: .cfi_startproc\nmovq %rdi, %rax\nincq %rax\n"
        "ret\n.cfi_endproc\n.size fixth, . - fixth\n");
__attribute__((noinline)) long first(long value) { __asm__ volatile(""); return value + 1; }
__attribute__((noinline)) long second(long value) { __asm__ volatile(""); return value + 2; }
#else
#include "../Inputs/harness.h"
#include <string.h>

long fixth(long), first(long), second(long), third(long), fourth(long);
// Six dead bytes follow the return. They are enough for the entry's jump, or for the return's jump.
__asm__(".text\n.p2align 4\n.skip 24, 0xcc\n.type third, @function\nthird: .cfi_startproc\nmovq %rdi, %rax\nincq %rax\nret\n"
        ".cfi_endproc\n.size third, . - third\n.skip 32, 0xcc\n.p2align 4, 0xcc\n.skip 8, 0xcc\n.type fourth, @function\n"
        "fourth: .cfi_startproc\nmovq %rdi, %rax\nincq %rax\nret\n.cfi_endproc\n.size fourth, . - fourth\n.skip 32, 0xcc\n");

static int hits[4];

static void on(const tprt_event *event, const tprt_regs *regs, void *data) {
  (void)regs, (void)data;
  ++hits[event->kind];
}

static tprt_result try(uint32_t flags, tprt_probe **probe) {
  tprt_selector selector = {.function = "[fst][ieho][rcuix][sort]*", .module = "*/functions-with-sleds*",
                            .kinds = TPRT_KIND_SET_ALL, .flags = flags};
  tprt_action action = {.kind = TPRT_ACTION_CALL, .handler = on};
  tprt_result result;
  tprt_probe_attach(&selector, &action, probe, &result);
  return result;
}

static void callAll(void) {
  memset(hits, 0, sizeof hits);
  for (long i = 0; i < 100; ++i)
    if (first(i) != i + 1 || second(i) != i + 2 || third(i) != i + 1 || fourth(i) != i + 1 || fixth(i) != i + 1)
      puts("a wrong result");
}

int main(void) {
  tprt_probe *sleds, *all;
  tprt_result result = try(TPRT_SELECT_CODE, &all); // the slots are padding still
  callAll();
  printf("with code: %zu sites, %zu refused; %d hits at entries, %d at exits\n", result.matched, result.refused, hits[0], hits[1]);
  tprt_probe_detach(all, -1);
  printf("without code: %zu sites\n", try(0, &sleds).matched);
  callAll();
  printf("the sleds alone: %d hits at entries, %d at exits\n", hits[0], hits[1]);
  return 0;
}
#endif
