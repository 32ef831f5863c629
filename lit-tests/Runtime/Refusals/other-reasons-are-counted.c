// If sites are refused for several reasons, the message has the first site with its reason,
// the number of sites that were refused for other reasons, and the most frequent of those.
//
// RUN: %clang -O1 -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// The bytes of one function differ from those of the table. The callers of the other
// functions may know their results. A redirection needs an entry.
// CHECK: 1 of 1 site refused, the first a_broken ({{.*}}): the bytes there {{.*}}breakpoint?){{$}}
// CHECK-NEXT: 3 of 3 sites refused, the first a_broken ({{.*}}): the bytes there {{.*}}breakpoint?); 2 for another reason: the function was not compiled with -ftp-opaque{{$}}
// CHECK-NEXT: 5 of 5 sites refused, the first a_broken ({{.*}}): the bytes there {{.*}}breakpoint?); 4 for other reasons, 3 of them: the function was not compiled with -ftp-opaque{{$}}
#include "tprt/tprt.h"
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

__attribute__((noinline, tp_opaque)) int a_broken(void) { return 1; }
__attribute__((noinline)) int b_known(void) { return 2; }
__attribute__((noinline)) int c_known(void) { return 3; }
__attribute__((noinline, tp_exit)) int d_leaves(void) { return 4; }

static int replacement(void) { return 5; }

static void tryAll(const char *function, uint32_t kinds) {
  tprt_selector selector = {.function = function, .kinds = kinds};
  tprt_action action = {.kind = TPRT_ACTION_REDIRECT, .replacement = (void *)replacement};
  tprt_probe *probe;
  tprt_probe_attach(&selector, &action, &probe, NULL);
  puts(tprt_error_string());
}

int main(void) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  mprotect((void *)((uintptr_t)a_broken & ~(page - 1)), 2 * page, PROT_READ | PROT_WRITE | PROT_EXEC);
  memset((void *)a_broken, 0xff, 2);
  tryAll("a_broken", TPRT_KIND_SET_ENTRY);
  tryAll("[abc]_*", TPRT_KIND_SET_ENTRY);
  tryAll("[abcd]_*", TPRT_KIND_SET_ENTRY | TPRT_KIND_SET_EXIT);
}
