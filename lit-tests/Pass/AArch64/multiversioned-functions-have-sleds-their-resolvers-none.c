// If this fails, a version of a function has no sled, or a resolver has one. A resolver
// runs while the loader is still relocating.
// clang 16 has no target_version for AArch64.
// REQUIRES: llvm-at-least-17
// RUN: %clang --target=aarch64-linux-gnu -rtlib=compiler-rt -O1 -fplugin-arg-tp-entry=1 -fplugin-arg-tp-exit -S %s -o %t.s
// DEFINE: %{function} =
// DEFINE: %{show} = sed -n '/^%{function}:/,/^.Lfunc_end/p' %t.s
// REDEFINE: %{function} = version.default
// RUN: %{show} | FileCheck %s
// REDEFINE: %{function} = version._Msve2
// RUN: %{show} | FileCheck %s
// REDEFINE: %{function} = clones.default
// RUN: %{show} | FileCheck %s
// REDEFINE: %{function} = clones._Msve2
// RUN: %{show} | FileCheck %s
// REDEFINE: %{function} = version.resolver
// RUN: %{show} | FileCheck %s --check-prefix=NONE
// REDEFINE: %{function} = clones.resolver
// RUN: %{show} | FileCheck %s --check-prefix=NONE
// CHECK:         .Ltp_sled{{[0-9]+}}:
// CHECK:         .Ltp_exit{{[0-9]+}}:
// CHECK:         .Lfunc_end
// NONE-NOT:      .Ltp_
// NONE:          .Lfunc_end
__attribute__((target_version("default"))) int version(int X) { return X + 1; }
__attribute__((target_version("sve2"))) int version(int X) { return X + 2; }
__attribute__((target_clones("default", "sve2"))) int clones(int X) { return X + 1; }
int use(void) { return version(1) + clones(2); }
