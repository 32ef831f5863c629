// Each instruction of a function without a sled is a site, which function+offset selects. Functions here keep data
// below the stack pointer, carry flags from one instruction to the next, refer to memory relative to the instruction,
// and call. The functions run in four threads while one instruction after the other is on. One handler overwrites
// every register that it may, and another handler uses only general registers. There is also a counter, and a handler
// together with a counter. Results must be right, and no hit may be lost.
//
// RUN: gcc -O2 -fno-stack-protector %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: 1 of 1 site refused, the first branches+0x{{[0-9a-f]+}} ({{.*}} its instruction can't run at another address
// CHECK-NEXT: 0 results wrong, 0 counts wrong, 0 positions wrong
// CHECK-NEXT: red_zone: 12 of 12 instructions
// CHECK-NEXT: flags: 17 of 17 instructions
// CHECK-NEXT: relative: 5 of 5 instructions
// CHECK-NEXT: calls: 9 of 9 instructions
// CHECK-NEXT: branches: 7 of 8 instructions
// CHECK-NEXT: a call's stub returns after the call: 1
// CHECK-NEXT: at a changed register: 5
// CHECK-NEXT: 1 of 1 site refused, the first crossing+0x{{[0-9a-f]+}} ({{.*}} its instruction can't run at another address
// CHECK-NEXT: no instruction begins at red_zone+0x1: the next one begins at red_zone+0x5
// CHECK-NEXT: refused as 19
// CHECK-NEXT: red_zone+0x1000 is past the function's end: it is {{0x[0-9a-f]+}} bytes long
// CHECK-NEXT: the selector selects an instruction, for which it needs TPRT_SELECT_CODE (tpctl: --code)
// CHECK-NEXT: the selector selects an instruction as well as entries or exits, whose times are measured, but an instruction has none: select them separately
// CHECK-NEXT: 0x10 is in no module whose code can be probed
// CHECK-NEXT: by its address: 4 hits
// CHECK-NEXT: the whole function: 12 instructions, each 4 times
// CHECK-NEXT: off: 0 results wrong
#include "../Inputs/harness.h"
#include <pthread.h>
#include <string.h>

#define BEGIN(name) ".globl " name "\n.type " name ", @function\n.p2align 4\n" name ":\n.cfi_startproc\n"
#define END(name) ".cfi_endproc\n.size " name ", .-" name "\n.fill 64, 1, 0xcc\n"
__asm__(".text\n.fill 64, 1, 0xcc\n" BEGIN("red_zone")
        "movq %rdi, -8(%rsp)\nmovq %rsi, -128(%rsp)\nmovq %rdi, -64(%rsp)\nmovq %rsi, -16(%rsp)\nxorl %eax, %eax\n"
        "addq -8(%rsp), %rax\naddq -128(%rsp), %rax\naddq -64(%rsp), %rax\naddq -16(%rsp), %rax\nmovq %rax, -72(%rsp)\n"
        "movq -72(%rsp), %rax\nret\n" END("red_zone")
        BEGIN("flags")
        "movq %rdi, %rax\naddq %rsi, %rax\nmovl $0, %ecx\nsetc %cl\nmovq %rdi, %rdx\nsubq %rsi, %rdx\nmovl $0, %r8d\n"
        "adcq $0, %rcx\nmovb $127, %dl\naddb $1, %dl\nmovl $0, %edx\nmovl $0, %r9d\nseto %dl\naddq %rdx, %rax\n"
        "addq %rcx, %rax\naddq %r8, %rax\nret\n" END("flags")
        BEGIN("relative")
        "leaq word(%rip), %rax\nmovq (%rax), %rax\naddq word(%rip), %rax\naddq %rdi, %rax\nret\n" END("relative")
        BEGIN("calls")
        "pushq %rbx\n.cfi_def_cfa_offset 16\n.cfi_offset %rbx, -16\nmovq %rsi, %rbx\nnop\nnop\n.p2align 3\ncall red_zone\n"
        "addq %rbx, %rax\npopq %rbx\n.cfi_def_cfa_offset 8\nret\n" END("calls")
        BEGIN("branches")
        "movq %rdi, %rax\ntestq %rdi, %rdi\njs 1f\ncmpq %rdi, %rdi\njne 1f\njmp 2f\n1: ud2\n2: ret\n" END("branches")
        // The call's distance lies in two aligned words.
        BEGIN("crossing") "subq $8, %rsp\n.cfi_def_cfa_offset 16\ncall red_zone\naddq $8, %rsp\n.cfi_def_cfa_offset 8\nret\n" END("crossing")
        ".data\n.p2align 3\nword: .quad 1000\n.text\n");

