// If this fails, GNU as puts a fence or nops at the recorded address of the return. An
// attach then overwrites them, or refuses the site long after the mistake.
// GNU as refuses what clang 16 writes for sections that are linked to others and in groups.
// REQUIRES: llvm-at-least-17
// DEFINE: %{option} =
// DEFINE: %{with} = %clang -fno-integrated-as -Wa,%{option} -O1 -c %s -o %t.o
// REDEFINE: %{option} = -mlfence-before-ret=not
// RUN: not %{with} -fplugin-arg-tp-exit 2>&1 | FileCheck %s
// RUN: %{with} -fplugin-arg-tp-entry=2
// REDEFINE: %{option} = -malign-branch-boundary=32,-malign-branch=ret
// RUN: not %{with} -fplugin-arg-tp-exit 2>&1 | FileCheck %s
// RUN: %{with} -fplugin-arg-tp-entry=2
// CHECK: Error: tp: the assembler puts something before a return with an exit sled
// Clang's own assembler reports the same error for such assembly text.
// RUN: %clang -O1 -fplugin-arg-tp-exit -S %s -o %t.s
// RUN: not %plain_clang -malign-branch-boundary=32 -malign-branch=ret -c %t.s -o %t.o 2>&1 | FileCheck %s --check-prefix=OWN
// OWN: error: tp: the assembler puts
// RUN: %plain_clang -c %t.s -o %t.o
int f(int X) { return X + 1; }
int g(int X) { return X + 2; }
