// An unwind entry does not always begin a function, and a jump out of an unwind entry does not always
// leave a function. This program has a leaf function with data below its stack pointer. As compilers do
// with profiles, a part of that function was moved away, and only a jump table leads to that part.
// Another such function continues at a label whose address is in a variable. A hit at either place
// would overwrite the data.
//
// RUN: gcc -O2 -fno-plt %s %tprt_flags -o %t.no-plt
// RUN: gcc -O2 %s %tprt_flags -o %t
// RUN: gcc -O2 -s -DSTRIPPED %s %tprt_flags -o %t.stripped
// RUN: %t | FileCheck %s
// RUN: %t.no-plt | FileCheck %s
// RUN: %t.stripped | FileCheck %s --check-prefix=STRIPPED
//
// CHECK: parts that lie elsewhere have 0 entries
// CHECK-NEXT: {{^}}0 wrong results while everything is probed
// CHECK-NEXT: tail: 100 entries, 0 exits, 100 tail exits
// CHECK-NEXT: thunk: 100 entries, 0 exits, 0 tail exits
// CHECK-NEXT: to_thunk: 100 entries, 0 exits, 100 tail exits
// CHECK-NEXT: fib: 177 entries, 177 exits, 0 tail exits
// CHECK-NEXT: behind_condition: 100 entries, 100 exits, 0 tail exits
// CHECK-NEXT: conditional: 1 exit that no probe takes: its instruction can't run at another address
//
// STRIPPED: {{^}}0 wrong results while everything is probed
#include "../Inputs/harness.h"
#include <string.h>

// leaf(0, v) and leaf(1, v) do not jump; leaf(2, v) jumps to the part's beginning, and leaf(3, v) jumps
// past it. A table of labels also has the address of the part's beginning. Nothing but a jump
// table leads to the part of lone(). Where there are no symbols, no table of labels may have
// that beginning: it would look like a function.
#ifdef STRIPPED
#define LABELS
#else
#define LABELS ", lone.cold.7"
#endif
long leaf(long, long), lone(long, long), conditional(long);
void behind_condition(long);
__asm__(".text\n.p2align 4\n.globl leaf\n.type leaf, @function\nleaf:\n.cfi_startproc\n"
        "movq %rsi, -8(%rsp)\nmovq %rsi, -64(%rsp)\nmovq %rsi, -120(%rsp)\n"
        "cmpq $3, %rdi\njae leaf.cold.middle\n"
        "leaq table(%rip), %rdx\nmovslq (%rdx,%rdi,4), %rax\naddq %rdx, %rax\njmp *%rax\n"
        ".p2align 4\nleaf.one: movq -8(%rsp), %rax\naddq -64(%rsp), %rax\nret\n"
        ".p2align 4\nleaf.two: movq -120(%rsp), %rax\nret\n"
        ".cfi_endproc\n.size leaf, . - leaf\n"
        ".section .text.unlikely, \"ax\", @progbits\n.type leaf.cold, @function\nleaf.cold:\n.cfi_startproc\n"
        "movq -8(%rsp), %rax\naddq -64(%rsp), %rax\naddq -120(%rsp), %rax\nret\n"
        "leaf.cold.middle: movq -120(%rsp), %rax\nsubq $5, %rax\nret\n"
        ".cfi_endproc\n.size leaf.cold, . - leaf.cold\n"
        ".section .rodata\n.p2align 2\ntable: .long leaf.one - table, leaf.two - table, leaf.cold - table\n"
        ".section .data.rel.ro, \"aw\"\n.p2align 3\n.quad leaf.cold" LABELS "\n"
        ".text\n.p2align 4\n.globl lone\n.type lone, @function\nlone:\n.cfi_startproc\nmovq %rsi, -8(%rsp)\n"
        "movq %rsi, -64(%rsp)\nleaq lone.table(%rip), %rdx\nmovslq (%rdx,%rdi,4), %rax\naddq %rdx, %rax\njmp *%rax\n"
        ".p2align 4\nlone.one: movq -8(%rsp), %rax\naddq -64(%rsp), %rax\nret\n.cfi_endproc\n.size lone, . - lone\n"
        ".section .text.unlikely, \"ax\", @progbits\n.type lone.cold.7, @function\nlone.cold.7:\n.cfi_startproc\n"
        "movq -8(%rsp), %rax\nsubq -64(%rsp), %rax\nret\n.cfi_endproc\n.size lone.cold.7, . - lone.cold.7\n"
        ".section .rodata\n.p2align 2\nlone.table: .long lone.one - lone.table, lone.cold.7 - lone.table\n"
        // The function leaves by a conditional jump.
        ".text\n.p2align 4\n.type conditional, @function\nconditional:\n.cfi_startproc\n"
        "testq %rdi, %rdi\njns behind_condition\nret\n.cfi_endproc\n.size conditional, . - conditional\n"
        ".p2align 4\n.type behind_condition, @function\nbehind_condition:\n.cfi_startproc\n"
        "leaq 1(%rdi), %rax\nret\n.cfi_endproc\n.size behind_condition, . - behind_condition\n");

