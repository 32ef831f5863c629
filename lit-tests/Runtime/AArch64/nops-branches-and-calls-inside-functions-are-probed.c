// A nop, a b and a bl inside a function are sites, wherever they are. A function may use any register there, so a hit
// preserves all of them, including the flags and whole vectors. The only exception is x30, which the call sets. A handler
// overwrites every register that it may. Four threads run through the function while one site after the other is on: with
// that handler, counting, and both at once, and while all instructions of the function are turned on and off.
//
// RUN: aarch64-linux-gnu-gcc -O1 -march=armv8-a+sve -pthread %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: nop: 400 hits, counted 400, with both 400 and 400
// CHECK-NEXT: branch: 400 hits, counted 400, with both 400 and 400
// CHECK-NEXT: call: 400 hits, counted 400, with both 400 and 400
// CHECK-NEXT: 0 registers lost, 0 hits elsewhere or without a home, a call's x30 is its own 1
// CHECK-NEXT: no instruction begins at work+0x2: the next one begins at work+0x4
// CHECK-NEXT: with a call of the C library: every instruction 2 hits 1, right 1
// CHECK-NEXT: all of work: all taken 1, 4 hits each 1
// CHECK-NEXT: at a changed register: 1005
// CHECK-NEXT: turned on and off: 0 registers lost, hits 1
// CHECK-NEXT: off: the same bytes 1, 0 registers lost
#include "../Inputs/harness.h"
#include "Inputs/all-registers.h"
#include <pthread.h>
#include <string.h>

enum { THREADS = 4, CALLS = 100 };

// Loads all registers from `in`, goes through the three sites, and stores all registers to `out`. leaf() adds 5 to x0.
__asm__(".text\n.globl leaf\n.type leaf, @function\n"
        "leaf: .cfi_startproc\nadd x0, x0, #5\nret\n.cfi_endproc\n.size leaf, .-leaf\n"
        ".globl work, work_end, at_nop, at_branch, at_call\n.type work, @function\n"
        "work: .cfi_startproc\n"
        LOAD_ALL("")
        "at_nop: nop\n"
        "at_branch: b 1f\nbrk #1\n1:\n"
        "at_call: bl leaf\n"
        STORE_ALL("")
        "work_end: .cfi_endproc\n.size work, .-work\n");
extern void work(const State *in, State *out);
extern const char at_nop[], at_branch[], at_call[], work_end[];

static long lost;

// Calls work() with a different value in every register.
static void callOnce(long seed) {
  static __thread State in, out;
  for (int i = 0; i < 31; ++i)
    in.x[i] = (long)((unsigned long)seed * (unsigned long)(i + 3));
  in.flags = (seed & 15) << 28;
  memset(in.p, (int)seed, sizeof in.p);
  for (int i = 0; i < 32; ++i)
    memset(in.z[i], (int)seed + i, sizeof in.z[i]);
  memcpy(&out, &in, sizeof in);
  work(&in, &out);
  long wrong = out.x[0] != in.x[0] + 5, at = (long)at_call + 4;
  wrong += out.x[30] != at;
  in.x[0] = out.x[0], in.x[30] = at;
  wrong += memcmp(&in, &out, sizeof in) != 0;
  __atomic_fetch_add(&lost, wrong, __ATOMIC_RELAXED);
}

static void *callAll(void *unused) {
  for (long i = 1; i <= CALLS; ++i)
    callOnce((long)((unsigned long)i * 0x9e3779b97f4a7c1ul));
  return unused;
}

static volatile int over;
static void *callUntilOver(void *unused) {
  for (long i = 1; !over; ++i)
    callOnce(i);
  return unused;
}

static void runThreads(void) {
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; ++i)
    pthread_create(&threads[i], NULL, callAll, NULL);
  for (int i = 0; i < THREADS; ++i)
    pthread_join(threads[i], NULL);
}

static unsigned long hits, elsewhere, links;
static const char *expected;

static void trample(const tprt_event *event, const tprt_regs *regs, void *data) {
  tprt_site_info info;
  (void)data;
  __atomic_fetch_add(&hits, 1, __ATOMIC_RELAXED);
  tprt_site_describe(event->site, &info);
  // The return address into the stub, and the code that replaces a copy of the
  // instruction.
  const char *stub = (const char *)regs->reserved;
  tprt_registers all;
  if (info.sled != (const void *)expected || !tprt_event_registers(event, regs, &all) || event->kind != TPRT_KIND_INSTRUCTION ||
      tprt_address_original(stub) != info.sled || tprt_address_original(stub + 8) != info.sled)
    __atomic_fetch_add(&elsewhere, 1, __ATOMIC_RELAXED);
  if (expected == at_call && regs->lr == (uint64_t)at_call + 4)
    __atomic_fetch_add(&links, 1, __ATOMIC_RELAXED);
  __asm__ volatile(".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17\nmov x\\n, #-1\n.endr\n"
                   ".irp n, 0,1,2,3,4,5,6,7,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\ndup z\\n\\().d, #-1\n.endr\n"
                   ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\npfalse p\\n\\().b\n.endr\n"
                   "cmp x0, x0"
                   ::: "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15",
                   "x16", "x17", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v16", "v17", "v18", "v19", "v20", "v21",
                   "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31", "cc", "memory");
}

