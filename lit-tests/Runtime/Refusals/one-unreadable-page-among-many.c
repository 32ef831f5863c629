// One page in a large piece of code cannot be read, though /proc/self/maps shows no
// difference (a guard). If this fails, an attach to all of the code reads that page and
// crashes the program, or also refuses functions on other pages.
//
// REQUIRES: x86_64-host
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: {{not on this machine|some sites were refused, the others are on, on at 2 of 3, hits 2}}
// CHECK-NEXT: {{not on this machine|the code there cannot be read or made writable}}
#define _GNU_SOURCE
#include "tprt/tprt.h"
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>

enum { Page = 4096, GuardInstall = 102 };
#define CODE(part) __attribute__((noinline, section(".text." part), aligned(Page)))
#define MANY_PAGES(part) __asm__(".pushsection .text." part ",\"ax\",@progbits\n .skip 300 * 4096, 0x90\n .popsection")
CODE("1") int first(int x) { __asm__ volatile("" : "+r"(x)); return x + 1; }
MANY_PAGES("2");
CODE("3") int middle(int x) { __asm__ volatile("" : "+r"(x)); return x + 2; }
CODE("4") __attribute__((tp_never)) void behind(void) {}
MANY_PAGES("5");
CODE("6") int last(int x) { __asm__ volatile("" : "+r"(x)); return x + 3; }
static int hits;
__attribute__((tp_never)) static void count(const tprt_event *e, const tprt_regs *r, void *data) { ++hits; }

__attribute__((tp_never)) int main() {
  void *page = (void *)((uintptr_t)middle & ~(uintptr_t)(Page - 1));
  if (madvise(page, Page, GuardInstall) != 0)
    return puts("not on this machine\nnot on this machine"), 0;
  tprt_probe *probe;
  tprt_result result;
  tprt_status status = tprt_probe_attach(&(tprt_selector){.function = "*"}, &(tprt_action){.handler = count}, &probe, &result);
  first(1);
  last(1);
  printf("%s, on at %zu of %zu, hits %d\n", tprt_status_string(status), result.enabled, result.matched, hits);
  puts(tprt_refusal_string(result.first_refusal));
}
