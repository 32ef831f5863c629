// If this fails, a version of a function has no sled, or a resolver has one. A resolver
// runs while the loader is still relocating.
// RUN: %clang --target=aarch64-linux-gnu -rtlib=compiler-rt -O1 -fplugin-arg-tp-entry=1 -fplugin-arg-tp-exit -S %s -o - | FileCheck %s
// CHECK-LABEL:   {{^}}version.default:
// CHECK:         .Ltp_sled0:
// CHECK:         .Ltp_exit0:
// CHECK-LABEL:   {{^}}version._Msve2:
// CHECK:         .Ltp_sled1:
// CHECK:         .Ltp_exit1:
// CHECK-LABEL:   {{^}}clones.default:
// CHECK:         .Ltp_sled2:
// CHECK:         .Ltp_exit2:
// CHECK-LABEL:   {{^}}clones._Msve2:
// CHECK:         .Ltp_sled3:
// CHECK:         .Ltp_exit3:
// CHECK-LABEL:   {{^}}version.resolver:
// CHECK-NOT:     .Ltp_
// CHECK-LABEL:   {{^}}clones.resolver:
// CHECK-NOT:     .Ltp_
// CHECK:         .Lfunc_end
__attribute__((target_version("default"))) int version(int X) { return X + 1; }
__attribute__((target_version("sve2"))) int version(int X) { return X + 2; }
__attribute__((target_clones("default", "sve2"))) int clones(int X) { return X + 1; }
int use(void) { return version(1) + clones(2); }
