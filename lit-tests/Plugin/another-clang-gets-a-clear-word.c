// If this fails, a clang for which tp has no plugin crashes with the plugin, or its message
// names a missing symbol instead of the versions that have one.
// REQUIRES: clang-without-plugin
// RUN: not %unsupported_clang -fplugin=%plugin -c %s -o /dev/null 2>&1 | FileCheck %s -DLLVM=%{llvm} -DHOST=%{unsupported_llvm}
// CHECK: error: tp: '/{{.*}}/libtp.so' is for clang [[LLVM]], but was loaded into a program of LLVM [[HOST]] ('{{.*}}'); tp is installed here for clang {{([0-9]+(, | and ))*}}[[LLVM]]{{((, | and )[0-9]+)*}} only{{$}}
// CHECK-NOT: {{Stack dump|undefined symbol}}
void f(void) {}
