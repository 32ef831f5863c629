// /proc/self/maps shows code as readable and executable, but the code is not: its pages are guard
// pages, or a protection key forbids the access. Such code is refused, without a fault. If the key
// forbids only stores, the code is written through /proc/self/mem.
//
// REQUIRES: x86_64-host
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t guard | FileCheck --check-prefix=REFUSED %s
// RUN: %t access | FileCheck --check-prefix=REFUSED %s
// RUN: %t write | FileCheck --check-prefix=WRITTEN %s
//
// REFUSED: {{not on this machine|does not let this process change its code}}
// WRITTEN: {{not on this machine|it was done, hits 1}}
#define _GNU_SOURCE
#include "tprt/tprt.h"
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { Page = 4096, GuardInstall = 102 };
#define CODE(part) __attribute__((noinline, section(".text." part), aligned(Page)))
CODE("1") int f(int x) { __asm__ volatile("" : "+r"(x)); return x + 1; }
CODE("2") __attribute__((tp_never)) void last(void) {}
static int hits;
static void count(const tprt_event *e, const tprt_regs *r, void *data) { ++hits; }

__attribute__((tp_never)) int main(int argc, char **argv) {
  void *page = (void *)((uintptr_t)f & ~(uintptr_t)(Page - 1));
  int write = strcmp(argv[1], "write") == 0, done;
  if (strcmp(argv[1], "guard") == 0)
    done = madvise(page, Page, GuardInstall);
  else {
    int key = pkey_alloc(0, write ? PKEY_DISABLE_WRITE : PKEY_DISABLE_ACCESS);
    // With a key of -1, pkey_mprotect would be mprotect, and succeed.
    done = key < 0 ? -1 : pkey_mprotect(page, Page, PROT_READ | PROT_EXEC, key);
  }
  if (done != 0)
    return puts("not on this machine"), 0;
  tprt_probe *probe;
  tprt_status status = tprt_probe_attach(&(tprt_selector){.function = "f"}, &(tprt_action){.handler = count}, &probe, NULL);
  if (write)
    f(1);
  printf("%s, hits %d\n", tprt_status_string(status), hits);
}
