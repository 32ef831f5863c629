// Many functions end in a call through a pointer, which compilers make a jump. It is an exit, so such functions
// are timed. A switch's jump looks the same but is not an exit: the function continues, and may keep data below
// the stack pointer. If it is unknown which of the two a jump is, the exit is refused. An example is by_both()
// in a program for a fixed address, where the switch's table has addresses of labels.
//
// RUN: g++ -O2 -fPIE -pie %s %tprt_flags -o %t
// RUN: g++ -O2 -no-pie -fno-pie %s %tprt_flags -o %t.fixed
// RUN: clang++-22 -O2 -fPIE -pie %s %tprt_flags -o %t.clang
// RUN: clang++-22 -O2 -no-pie -fno-pie %s %tprt_flags -o %t.clang-fixed
// RUN: g++ -O2 -fcf-protection -s -DSTRIPPED %s %tprt_flags -o %t.stripped
// RUN: %t | FileCheck %s --check-prefixes=CHECK,PIE
// RUN: %t.fixed | FileCheck %s --check-prefixes=CHECK,FIXED
// RUN: %t.clang | FileCheck %s --check-prefixes=CHECK,PIE
// RUN: %t.clang-fixed | FileCheck %s --check-prefixes=CHECK,FIXED
// RUN: %t.stripped | FileCheck %s --check-prefix=STRIPPED
//
// CHECK: by_vtable: 100 entries, 0 exits, 100 tail exits
// CHECK-NEXT: by_argument: 100 entries, 0 exits, 100 tail exits
// CHECK-NEXT: by_table: 100 entries, 0 exits, 100 tail exits
// CHECK-NEXT: by_variable: 100 entries, 0 exits, 100 tail exits
// CHECK-NEXT: by_switch: 100 entries, 100 exits, 0 tail exits
// PIE-NEXT: by_both: 100 entries, 50 exits, 50 tail exits
// FIXED-NEXT: by_both: 100 entries, 50 exits, 0 tail exits
// CHECK-NEXT: by_labels: 100 entries, 100 exits, 0 tail exits
// CHECK-NEXT: by_label_or_pointer: its indirect jump may leave the function or belong to a switch
// CHECK-NEXT: {{^}}0 wrong results
// STRIPPED: {{^}}0 wrong results
#include "../Inputs/harness.h"
#include <string.h>

#define APART extern "C" __attribute__((noinline, noclone_if_any))
#ifdef __clang__
#define noclone_if_any
#else
#define noclone_if_any noclone
#endif

struct Base {
  virtual long get(long v) = 0;
};
struct Derived : Base {
  long get(long v) override { return v * 3; }
};
struct Other : Base {
  long get(long v) override { return v * 5; }
};
using Call = long (*)(long);
APART long twice(long v) { return v * 2; }
APART long square(long v) { return v * v; }
APART long below(long v) { return v - 1; }
Call const table[] = {twice, square, below, twice, square};
Call variable = below;

APART long by_vtable(Base *base, long v) { return base->get(v + 1); }
APART long by_argument(Call call, long v) { return call(v + 2); }
APART long by_table(long i, long v) { return table[i](v + 3); }
APART long by_variable(long v) { return variable(v + 4); }

// The function keeps data below the stack pointer.
#define CASES(kept)                                                                                                  \
  case 0: kept[0] = v * 3; break;                                                                                    \
  case 1: kept[1] = v + 11; break;                                                                                   \
  case 2: kept[2] = v - 1; kept[3] = v; break;                                                                       \
  case 3: kept[3] = v << 4; break;                                                                                   \
  case 4: kept[4] = v ^ 5; kept[0] += 7; break;                                                                      \
  case 5: kept[5] = -v; break;                                                                                       \
  case 6: kept[6] = v * v; kept[1] = 2; break;
APART long by_switch(long op, long v) {
  volatile long kept[12];
  for (int i = 0; i < 12; ++i)
    kept[i] = v + i;
  switch (op) { CASES(kept) }
  return kept[0] + kept[1] * 3 + kept[2] * 5 + kept[3] + kept[4] + kept[5] + kept[6] + kept[11];
}
APART long by_both(Base *base, long op, long v) {
  volatile long kept[12];
  for (int i = 0; i < 12; ++i)
    kept[i] = v + i;
  switch (op) { CASES(kept) }
  long sum = kept[0] + kept[1] * 3 + kept[2] * 5 + kept[3] + kept[4] + kept[5] + kept[6] + kept[11];
  if (op & 1)
    return base->get(sum);
  return sum;
}
// The words of the switch's table are in a data section.
APART long by_labels(const unsigned char *program, long v) {
  static const void *const kLabels[] = {&&add, &&shift, &&invert, &&end};
  volatile long kept[12];
  for (int i = 0; i < 12; ++i)
    kept[i] = v + i;
#define NEXT goto *kLabels[*program++]
  NEXT;
add:
  kept[3] = kept[3] + kept[10];
  NEXT;
shift:
  kept[4] = kept[3] << 1;
  NEXT;
invert:
  kept[10] = ~kept[4];
  NEXT;
end:
  return kept[3] + kept[4] + kept[10];
}
// Written in assembly, as compilers differ: a jump through memory that may contain a label's address.
extern "C" long by_label_or_pointer(long, long);
__asm__(".text\n.p2align 4\n.globl by_label_or_pointer\n.type by_label_or_pointer, @function\nby_label_or_pointer:\n"
        ".cfi_startproc\nmovq %rsi, -16(%rsp)\nmovq %rsi, -40(%rsp)\nleaq places(%rip), %rax\nleaq (%rax,%rdi,8), %rax\n"
        "jmp *(%rax)\n.p2align 4\nplace.one: movq -16(%rsp), %rax\nret\n.p2align 4\n"
        "place.two: movq -40(%rsp), %rax\nincq %rax\nret\n.cfi_endproc\n"
        ".size by_label_or_pointer, . - by_label_or_pointer\n"
        ".section .data.rel.ro, \"aw\"\n.p2align 3\nplaces: .quad place.one, place.two\n.text\n");
