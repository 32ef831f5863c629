// Expressions that use the result wait for libraries that are loaded later, as other expressions do. If this fails, the
// command is ended because the function is in none of its first libraries.
//
// REQUIRES: tpctl
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s -o %t
// RUN: %tpctl count --await in_a_plugin --by result -- %t 2>&1 | FileCheck %s
// RUN: %tpctl hist --await in_a_plugin --if 'result > 1' -- %t 2>&1 | FileCheck %s
// CHECK: {{^}}main has run{{$}}
// CHECK: note: no function matches in_a_plugin: none of the
#include <stdio.h>

int main(void) {
  puts("main has run");
  fflush(stdout);
  return 0;
}
