// If this fails, an opaque function stays in the object although its only callers
// were removed, or the set of such functions differs between compilations.
//
// RUN: %clangxx -O2 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-opaque -c %s -o %t.o
// RUN: llvm-nm %t.o | FileCheck %s --implicit-check-not=leaf --implicit-check-not=middle
//
// CHECK: T main
__attribute__((always_inline)) static inline bool never() { return false; }
inline int leaf(int X) { return X + 1; }
inline int middle(int X) { return leaf(X) + 1; }

int main(int Count, char **) {
  if (never())
    return leaf(Count);
  if (never())
    return middle(Count);
  return 0;
}
