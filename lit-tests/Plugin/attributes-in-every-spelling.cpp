// If this fails, one of the spellings is ignored, or its arguments are ignored.
// clang 16 does not parse the arguments of [[tp::entry(2)]].
// REQUIRES: llvm-at-least-17
// RUN: %clangxx -Werror -S -emit-llvm %s -o - | FileCheck %s
// CHECK: define{{.*}} @_Z3gnui({{.*}} [[A:#[0-9]+]]
__attribute__((tp_entry(3, 1))) int gnu(int X) { return X; }
// CHECK: define{{.*}} @_Z3cxxi({{.*}} [[A]]
[[tp::entry(3, 1)]] int cxx(int X) { return X; }
// CHECK: define{{.*}} @_Z5neveri({{.*}} [[N:#[0-9]+]]
[[tp::never]] int never(int X) { return X; }
// CHECK: define{{.*}} @_Z6alwaysi({{.*}} [[D:#[0-9]+]]
[[tp::always]] int always(int X) { return X; }
// CHECK: define{{.*}} @_Z6opaquei({{.*}} [[O:#[0-9]+]]
[[tp::opaque]] int opaque(int X) { return X; }
// CHECK: define{{.*}} @_Z10gnu_opaquei({{.*}} [[O2:#[0-9]+]]
__attribute__((tp_opaque)) int gnu_opaque(int X) { return X; }
// CHECK: define{{.*}} @_Z9gnu_neveri({{.*}} [[N]]
__attribute__((tp_never)) int gnu_never(int X) { return X; }
// CHECK: define{{.*}} @_Z10gnu_alwaysi({{.*}} [[D]]
__attribute__((tp_always)) int gnu_always(int X) { return X; }
// CHECK: define{{.*}} @_Z5plaini({{.*}} [[P:#[0-9]+]]
int plain(int X) { return X; }
// CHECK: attributes [[A]] = {{.*}}"tp-entry"="3,1"
// CHECK: attributes [[N]] = {{.*}}"tp-never"
// CHECK: attributes [[D]] = {{.*}}"tp-entry"="2,0"
// CHECK: attributes [[O]] = {{.*}}"tp-opaque"
// CHECK: attributes [[O2]] = {{.*}}"tp-opaque"
// CHECK: attributes [[P]] =
// CHECK-NOT: "tp-