// Also in assembly: jumps to sums without a known table. The distances are relative to the
// function's beginning. One sum is computed by lea, and the other sum is copied before the jump.
extern "C" long by_sum(long, long), by_copied_sum(long, long);
#define BY_SUM(name, sum)                                                                                            \
  ".p2align 4\n.globl " name "\n.type " name ", @function\n" name ":\n.cfi_startproc\nmovq %rsi, -16(%rsp)\n"          \
  "movq %rsi, -40(%rsp)\nleaq " name "(%rip), %rdx\nleaq " name ".table(%rip), %rcx\nmovslq (%rcx,%rdi,4), %rax\n"    \
  sum ".p2align 4\n" name ".one: movq -16(%rsp), %rax\nret\n.p2align 4\n" name ".two: movq -40(%rsp), %rax\n"       \
  "incq %rax\nret\n.cfi_endproc\n.size " name ", . - " name "\n.section .rodata\n.p2align 2\n" name ".table: .long "    \
  name ".one - " name ", " name ".two - " name "\n.text\n"
__asm__(BY_SUM("by_sum", "leaq (%rdx,%rax), %rax\njmp *%rax\n")
        BY_SUM("by_copied_sum", "addq %rdx, %rax\nmovq %rax, %r8\nmovq %r8, %rcx\njmp *%rcx\n"));

static Derived derived;
static Other other;
Base *volatile which = &other;
static const unsigned char kProgram[] = {0, 1, 0, 2, 1, 0, 3};
static void results(long out[40]) {
  memset(out, 0, 40 * sizeof *out);
  for (long i = 0; i < 7; ++i) {
    out[i] = by_switch(i, 10 + i);
    out[10 + i] = by_both(&derived, i, 20 + i);
  }
  for (long i = 0; i < 5; ++i)
    out[20 + i] = by_table(i, i);
  out[30] = by_vtable(&derived, 5);
  out[36] = by_vtable(which, 5);
  out[31] = by_argument(twice, 5);
  out[32] = by_variable(6);
  out[33] = by_labels(kProgram, 8);
  out[34] = by_label_or_pointer(0, 3);
  out[35] = by_label_or_pointer(1, 3);
  for (long i = 0; i < 2; ++i) {
    out[37 + i] = by_sum(i, 4);
    out[7 + i] = by_copied_sum(i, 4);
  }
}

static int hits[4];
static void on(const tprt_event *event, const tprt_regs *, void *) { ++hits[event->kind]; }

static tprt_probe *probe(const char *function, tprt_result *result, uint32_t flags) {
  tprt_selector selector = {};
  selector.function = function;
  selector.module = "*.cpp.tmp*";
  selector.kinds = TPRT_KIND_SET_ALL;
  selector.flags = TPRT_SELECT_CODE | TPRT_SELECT_LOADED | flags;
  tprt_action action = {};
  action.kind = TPRT_ACTION_CALL;
  action.handler = on;
  tprt_probe *probe = nullptr;
  memset(hits, 0, sizeof hits);
  tprt_probe_attach(&selector, &action, &probe, result);
  return probe;
}

template <class F> static void count(const char *name, F call) {
  tprt_probe *one = probe(name, nullptr, TPRT_SELECT_TRAPS);
  for (long i = 0; i < 100; ++i)
    call(i);
  printf("%s: %d entries, %d exits, %d tail exits\n", name, hits[0], hits[1], hits[2]);
  tprt_probe_detach(one, -1);
}

int main() {
#ifndef STRIPPED
  count("by_vtable", [](long i) { by_vtable(&derived, i); });
  count("by_argument", [](long i) { by_argument(square, i); });
  count("by_table", [](long i) { by_table(i % 5, i); });
  count("by_variable", [](long i) { by_variable(i); });
  count("by_switch", [](long i) { by_switch(i % 9, i); });
  count("by_both", [](long i) { by_both(&derived, i % 6, i); });
  count("by_labels", [](long i) { by_labels(kProgram, i); });
  tprt_result result = {};
  tprt_probe *one = probe("by_label_or_pointer", &result, 0);
  printf("by_label_or_pointer: %s\n", tprt_refusal_string(result.first_refusal));
  tprt_probe_detach(one, -1);
#endif
  long before[40], now[40];
  results(before);
  int wrong = 0;
  const uint32_t both[] = {0, TPRT_SELECT_TRAPS};
  for (uint32_t flags : both) {
    tprt_probe *all = probe("*", nullptr, flags);
    for (int i = 0; i < 100; ++i) {
      results(now);
      wrong += memcmp(before, now, sizeof now) != 0;
    }
    tprt_probe_detach(all, -1);
  }
  printf("%d wrong results\n", wrong);
  return 0;
}
