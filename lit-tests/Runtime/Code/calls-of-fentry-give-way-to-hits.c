// A function that was built with -pg -mfentry begins with a call of __fentry__. That call is the function's
// entry: while a probe is on, each call of the function is a hit with all its arguments, and does not call
// __fentry__. After the detach, each call of the function calls __fentry__ again. A thread that is in __fentry__
// while its call is replaced returns to its caller. No call is both a hit and a call of __fentry__. A call
// during a detach may be neither, because the call still uses the stub of the ended probe.
//
// REQUIRES: x86_64-host
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %plain_clang -O2 -fPIE -I %S/../Inputs -c main.c -I %tprt_include -o main.o
// RUN: gcc -O2 -pg -mfentry -fPIC -fcf-protection=none -shared lib.c -o word.so
// RUN: %plain_clang -O2 -pg -mfentry -fPIC -shared lib.c -o plt.so
// RUN: %plain_clang -O2 -pg -mfentry -fPIC -fcf-protection=branch -shared -Wl,-z,now lib.c -o crossing.so
// RUN: %plain_clang -O2 -pg -mfentry -fPIC -fno-plt -shared -s lib.c -Wl,--hash-style=gnu -o stripped.so
// RUN: %plain_clang -rdynamic -pthread main.o %tprt_flags -o main
// RUN: ./main ./word.so | FileCheck %s
// RUN: ./main ./plt.so | FileCheck %s
// RUN: ./main ./crossing.so | FileCheck %s
// RUN: ./main ./stripped.so | FileCheck %s
//
// The call is direct if the program contains __fentry__. The linker turns a call through a word into a direct
// call.
// RUN: gcc -O2 -pg -mfentry -fPIC -c lib.c -o relaxed.o
// RUN: %plain_clang -rdynamic -pthread main.o relaxed.o %tprt_flags -o relaxed
// RUN: %plain_clang -O2 -pg -mfentry -c lib.c -o direct.o
// RUN: %plain_clang -rdynamic -pthread main.o direct.o %tprt_flags -o direct
// RUN: llvm-objdump -d --no-show-raw-insn --disassemble-symbols=add relaxed | grep addr32
// RUN: ./relaxed | FileCheck %s
// RUN: ./direct | FileCheck %s
//
// CHECK: off: 42, 0 hits, __fentry__ 1
// CHECK-NEXT: on: 42, 1 hit of 40 and 2, __fentry__ 0
// CHECK-NEXT: detached: 42, 0 hits, __fentry__ 1, same bytes 1
// CHECK-NEXT: threads: no call is both
//--- lib.c
int add(int a, int b) { return a + b; }
int other(int a) { return a - 1; }
//--- main.c
#include "harness.h"
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>

// __fentry__ calls nothing, and leaves all registers alone.
long profiled;
__asm__(".globl __fentry__\n.type __fentry__, @function\n__fentry__:\n"
        "lock incq profiled(%rip)\nret\n.size __fentry__, .-__fentry__\n");

static int (*add)(int, int);
static long hits, calls, first, second;
static volatile int over;

static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {
  (void)event, (void)data;
  first = (int)tprt_regs_argument(regs, 0);
  second = (int)tprt_regs_argument(regs, 1);
  __atomic_fetch_add(&hits, 1, __ATOMIC_RELAXED);
}

static tprt_probe *probe(void) {
  tprt_selector selector = {.address = (const void *)add, .kinds = TPRT_KIND_SET_ENTRY, .flags = TPRT_SELECT_CODE};
  return attachSelected(selector, (tprt_action){.handler = onHit});
}

static long count(const long *of) { return __atomic_load_n(of, __ATOMIC_RELAXED); }

static void *callUntilOver(void *unused) {
  long made = 0;
  for (; !over; ++made)
    if (add((int)made, 1) != (int)made + 1)
      puts("wrong sum");
  __atomic_fetch_add(&calls, made, __ATOMIC_RELAXED);
  return unused;
}

static void toggleUnderThreads(void) {
  enum { Threads = 3, Toggles = 300 };
  pthread_t threads[Threads];
  hits = profiled = 0;
  for (int i = 0; i < Threads; ++i)
    pthread_create(&threads[i], NULL, callUntilOver, NULL);
  // On a busy machine, perhaps no thread runs while a probe is on. So the
  // toggling continues until both kinds of calls were seen, or until a limit.
  for (int i = 0; i < Toggles || (i < 100 * Toggles && !(count(&hits) && count(&profiled))); ++i) {
    tprt_probe *one = probe();
    sched_yield();
    tprt_probe_detach(one, -1);
  }
  over = 1;
  for (int i = 0; i < Threads; ++i)
    pthread_join(threads[i], NULL);
  if (hits && profiled && hits + profiled <= calls)
    puts("threads: no call is both");
  else
    printf("threads: %ld calls, %ld hits, %ld calls of __fentry__\n", calls, hits, profiled);
}

int main(int argc, char **argv) {
  void *library = dlopen(argc > 1 ? argv[1] : NULL, RTLD_NOW);
  add = library ? (int (*)(int, int))dlsym(library, "add") : NULL;
  if (!add) {
    puts(dlerror());
    return 1;
  }
  unsigned char before[16];
  memcpy(before, (const void *)add, sizeof before);
  int sum = add(40, 2);
  printf("off: %d, %ld hits, __fentry__ %ld\n", sum, hits, profiled);
  tprt_probe *one = probe();
  profiled = 0;
  sum = add(40, 2);
  printf("on: %d, %ld hit of %ld and %ld, __fentry__ %ld\n", sum, hits, first, second, profiled);
  tprt_probe_detach(one, -1);
  hits = 0;
  sum = add(40, 2);
  printf("detached: %d, %ld hits, __fentry__ %ld, same bytes %d\n", sum, hits, profiled,
         !memcmp(before, (const void *)add, sizeof before));
  toggleUnderThreads();
  return 0;
}
