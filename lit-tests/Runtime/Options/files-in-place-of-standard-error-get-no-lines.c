// If a program has no standard error, the next file that it opens gets descriptor 2. The
// runtime must not write lines into that file. If the program redirects standard error on
// purpose, the lines are written to the new destination.
//
// REQUIRES: x86_64-host
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: env TPRT_OPTIONS=verbose=1 %t %t.data %t.log 2>&1
// RUN: test ! -s %t.data
// RUN: FileCheck %s < %t.log
// RUN: sh -c 'TPRT_OPTIONS=verbose=1 exec %t %t.data 2>&-'
// RUN: test ! -s %t.data
//
// CHECK: none of the 2 sites matches nosuch
#include <fcntl.h>
#include <stdio.h>
#include <tprt/tprt.h>
#include <unistd.h>
__attribute__((noinline)) void f(void) { __asm__ volatile(""); }
static void attach(void) {
  tprt_selector selector = {.function = "nosuch"};
  tprt_action action = {.kind = TPRT_ACTION_COUNT};
  tprt_probe *probe;
  tprt_probe_attach(&selector, &action, &probe, NULL);
}
int main(int count, char **arguments) {
  close(2);
  if (open(arguments[1], O_RDWR | O_CREAT | O_TRUNC, 0666) != 2)
    return 1;
  attach();
  if (count > 2 && !freopen(arguments[2], "w", stderr))
    return 2;
  if (count > 2)
    attach();
  f();
}
