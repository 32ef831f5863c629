// If this fails, a hit that is recorded or timed in code without sleds changes registers of the program: general ones,
// flags, or parts of scalable vectors and predicates. Such a hit saves no vectors unless it makes system calls. It makes
// system calls when a thread's block is full, when calls are timed for the first time, and at a thread's first count. A
// system call ends streaming mode, which clears all vectors; so most calls here are in streaming mode.
//
// REQUIRES: sme
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: aarch64-linux-gnu-gcc -O1 -march=armv8-a+sve -pthread %s %tprt_flags -o program
// RUN: env TPRT_OPTIONS='time=program!jumps code=1' ./program 2> table | FileCheck %s
// RUN: FileCheck %s --check-prefix=TIMED < table
//
// CHECK: work: 2000 calls, 0 with another register
// CHECK-NEXT: in streaming mode: 2000 calls, 0 with another register
// CHECK-NEXT: counted as well: 2000 calls, 0 with another register
// CHECK-NEXT: counted 2000, all recorded: 1
// TIMED: 6000 {{.*}} jumps
#include "../Inputs/harness.h"
#include "Inputs/all-registers.h"
#include "tprt/record.h"
#include <pthread.h>
#include <string.h>

enum { THREADS = 4, CALLS = 500, ARGUMENTS = 8 };

// The code between the beginning and the end of work() and of streams(). jumps() adds 5 to x0.
#define SITES "nop\nb 1f\nbrk #1\n1:\nbl jumps\n"
__asm__(".text\n.arch_extension sme\n"
        ".globl adds\n.type adds, @function\n"
        "adds: .cfi_startproc\nadd x0, x0, #5\nret\n.cfi_endproc\n.size adds, .-adds\n"
        ".globl jumps\n.type jumps, @function\n"
        "jumps: .cfi_startproc\nnop\nb adds\n.cfi_endproc\n.size jumps, .-jumps\n"
        ".globl work\n.type work, @function\n"
        "work: .cfi_startproc\n" LOAD_ALL("") SITES STORE_ALL("") ".cfi_endproc\n.size work, .-work\n"
        ".globl streams\n.type streams, @function\n"
        "streams: .cfi_startproc\n" LOAD_ALL("smstart sm") SITES STORE_ALL("smstop sm") ".cfi_endproc\n.size streams, .-streams\n");
typedef void Function(const State *in, State *out);
extern Function work, streams;

static long wrong;

// Calls the function with a different value in every register. The `bl` sets x30.
static void callOnce(Function *function, long seed) {
  static __thread State in, out;
  for (int i = 0; i < 31; ++i)
    in.x[i] = (long)((unsigned long)seed * (unsigned long)(i + 3));
  in.flags = (seed & 15) << 28;
  memset(in.p, (int)seed, sizeof in.p);
  for (int i = 0; i < 32; ++i)
    memset(in.z[i], (int)seed + i, sizeof in.z[i]);
  memcpy(&out, &in, sizeof in);
  function(&in, &out);
  in.x[0] += 5, in.x[30] = out.x[30];
  __atomic_fetch_add(&wrong, memcmp(&in, &out, sizeof in) != 0, __ATOMIC_RELAXED);
}

static void *callAll(void *function) {
  for (long i = 1; i <= CALLS; ++i)
    callOnce((Function *)function, (long)((unsigned long)i * 0x9e3779b97f4a7c1ul));
  return NULL;
}

static void runThreads(const char *name, Function *function) {
  pthread_t threads[THREADS];
  wrong = 0;
  for (int i = 0; i < THREADS; ++i)
    pthread_create(&threads[i], NULL, callAll, (void *)function);
  for (int i = 0; i < THREADS; ++i)
    pthread_join(threads[i], NULL);
  printf("%s: %d calls, %ld with another register\n", name, THREADS * CALLS, wrong);
}

int main(void) {
  // A block has 64 KiB, so each thread needs hundreds of blocks: an event is one word, and its values are nine more words.
  tprt_recording_options where = {.file = "out.tpt", .size = 1 << 20, .mode = TPRT_RECORDING_MODE_NEWEST};
  tprt_recording_values values = {.arguments = ARGUMENTS};
  const char *functions[] = {"program!work+*", "program!streams+*"};
  if (tprt_recording_start(&where) != TPRT_STATUS_OK)
    return puts(tprt_error_string()), 1;
  uint64_t words[2];
  for (int i = 0; i < 2; ++i) {
    tprt_selector selector = {.function = functions[i], .flags = TPRT_SELECT_CODE};
    tprt_result result;
    // The brk after the branch is refused, and not executed.
    if (tprt_recording_add(&selector, &values, &result) != TPRT_STATUS_PARTIAL || result.refused != 1)
      return puts(tprt_error_string()), 1;
    // The event of the function's return has no arguments.
    words[i] = (result.matched - result.refused) * (2 + ARGUMENTS) - (1 + ARGUMENTS);
  }
  runThreads("work", work);
  runThreads("in streaming mode", streams);
  tprt_selector counted = {.function = "program!jumps", .kinds = TPRT_KIND_SET_ENTRY, .flags = TPRT_SELECT_CODE};
  tprt_probe *counter = attachSelected(counted, (tprt_action){.kind = TPRT_ACTION_COUNT});
  runThreads("counted as well", streams);
  tprt_recording_figures figures;
  tprt_recording_read(&figures);
  uint64_t least = (words[0] + 2 * words[1]) * THREADS * CALLS;
  printf("counted %lu, all recorded: %d\n", (unsigned long)tprt_probe_count(counter), figures.lost == 0 && figures.words >= least && figures.words < least + least / 100);
  return 0;
}