typedef long Function(long, long);
Function red_zone, flags, relative, calls, branches;
static Function *const functions[] = {red_zone, flags, relative, calls, branches};
static const char *const names[] = {"red_zone", "flags", "relative", "calls", "branches"};
enum { FUNCTIONS = 5, THREADS = 4, CALLS = 25 };

static long wanted(int which, long a, long b) {
  unsigned long sum = (unsigned long)a + (unsigned long)b;
  switch (which) {
  case 0: return 2 * a + 2 * b;
  case 1: return (long)(sum + (sum < (unsigned long)a) + ((unsigned long)a < (unsigned long)b) + 1);
  case 2: return 2000 + a;
  case 3: return 2 * a + 3 * b;
  default: return a;
  }
}

static int round_, done, which;
static long wrongResults;
static pthread_barrier_t barrier;

static void callAll(void) {
  for (long i = 0; i < CALLS; ++i) {
    long a = i * 77 + 3, b = i % 2 ? 5 : -9;
    __atomic_fetch_add(&wrongResults, functions[which](a, b) != wanted(which, a, b), __ATOMIC_RELAXED);
  }
}
static void *work(void *unused) {
  for (;;) {
    pthread_barrier_wait(&barrier);
    if (done)
      return unused;
    callAll();
    pthread_barrier_wait(&barrier);
  }
}
// Each thread calls the function CALLS times.
static void runThreads(void) {
  pthread_barrier_wait(&barrier);
  pthread_barrier_wait(&barrier);
}

static unsigned long hits;
static long wrongPositions;
static const void *expected;

__attribute__((noinline)) static void note(const tprt_event *event) {
  tprt_site_info info;
  __atomic_fetch_add(&hits, 1, __ATOMIC_RELAXED);
  tprt_site_describe(event->site, &info);
  int isFirst = info.sled == info.function, isInner = event->kind == TPRT_KIND_INSTRUCTION;
  if (info.sled != expected || (!isInner && !isFirst && event->kind != TPRT_KIND_EXIT))
    __atomic_fetch_add(&wrongPositions, 1, __ATOMIC_RELAXED);
}
static void trample(const tprt_event *event, const tprt_regs *regs, void *data) {
  (void)regs, (void)data;
  note(event);
  __asm__ volatile("pcmpeqd %%xmm0, %%xmm0\n\tpcmpeqd %%xmm15, %%xmm15\n\tmovq $-1, %%r11\n\tmovq $-1, %%r10\n\tmovq $-1, %%rcx\n\t"
                   "movq $-1, %%r8\n\tmovq $-1, %%r9\n\txorl %%eax, %%eax"
                   ::: "rax", "rcx", "r8", "r9", "r10", "r11", "xmm0", "xmm15", "cc");
}
static void general(const tprt_event *event, const tprt_regs *regs, void *data) {
  (void)event, (void)regs, (void)data;
  __atomic_fetch_add(&hits, 1, __ATOMIC_RELAXED);
}

static tprt_probe *attachAt(const char *function, uint32_t kinds, uint32_t flags, tprt_action action) {
  tprt_selector selector = {.function = function, .kinds = kinds, .flags = flags};
  tprt_result result;
  tprt_probe *probe = NULL;
  if (tprt_probe_attach(&selector, &action, &probe, &result) != TPRT_STATUS_OK)
    puts(tprt_error_string());
  return probe;
}
static const tprt_action trampling = {.handler = trample};
static const tprt_action generals = {.handler = general, .flags = TPRT_HANDLER_GENERAL_REGS_ONLY};
static const tprt_action counting = {.kind = TPRT_ACTION_COUNT};

static int visitedSites;
static unsigned offsets[64];
static int visit(const tprt_site *site, void *data) {
  tprt_site_info info;
  (void)data;
  tprt_site_describe(site, &info);
  offsets[visitedSites++] = (unsigned)((const char *)info.sled - (const char *)info.function);
  return 0;
}

static long wrongCounts;
static void check(unsigned long count) { wrongCounts += count != THREADS * CALLS; }

