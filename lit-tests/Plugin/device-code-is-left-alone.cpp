// If this fails, a CUDA program cannot be built with the plugin: its device code is for a target
// without sleds. (sm_52 works without a toolkit, which would select the PTX version.)
// RUN: %clangxx -fplugin-arg-tp-entry=2 -x cuda --cuda-device-only --cuda-gpu-arch=sm_52 -nocudainc -nocudalib -S -emit-llvm %s -o - 2>&1 | FileCheck %s
// CHECK-NOT: error
// CHECK-NOT: tp-entry
// CHECK: define{{.*}}kernel
__attribute__((global)) void kernel() {}
