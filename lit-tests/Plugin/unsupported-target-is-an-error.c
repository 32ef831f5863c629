// If this fails, code for a target without sleds is silently built.
// DEFINE: %{with} = not %clang -fplugin-arg-tp-entry=2 -c %s -o /dev/null
// RUN: %{with} --target=i386-linux-gnu        2>&1 | FileCheck %s -DT=i386-unknown-linux-gnu
// RUN: %{with} --target=x86_64-linux-gnux32   2>&1 | FileCheck %s -DT=x86_64-unknown-linux-gnux32
// RUN: %{with} --target=aarch64_be-linux-gnu  2>&1 | FileCheck %s -DT=aarch64_be-unknown-linux-gnu
// RUN: %{with} --target=x86_64-apple-macosx   2>&1 | FileCheck %s -DT=x86_64-apple-macosx
// RUN: %{with} --target=x86_64-pc-windows-msvc 2>&1 | FileCheck %s -DT=x86_64-pc-windows-msvc
// For IR, clang does not run the plugin; the passes refuse the target.
// RUN: %plain_clang --target=riscv64-linux-gnu -S -emit-llvm %s -o %t.ll
// RUN: not %clang -fplugin-arg-tp-entry=2 --target=riscv64-linux-gnu -c %t.ll -o /dev/null 2>&1 | FileCheck %s -DT=riscv64
// RUN: not %llc -tp-exit %t.ll -o /dev/null 2>&1 | FileCheck %s -DT=riscv64
// RUN: %clang --target=riscv64-linux-gnu -Werror -c %t.ll -o /dev/null
// CHECK: error: tp: no sleds for target '[[T]]{{.*}}': expected x86-64 or little-endian AArch64, ELF
void f(void) {}
