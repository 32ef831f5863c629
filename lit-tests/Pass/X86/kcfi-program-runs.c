// If this fails, a program with -fsanitize=kcfi stops at a correct indirect call.
// REQUIRES: x86_64-host
// RUN: %clang -O2 -fsanitize=kcfi -fplugin-arg-tp-entry=2 %s -o %t && %run %t
// RUN: %clang -O2 -fsanitize=kcfi -fplugin-arg-tp-entry=6,2 %s -o %t && %run %t
// RUN: %clang -O2 -fsanitize=kcfi -fcf-protection -fplugin-arg-tp-entry=2,1 %s -o %t && %run %t
int one(int X) { return X - 1; }
int (*volatile Pointer)(int) = one;
int main(void) { return Pointer(1); }
