// If this fails, a wrong argument crashes the compiler or is ignored.
// clang 16 does not parse the arguments of [[tp::entry(2)]].
// REQUIRES: llvm-at-least-17
// RUN: not %clangxx -fno-caret-diagnostics -c %s -o /dev/null 2>&1 | FileCheck %s
// CHECK: :[[@LINE+1]]:{{.*}}error: attribute 'tp_entry': expected N or N,M as integer constants
__attribute__((tp_entry("2"))) void text();
int Value;
// CHECK: :[[@LINE+1]]:{{.*}}error: attribute 'tp_entry': expected N or N,M as integer constants
__attribute__((tp_entry(Value))) void variable();
// CHECK: :[[@LINE+1]]:{{.*}}error: attribute 'tp_entry': expected N or N,M as integer constants
__attribute__((tp_entry(-2))) void negative();
// CHECK: :[[@LINE+1]]:{{.*}}error: attribute 'tp::entry': expected N {{.*}} not dependent on a template
template <int N> [[tp::entry(N)]] void dependent() {}
// CHECK: :[[@LINE+1]]:{{.*}}error: invalid value '65536' in attribute 'tp_entry': expected N or N,M: decimal numbers, N from 0 to 65535
__attribute__((tp_entry(65536))) void huge();
// CHECK: :[[@LINE+1]]:{{.*}}error: attribute 'tp_entry': expected N or N,M as integer constants
__attribute__((tp_entry(4294967298))) void wrapped();
// CHECK: :[[@LINE+1]]:{{.*}}error: invalid value '2,3' in attribute 'tp_entry': expected M
__attribute__((tp_entry(2, 3))) void before();
// CHECK: :[[@LINE+1]]:{{.*}}error: 'tp_entry' attribute takes at least 1 argument
__attribute__((tp_entry)) void none();
// CHECK: :[[@LINE+1]]:{{.*}}error: 'tp_entry' attribute takes no more than 2 arguments
__attribute__((tp_entry(3, 2, 1))) void three();
// CHECK: :[[@LINE+1]]:{{.*}}error: 'tp_never' attribute takes no arguments
__attribute__((tp_never(1))) void never();
// CHECK: :[[@LINE+1]]:{{.*}}error: 'tp_exit' attribute takes no arguments
__attribute__((tp_exit(1))) void exits();
// CHECK: :[[@LINE+1]]:{{.*}}error: '{{(tp::)?}}never' attribute takes no arguments
[[tp::never(1)]] void neverInBrackets();
// CHECK: :[[@LINE+1]]:{{.*}}error: '{{(tp::)?}}exit' attribute takes no arguments
[[tp::exit(1)]] void exitInBrackets();
// CHECK: :[[@LINE+1]]:{{.*}}error: '{{(tp::)?}}always' attribute takes no arguments
[[tp::always(1)]] void alwaysInBrackets();
// CHECK: :[[@LINE+1]]:{{.*}}error: '{{(tp::)?}}opaque' attribute takes no arguments
[[tp::opaque(1)]] void opaqueInBrackets();
// CHECK: :[[@LINE+1]]:{{.*}}error: unknown attribute 'never': expected 'tp::never'
[[never]] void withoutScope();
// CHECK: :[[@LINE+1]]:{{.*}}error: attribute 'tp_entry': expected N or N,M as integer constants
__attribute__((tp_entry(nothing))) void unknown();
// CHECK: :[[@LINE+1]]:{{.*}}error: attribute 'tp_entry': expected N {{.*}} not dependent on a template
template <int M> __attribute__((tp_entry(M))) void dependentName() {}