#define APART __attribute__((noinline, noclone))
static void *next;
APART long goes_on(long a, long b) {
  volatile long kept[8];
  for (int i = 0; i < 8; ++i)
    kept[i] = a + i;
  next = b & 1 ? &&odd : &&even;
  __asm__ volatile("" ::: "memory");
  goto *next;
odd:
  next = 0;
  return kept[0] + kept[7] + b;
even:
  next = 0;
  return kept[0] + kept[7] - b;
}

APART int other(const char *text) { __asm__ volatile(""); return text[0]; }
int (*pointer)(const char *) = other;
APART int thunk(const char *text) { return pointer(text); }
APART int tail(const char *text) { return access(text, 0); }
APART int to_thunk(const char *text) { return thunk(text + 1); }
APART int fib(int n) {
  __asm__ volatile("");
  int sum = n < 2 ? n : fib(n - 1);
  if (n >= 2)
    sum += fib(n - 2);
  __asm__ volatile("" : "+r"(sum));
  return sum;
}

static long results(long out[12]) {
  long sum = 0;
  for (long i = 0; i < 4; ++i)
    sum += out[i] = leaf(i, 7 * i + 1);
  for (long i = 0; i < 4; ++i)
    sum += out[4 + i] = goes_on(i, i * 5);
  sum += out[8] = conditional(3);
  sum += out[10] = lone(0, 5);
  sum += out[11] = lone(1, 5);
  return sum + (out[9] = tail("12") + to_thunk("12") + fib(5));
}

static int hits[4];
static void on(const tprt_event *event, const tprt_regs *regs, void *data) {
  (void)regs, (void)data;
  ++hits[event->kind];
}

static tprt_probe *probe(const char *function) {
  tprt_selector selector = {.function = function, .module = "*.c.tmp*", .kinds = TPRT_KIND_SET_ALL,
                            .flags = TPRT_SELECT_CODE | TPRT_SELECT_LOADED | TPRT_SELECT_TRAPS};
  tprt_probe *probe = NULL;
  memset(hits, 0, sizeof hits);
  tprt_probe_attach(&selector, &(tprt_action){.kind = TPRT_ACTION_CALL, .handler = on}, &probe, NULL);
  return probe;
}

static int countEntries(const tprt_site *site, void *data) {
  const tprt_site_info info = describe(site);
  *(int *)data += info.kind == TPRT_KIND_ENTRY && info.name && strstr(info.name, ".cold") != NULL;
  return 0;
}

static int callTail(int i) { return (void)i, tail("12"); }
static int callThunk(int i) { return (void)i, thunk("12"); }
static int callToThunk(int i) { return (void)i, to_thunk("12"); }
static int callFib(int i) { return i ? 0 : fib(10); }
static int callConditional(int i) { conditional(-1); return (int)conditional(i); }

static void count(const char *name, int (*call)(int)) {
  tprt_probe *one = probe(name);
  for (int i = 0; i < 100; ++i)
    call(i);
  printf("%s: %d entries, %d exits, %d tail exits\n", name, hits[0], hits[1], hits[2]);
  tprt_probe_detach(one, -1);
}

int main(int argc, char **argv) {
  (void)argv;
  int entries = 0, wrong = 0;
  long before[12], now[12];
  results(before);
  tprt_probe *all = probe("*");
  for (int i = 0; i < 100 * argc; ++i) {
    results(now);
    wrong += memcmp(before, now, sizeof now) != 0;
  }
  tprt_selector every = {.function = "*", .module = "*.c.tmp*", .kinds = TPRT_KIND_SET_ALL, .flags = TPRT_SELECT_CODE};
  tprt_site_visit(&every, countEntries, &entries);
  tprt_probe_detach(all, -1);
  printf("parts that lie elsewhere have %d entries\n%d wrong results while everything is probed\n", entries, wrong);
  count("tail", callTail);
  count("thunk", callThunk);
  count("to_thunk", callToThunk);
  count("fib", callFib);
  count("behind_condition", callConditional);
  tprt_selector selector = {.function = "conditional", .module = "*.c.tmp*", .kinds = TPRT_KIND_SET_EXIT,
                            .flags = TPRT_SELECT_CODE | TPRT_SELECT_TRAPS};
  tprt_result result = {0};
  tprt_probe *ends = NULL;
  tprt_probe_attach(&selector, &(tprt_action){.kind = TPRT_ACTION_COUNT}, &ends, &result);
  printf("conditional: %zu exit that no probe takes: %s\n", result.refused, tprt_refusal_string(result.first_refusal));
  return 0;
}
