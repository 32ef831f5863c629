// A program without C++ may open a library whose C++ library is in a scope of its own. libtprt.so
// stands in front of that, too, and has to find it when the library catches an exception.
//
// RUN: split-file %s %t.d
// RUN: %clangxx -O2 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit -shared -fPIC %t.d/plugin.cpp -o %t.so
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %t.d/main.c -o %t %tprt_flags -ldl
// RUN: %t %t.so | FileCheck %s
// RUN: rm -f %t.rec && env TPRT_OPTIONS="record=%t.rec:*_" %t %t.so | FileCheck %s
// RUN: %tpctl trace %t.rec | FileCheck %s --check-prefix=TRACE
//
// CHECK: caught 5
// TRACE: catching_ {
// TRACE: throwing_
// TRACE-NOT: {
// TRACE: } catching_

//--- plugin.cpp
static volatile int sink;
extern "C" __attribute__((noinline)) void throwing_() {
  if (!sink)
    throw 5;
}
extern "C" __attribute__((noinline)) int catching_() {
  try {
    throwing_();
  } catch (int number) {
    return number;
  }
  return 0;
}
//--- main.c
#include <dlfcn.h>
#include <stdio.h>
int main(int count, char **arguments) {
  void *library = dlopen(arguments[count - 1], RTLD_NOW | RTLD_LOCAL);
  int (*catching)(void) = (int (*)(void))dlsym(library, "catching_");
  printf("caught %d\n", catching());
}
