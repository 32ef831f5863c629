// If this fails, code for a target without sleds is silently built.
// DEFINE: %{with} = not %clang -fplugin-arg-tp-entry=2 -c %s -o /dev/null
// RUN: %{with} --target=i386-linux-gnu        2>&1 | FileCheck %s -DT=i386-unknown-linux-gnu
// RUN: %{with} --target=x86_64-linux-gnux32   2>&1 | FileCheck %s -DT=x86_64-unknown-linux-gnux32
// RUN: %{with} --target=aarch64_be-linux-gnu  2>&1 | FileCheck %s -DT=aarch64_be-unknown-linux-gnu
// RUN: %{with} --target=powerpc64-linux-gnu   2>&1 | FileCheck %s -DT=powerpc64-unknown-linux-gnu
// RUN: %{with} --target=powerpcle-linux-gnu   2>&1 | FileCheck %s -DT=powerpcle-unknown-linux-gnu
// RUN: %{with} --target=x86_64-apple-macosx   2>&1 | FileCheck %s -DT=x86_64-apple-macosx
// RUN: %{with} --target=x86_64-pc-windows-msvc 2>&1 | FileCheck %s -DT=x86_64-pc-windows-msvc
// For IR, clang does not run the plugin; the passes refuse the target.
// RUN: %plain_clang --target=riscv64-linux-gnu -S -emit-llvm %s -o %t.ll
// RUN: not %clang -fplugin-arg-tp-entry=2 --target=riscv64-linux-gnu -c %t.ll -o /dev/null 2>&1 | FileCheck %s -DT=riscv64
// RUN: not %llc -tp-exit %t.ll -o /dev/null 2>&1 | FileCheck %s -DT=riscv64
// RUN: %clang --target=riscv64-linux-gnu -Werror -c %t.ll -o /dev/null
// CHECK: error: tp: no sleds for target '[[T]]{{.*}}': expected x86-64, little-endian AArch64 or little-endian PowerPC64, ELF
// The older ABI of PowerPC64 is refused where its code is generated.
// RUN: %{with} --target=powerpc64le-linux-gnu -mabi=elfv1 2>&1 | FileCheck %s --check-prefix=ELFV1
// RUN: %plain_clang --target=powerpc64le-linux-gnu -S -emit-llvm %s -o %t.ppc.ll
// RUN: not %llc -target-abi=elfv1 -tp-exit %t.ppc.ll -o /dev/null 2>&1 | FileCheck %s --check-prefix=ELFV1
// RUN: %llc -target-abi=elfv2 -tp-exit %t.ppc.ll -o /dev/null
// RUN: %clang --target=powerpc64le-linux-gnu -mabi=elfv1 -Werror -c %s -o /dev/null
// ELFV1: error: tp: no sleds with -mabi=elfv1 on little-endian PowerPC64: use -mabi=elfv2
void f(void) {}