static int probeEach(void) {
  int taken = 0;
  char pattern[64];
  tprt_selector all = {.function = names[which], .kinds = TPRT_KIND_SET_INSTRUCTION, .flags = TPRT_SELECT_CODE};
  visitedSites = 0;
  if (tprt_site_visit(&all, visit, NULL) != TPRT_STATUS_OK)
    puts(tprt_error_string());
  for (int i = 0; i < visitedSites; ++i) {
    sprintf(pattern, i % 2 ? "%s+0x%x" : "%s+%u", names[which], offsets[i]);
    expected = (const char *)functions[which] + offsets[i];
    tprt_probe *probe = attachAt(pattern, 0, TPRT_SELECT_CODE | TPRT_SELECT_TRAPS, trampling);
    if (!probe)
      continue;
    ++taken;
    hits = 0;
    runThreads();
    check(hits);
    tprt_probe *beside = attachAt(pattern, 0, TPRT_SELECT_CODE | TPRT_SELECT_TRAPS, counting);
    hits = 0;
    runThreads();
    check(hits);
    check(tprt_probe_count(beside));
    tprt_probe_detach(probe, -1);
    runThreads();
    wrongCounts += tprt_probe_count(beside) != 2 * THREADS * CALLS;
    tprt_probe_detach(beside, -1);
    probe = attachAt(pattern, 0, TPRT_SELECT_CODE | TPRT_SELECT_TRAPS, generals);
    hits = 0;
    runThreads();
    check(hits);
    tprt_probe_detach(probe, -1);
    probe = attachAt(pattern, 0, TPRT_SELECT_CODE | TPRT_SELECT_TRAPS, counting);
    runThreads();
    check(tprt_probe_count(probe));
    tprt_probe_detach(probe, -1);
  }
  return taken;
}

static void changeRsi(const tprt_event *event, const tprt_regs *regs, void *data) {
  (void)event, (void)data;
  ((tprt_regs *)regs)->rdi = 2;
}

static int eachFour = 0;
static int visitCount(const tprt_site *site, uint64_t count, void *data) {
  (void)site, (void)data;
  eachFour += count == 4;
  return 0;
}

int main(void) {
  pthread_t threads[THREADS];
  int taken[FUNCTIONS], sites[FUNCTIONS];
  pthread_barrier_init(&barrier, NULL, THREADS + 1);
  for (int i = 0; i < THREADS; ++i)
    pthread_create(&threads[i], NULL, work, NULL);
  for (which = 0; which < FUNCTIONS; ++which) {
    taken[which] = probeEach();
    sites[which] = visitedSites;
  }
  done = 1;
  pthread_barrier_wait(&barrier);
  for (int i = 0; i < THREADS; ++i)
    pthread_join(threads[i], NULL);
  printf("%ld results wrong, %ld counts wrong, %ld positions wrong\n", wrongResults, wrongCounts, wrongPositions);
  for (int i = 0; i < FUNCTIONS; ++i)
    printf("%s: %d of %d instructions\n", names[i], taken[i], sites[i]);

  // The call is the only instruction of five bytes.
  uint32_t flagsOf = TPRT_SELECT_CODE | TPRT_SELECT_TRAPS;
  expected = (const char *)calls + 8;
  hits = 0;
  tprt_probe *probe = attachAt("calls+8", 0, TPRT_SELECT_CODE, trampling);
  calls(1, 2);
  printf("a call's stub returns after the call: %lu\n", hits);
  tprt_probe_detach(probe, -1);

  tprt_action changing = {.handler = changeRsi, .flags = TPRT_HANDLER_CHANGES_REGS};
  probe = attachAt("branches+3", 0, flagsOf, changing);
  long negative = branches(5, 0);
  printf("at a changed register: %ld\n", negative);
  tprt_probe_detach(probe, -1);

  attachAt("crossing+4", 0, flagsOf, counting);

  tprt_selector wrong = {.function = "red_zone+1", .flags = TPRT_SELECT_CODE};
  tprt_result result;
  tprt_probe_attach(&wrong, &counting, &probe, &result);
  puts(tprt_error_string());
  printf("refused as %d\n", result.first_refusal);
  attachAt("red_zone+0x1000", 0, TPRT_SELECT_CODE, counting);
  attachAt("red_zone+0x0", 0, 0, counting);
  attachAt("red_zone+0x0", TPRT_KIND_SET_ALL, TPRT_SELECT_CODE, counting);
  attachAt("0x10", 0, TPRT_SELECT_CODE, counting);
  char address[32];
  sprintf(address, "%p", (void *)((char *)red_zone + 5));
  probe = attachAt(address, 0, flagsOf, counting);
  for (int i = 0; i < 4; ++i)
    red_zone(1, 2);
  printf("by its address: %d hits\n", (int)tprt_probe_count(probe));
  tprt_probe_detach(probe, -1);
  probe = attachAt("red_zone+*", 0, flagsOf, counting);
  if (!probe)
    return 1;
  for (int i = 0; i < 4; ++i)
    wrongResults += red_zone(1, 2) != 6;
  tprt_probe_visit_counts(probe, visitCount, NULL);
  printf("the whole function: %d instructions, each 4 times\n", eachFour);
  tprt_probe_detach(probe, -1);
  wrongResults = 0;
  for (which = 0; which < FUNCTIONS; ++which)
    callAll();
  printf("off: %ld results wrong\n", wrongResults);
  return 0;
}
