// A tracer sets a uprobe while an attach or detach has made the code writable: all of the code at
// the first flip, and some pages later. The kernel puts no uprobe into a writable mapping. If this
// fails, such a uprobe is never hit.
//
// REQUIRES: uprobes, x86_64-host
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s %tprt_interposed_flags -ldl -o %t
// RUN: %t | FileCheck %s
//
// CHECK: attach to one function: 10 hits
// CHECK-NEXT: detach: 10 hits
// CHECK-NEXT: attach to all functions: 10 hits
// CHECK-NEXT: detach: 10 hits
#include "../Inputs/uprobe.h"
#include "tprt/tprt.h"
#include <sys/mman.h>

// The code has several pages, so that some of them can be writable.
__attribute__((noinline, aligned(4096))) int first(int x) {
  __asm__ volatile(".skip 8192, 0x90" : "+r"(x));
  return x + 1;
}
__attribute__((noinline, tp_never)) int traced(int x) {
  __asm__ volatile("" : "+r"(x));
  return x + 3;
}
__attribute__((noinline)) int second(int x) {
  __asm__ volatile(".skip 8192, 0x90" : "+r"(x));
  return x + 2;
}

static int event = -1;

// libtprt's calls of mprotect use this function, too: the program is before the
// C library. When the code becomes writable for the first time, a uprobe is set.
__attribute__((tp_never)) int mprotect(void *start, size_t bytes, int rights) {
  int result = (int)syscall(SYS_mprotect, start, bytes, rights);
  uintptr_t at = (uintptr_t)traced;
  if (rights == (PROT_READ | PROT_WRITE | PROT_EXEC) && at >= (uintptr_t)start && at < (uintptr_t)start + bytes && event < 0)
    event = openUprobe((void *)traced);
  return result;
}

// Returns the number of hits of the uprobe that was set during the last call. Then removes the uprobe.
__attribute__((tp_never)) static void tell(const char *name) {
  uint64_t before = 0, now = 0;
  if (event < 0)
    return (void)printf("%s: the code was not opened\n", name);
  (void)!read(event, &before, sizeof before);
  for (int i = 0; i < 10; ++i)
    traced(i);
  (void)!read(event, &now, sizeof now);
  printf("%s: %lu hits\n", name, now - before);
  close(event);
  event = -1;
}

static void ignore(const tprt_event *e, const tprt_regs *r, void *data) {}

__attribute__((tp_never)) int main(void) {
  tprt_action action = {.handler = ignore};
  tprt_probe *probe;
  const char *patterns[] = {"second", "*"}, *names[] = {"attach to one function", "attach to all functions"};
  for (int i = 0; i < 2; ++i) {
    tprt_selector selector = {.function = patterns[i]};
    if (tprt_probe_attach(&selector, &action, &probe, NULL) != TPRT_STATUS_OK)
      return puts(tprt_error_string()), 1;
    tell(names[i]);
    tprt_probe_detach(probe, -1);
    tell("detach");
  }
}