static void changeX0(const tprt_event *event, const tprt_regs *regs, void *data) {
  (void)event, (void)data;
  ((tprt_regs *)regs)->x[0] = 1000;
}

static tprt_probe *attachAt(const char *function, const char *at, tprt_action action) {
  char pattern[64];
  snprintf(pattern, sizeof pattern, "%s+0x%lx", function, (unsigned long)(at - (const char *)work));
  tprt_selector selector = {.function = at ? pattern : function, .flags = TPRT_SELECT_CODE};
  tprt_probe *probe = NULL;
  if (tprt_probe_attach(&selector, &action, &probe, NULL) != TPRT_STATUS_OK)
    puts(tprt_error_string());
  return probe;
}

static void probeAt(const char *name, const char *at) {
  tprt_action call = {.handler = trample}, count = {.kind = TPRT_ACTION_COUNT};
  expected = at, hits = 0;
  tprt_probe *called = attachAt("work", at, call);
  if (!called)
    exit(1);
  runThreads();
  tprt_probe_detach(called, -1);
  printf("%s: %lu hits", name, hits);
  tprt_probe *counted = attachAt("work", at, count);
  runThreads();
  unsigned long alone = tprt_probe_count(counted);
  hits = 0;
  called = attachAt("work", at, call);
  runThreads();
  printf(", counted %lu, with both %lu and %lu\n", alone, hits, (unsigned long)tprt_probe_count(counted) - alone);
  tprt_probe_detach(counted, -1);
  tprt_probe_detach(called, -1);
}

__attribute__((noinline)) static long parents(void) { return getppid() * 2l; }

static int taken;
static uint64_t together;
static int addCount(const tprt_site *site, uint64_t count, void *data) {
  (void)site, (void)data;
  taken += count != 0;
  together += count;
  return 0;
}

int main(void) {
  static char before[4096];
  size_t bytes = (size_t)(work_end - (const char *)work);
  memcpy(before, (void *)work, bytes);
  probeAt("nop", at_nop);
  probeAt("branch", at_branch);
  probeAt("call", at_call);
  printf("%ld registers lost, %lu hits elsewhere or without a home, a call's x30 is its own %d\n", lost, elsewhere, links == 2 * THREADS * CALLS);

  tprt_action count = {.kind = TPRT_ACTION_COUNT}, quick = {.handler = ignoreHit};
  attachAt("work", (const char *)work + 2, count);

  tprt_selector inside = {.function = "parents+*", .flags = TPRT_SELECT_CODE};
  tprt_probe *probe = NULL;
  tprt_result result;
  tprt_probe_attach(&inside, &count, &probe, &result);
  int right = parents() == getppid() * 2l && parents() == getppid() * 2l;
  printf("with a call of the C library: every instruction 2 hits %d, right %d\n",
         result.matched > 3 && !result.refused && tprt_probe_count(probe) == 2 * result.matched, right);
  tprt_probe_detach(probe, -1);

  inside.function = "work+*";
  tprt_probe_attach(&inside, &count, &probe, NULL);
  for (long i = 0; i < 4; ++i)
    callOnce(i);
  tprt_probe_visit_counts(probe, addCount, NULL);
  // The brk after the branch is refused, and not executed.
  printf("all of work: all taken %d, 4 hits each %d\n", (size_t)taken == bytes / 4 - 1, together == 4 * (uint64_t)taken);
  tprt_probe_detach(probe, -1);

  static State in, out;
  tprt_action change = {.handler = changeX0, .flags = TPRT_HANDLER_CHANGES_REGS};
  probe = attachAt("work", at_call, change);
  work(&in, &out);
  printf("at a changed register: %ld\n", out.x[0]);
  tprt_probe_detach(probe, -1);

  pthread_t threads[THREADS];
  lost = 0;
  for (int i = 0; i < THREADS; ++i)
    pthread_create(&threads[i], NULL, callUntilOver, NULL);
  uint64_t all = 0;
  for (int i = 0; i < 60 || (i < 6000 && !all); ++i) {
    inside.function = "work+*";
    tprt_probe_attach(&inside, i % 2 ? &count : &quick, &probe, NULL);
    usleep(200);
    all += i % 2 ? tprt_probe_count(probe) : 0;
    tprt_probe_detach(probe, -1);
  }
  over = 1;
  for (int i = 0; i < THREADS; ++i)
    pthread_join(threads[i], NULL);
  printf("turned on and off: %ld registers lost, hits %d\n", lost, all != 0);
  callOnce(77);
  printf("off: the same bytes %d, %ld registers lost\n", !memcmp(before, (void *)work, bytes), lost);
  return 0;
}
