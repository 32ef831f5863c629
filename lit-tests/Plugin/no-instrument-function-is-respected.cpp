// If this fails, functions that their authors exclude from instrumentation get a
// sled, for example functions that instrumentation itself calls.
// RUN: %clangxx -O1 -fplugin-arg-tp-entry=2 -S %s -o - | FileCheck %s
#define NO __attribute__((no_instrument_function))
struct S { NO int method(); int other(); };
namespace ns {
NO int in_namespace() { return 1; }
}
// CHECK-LABEL: {{^}}_ZN2ns12in_namespaceEv:
// CHECK-NOT: xchgw
// CHECK-LABEL: {{^}}_ZN1S6methodEv:
// CHECK-NOT: xchgw
NO int S::method() { return 1; }
// CHECK-LABEL: {{^}}_ZN1S5otherEv:
// CHECK: xchgw
int S::other() { return 1; }
// CHECK-LABEL: {{^}}_Z8overrulev:
// CHECK: xchgw
NO __attribute__((tp_entry(2))) int overrule() { return 1; }
// CHECK-LABEL: {{^}}_Z7templatIiEiT_:
// CHECK-NOT: xchgw
template <class T> NO int templat(T) { return 1; }
// CHECK: .section
template int templat(int);
