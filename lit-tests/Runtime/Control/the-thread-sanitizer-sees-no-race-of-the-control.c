// A tool observes a program with the thread sanitizer. The sanitizer sees the reads and writes of the control's threads in
// functions that it intercepts. If this fails, such a program reports races of libtprt's and ends with 66.
//
// REQUIRES: x86_64-host, tpctl
// RUN: %plain_clang -O1 -fsanitize=thread %s -o %t && %tpctl count -o - --code '*!leaf' -- %t 2> %t.said | FileCheck %s
// RUN: FileCheck %s --check-prefix=SAID --allow-empty < %t.said
// RUN: gcc -O1 -fsanitize=thread %s -o %t.gcc && %tpctl count -o - --code '*!leaf' -- %t.gcc 2> %t.said | FileCheck %s
// RUN: FileCheck %s --check-prefix=SAID --allow-empty < %t.said
//
// CHECK: 1 {{.*}}leaf
// SAID-NOT: WARNING: ThreadSanitizer
__attribute__((noinline)) int leaf(int x) {
  __asm__ volatile("nop; nop; nop; nop; nop" ::: "memory");
  return x;
}
int main(void) { return leaf(0); }
