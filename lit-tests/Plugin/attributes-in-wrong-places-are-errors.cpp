// If this fails, an attribute in a place where it has no effect is accepted without a message.
// RUN: not %clangxx -std=c++20 -fno-caret-diagnostics -c %s -o /dev/null 2>&1 | FileCheck %s
// CHECK: :[[@LINE+1]]:{{.*}}error: attribute 'tp_entry' applies to functions, classes and namespaces only
__attribute__((tp_entry(2))) int Variable;
// CHECK: :[[@LINE+1]]:{{.*}}error: attribute 'tp::entry' applies to functions, classes and namespaces only
enum [[tp::entry(2)]] Type {};
// CHECK: :[[@LINE+1]]:{{.*}}error: attribute 'tp_never' applies to functions, classes and namespaces only
typedef int Alias __attribute__((tp_never));
// CHECK: :[[@LINE+1]]:{{.*}}error: attribute 'tp::always' applies to functions, classes and namespaces only
void statement() { [[tp::always]]; }
// CHECK: :[[@LINE+1]]:{{.*}}error: unknown attribute 'entry': expected 'tp::entry'
[[entry(2)]] void unscoped();
// CHECK: :[[@LINE+1]]:{{.*}}error: attribute 'tp_entry': a naked function gets no sled
__attribute__((naked, tp_entry(2))) void naked();
