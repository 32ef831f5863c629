// If this fails, the message for a clang of another version does not name the plugin that
// fits that clang, or names a file that does not.
// REQUIRES: clang-other
// RUN: not %other_clang -fplugin=%plugin -c %s -o /dev/null 2> %t.error
// RUN: FileCheck %s -DLLVM=%{llvm} -DHOST=%{other_llvm} < %t.error
// CHECK: error: tp: '/{{.*}}/libtp.so' is for clang [[LLVM]], but was loaded into a program of LLVM [[HOST]] ('{{.*}}'); use '/{{.*}}/tp/llvm-[[HOST]]/libtp.so'{{$}}
// CHECK-NOT: {{Stack dump|undefined symbol}}
// RUN: sed "s/.*; use '/-fplugin=/; s/'$//" %t.error > %t.flag
// RUN: %other_clang @%t.flag -fplugin-arg-tp-entry=2 -c %s -o %t.o
// RUN: llvm-readelf -S %t.o | FileCheck %s --check-prefix=SLEDS
// SLEDS: tp_sleds
//
// The link in lib/ names the same file, and so does the pass plugin, where only that is
// loaded.
// RUN: not %other_clang -fplugin=%{libdir}/tp/llvm-%{llvm}/libtp.so -c %s -o /dev/null 2>&1 | FileCheck %s -DLLVM=%{llvm} -DHOST=%{other_llvm}
// RUN: not %other_clang -fpass-plugin=%passplugin -c %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=PASS -DHOST=%{other_llvm}
// PASS: error: tp: '/{{.*}}/libtppass.so' is for {{.*}}; use '/{{.*}}/tp/llvm-[[HOST]]/libtppass.so'{{$}}
void f(void) {}
