// If this fails, methods of Objective-C get no sleds, or functions that the compiler
// generates for Objective-C's runtime get sleds.
// DEFINE: %{runtime} = gnustep-1.9
// DEFINE: %{with} = %clang -fobjc-runtime=%{runtime} -Wno-objc-root-class -fplugin-arg-tp-entry=2 -fplugin-arg-tp-names
// DEFINE: %{names} = llvm-readelf -p tp_names %t.o | sed -n 's/^.*\] *//p' | sort | FileCheck %s --match-full-lines --implicit-check-not='{{.+}}' --check-prefix
// RUN: %{with} -c %s -o %t.o && %{names} CHECK
// RUN: %{with} -x objective-c++ -c %s -o %t.o && %{names} PLUS
// RUN: printf '[never]\nfun:_i_Thing__work\n' > %t.txt
// RUN: %{with} -fplugin-arg-tp-filter=%t.txt -c %s -o %t.o && %{names} REST
// REDEFINE: %{runtime} = gnustep-2.0
// RUN: %{with} -c %s -o %t.o && %{names} CHECK
// CHECK: _i_Thing__work
// CHECK-NEXT: plain
// PLUS: _Z5plainv
// PLUS-NEXT: _i_Thing__work
// REST: plain
@interface Thing
- (int)work;
@end
@implementation Thing
- (int)work {
  return 1;
}
@end
int plain(void) { return 2; }
// Methods do not accept the attributes, so only a filter can exclude a method.
// RUN: not %{with} -DATTRIBUTE -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=PLACE
// PLACE: {{.*}}error: attribute 'tp_never' applies to functions, classes and namespaces only
#ifdef ATTRIBUTE
@interface Other
- (int)work __attribute__((tp_never));
@end
#endif
