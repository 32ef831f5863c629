// A handler that needs no stack of its own runs directly above the end of its thread's
// stack, so the memory below its frame cannot be read. If this fails, detach mistakes it
// for a handler that was left.
//
// RUN: %clang -O2 -pthread -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: while inside: detached, but a thread is still inside the handler
// CHECK-NEXT: afterwards: it was done
#include "../Inputs/harness.h"
#include <pthread.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#ifdef __x86_64__
enum { kLeft = 112 }; // the frame, and the handler's return address
#else
enum { kLeft = 512 };
#endif
static volatile int stays, inside, leave;
static char *end; // the lowest byte of the stack
static size_t page;
static ucontext_t before, other;
__attribute__((tp_never)) static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {
  for (inside = stays; stays && !leave;)
    ;
}
__attribute__((noinline)) void f(void) { __asm__ volatile(""); }
__attribute__((tp_never, noinline)) static void sink(void) {
  char *here = __builtin_alloca(16);
  volatile char *used = __builtin_alloca((size_t)(here - end - kLeft) & ~(size_t)15);
  used[0] = 0;
  f();
}
__attribute__((tp_never)) static void *run(void *unused) {
  f(); // the first hit needs more
  stays = 1;
  getcontext(&other);
  other.uc_stack.ss_sp = end;
  other.uc_stack.ss_size = 8 * page;
  other.uc_link = &before;
  makecontext(&other, sink, 0);
  swapcontext(&before, &other);
  return unused;
}

__attribute__((tp_never)) int main(void) {
  page = (size_t)sysconf(_SC_PAGESIZE);
  char *memory = mmap(NULL, 9 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(memory, page, PROT_NONE);
  end = memory + page;
  tprt_action action = {.handler = onHit, .flags = TPRT_HANDLER_GENERAL_REGS_ONLY};
  tprt_probe *probe = attach("f", TPRT_KIND_SET_ENTRY, action);
  pthread_t thread;
  pthread_create(&thread, NULL, run, NULL);
  waitUntil(&inside);
  printf("while inside: %s\n", detach(probe, 300));
  leave = 1;
  printf("afterwards: %s\n", detach(probe, 5000));
  return pthread_join(thread, NULL);
}
