// A 5-byte sled is flipped by a store of its aligned word, which also contains the
// function's next instruction. Meanwhile, a uprobe at that instruction is removed. The store must
// not write the uprobe's int3 again, because that int3 would then stay without an owner.
//
// REQUIRES: uprobes, x86_64-host
// RUN: %clang -O2 -fplugin-arg-tp-entry=5,0 %s %tprt_flags -lpthread -o %t
// RUN: %t | FileCheck %s
//
// CHECK: 80 uprobes came and went, the function is as it was
#include "../Inputs/uprobe.h"
#include "tprt/tprt.h"
#include <pthread.h>

__attribute__((noinline, aligned(16))) int probed(int x) {
  __asm__ volatile("nop\nnop\nnop" : "+r"(x)); // in the sled's word
  return x + 1;
}
static volatile int stop;
static void ignore(const tprt_event *e, const tprt_regs *r, void *data) {}
__attribute__((tp_never)) static void *toggle(void *data) {
  tprt_selector selector = {.function = "probed"};
  tprt_action action = {.handler = ignore};
  tprt_probe *probe;
  while (!stop)
    if (tprt_probe_attach(&selector, &action, &probe, NULL) == TPRT_STATUS_OK)
      tprt_probe_detach(probe, -1);
  return NULL;
}
__attribute__((tp_never)) static void *run(void *data) {
  while (!stop)
    probed(1);
  return NULL;
}
__attribute__((tp_never)) int main(void) {
  unsigned char before[8];
  memcpy(before, (void *)probed, sizeof before);
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, toggle, NULL);
  pthread_create(&threads[1], NULL, run, NULL);
  int count = 0;
  for (; count < 80; ++count)
    close(openUprobe((char *)probed + 5));
  stop = 1;
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
  printf("%d uprobes came and went, the function is %s\n", count,
         memcmp(before, (void *)probed, sizeof before) || probed(1) != 2 ? "another" : "as it was");
}
