// If this fails, a filter file that can be read only once counts as empty, or the
// compiler waits forever for the file.
// DEFINE: %{with} = %clang -fplugin-arg-tp-entry=2 -c %s -o /dev/null -fplugin-arg-tp-filter
// RUN: rm -f %t.fifo && mkfifo %t.fifo && echo "[never]" > %t.filter
// RUN: not %{with}=%t.fifo 2>&1 | FileCheck %s -DFILE=%t.fifo
// RUN: cat %t.filter | not %{with}=/dev/stdin 2>&1 | FileCheck %s -DFILE=/dev/stdin
// RUN: cat %t.filter | not %{with}=/proc/self/fd/0 2>&1 | FileCheck %s -DFILE=/proc/self/fd/0
// CHECK: error: '-fplugin-arg-tp-filter': filter file '[[FILE]]' is not a regular file
// CHECK-SAME: it is read more than once; write the filter to a file
// llc reads filter files itself, and refuses the same files.
// RUN: %plain_clang -S -emit-llvm %s -o %t.ll
// RUN: not %llc -tp-entry=2 -tp-filter=%t.fifo %t.ll -o /dev/null 2>&1 | FileCheck %s --check-prefix=LLC
// LLC: error: {{.*}}fifo' is not a regular file
// A regular file is accepted by any name, and so is an empty filter.
// RUN: ln -sf %t.filter %t.link
// RUN: %{with}=%t.link
// RUN: %{with}=/dev/stdin < %t.filter
// RUN: %{with}=/dev/null
void f(void) {}
