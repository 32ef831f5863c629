// If this fails, a filter that can be read once only is taken for an empty one, or
// waited for without end.
// DEFINE: %{with} = %clang -fplugin-arg-tp-entry=2 -c %s -o /dev/null -fplugin-arg-tp-filter
// RUN: rm -f %t.fifo && mkfifo %t.fifo && echo "[never]" > %t.filter
// RUN: not %{with}=%t.fifo 2>&1 | FileCheck %s -DFILE=%t.fifo
// RUN: cat %t.filter | not %{with}=/dev/stdin 2>&1 | FileCheck %s -DFILE=/dev/stdin
// RUN: cat %t.filter | not %{with}=/proc/self/fd/0 2>&1 | FileCheck %s -DFILE=/proc/self/fd/0
// CHECK: error: '-fplugin-arg-tp-filter': filter file '[[FILE]]' is not a regular file
// CHECK-SAME: it is read more than once; write the filter to a file
// For code generation's own flags and for tp-select it is the same.
// RUN: %plain_clang -S -emit-llvm %s -o %t.ll
// RUN: not %llc -tp-entry=2 -tp-filter=%t.fifo %t.ll -o /dev/null 2>&1 | FileCheck %s --check-prefix=LLC
// LLC: error: {{.*}}fifo' is not a regular file
// Nothing is wrong with a file by another name, nor with no filter at all.
// RUN: ln -sf %t.filter %t.link
// RUN: %{with}=%t.link
// RUN: %{with}=/dev/stdin < %t.filter
// RUN: %{with}=/dev/null
void f(void) {}
