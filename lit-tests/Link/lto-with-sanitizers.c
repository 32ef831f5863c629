// If this fails, the symbol by which bitcode requires the pass stays in the final code.
// REQUIRES: lld, x86_64-host
// Fat objects exist since clang 17.
// RUN: %if llvm-at-least-17 %{ %clang -O1 -flto -ffat-lto-objects -fplugin-arg-tp-entry=2 -c %s -o %t.o %}
// RUN: %if llvm-at-least-17 %{ %plain_clang %t.o -o %t && %run %t %}
// RUN: %clang -O1 -flto -fsanitize=address -fplugin-arg-tp-entry=2 -c %s -o %t.o
// RUN: %plain_clang -flto -fsanitize=address %use_lld -Wl,--load-pass-plugin=%passplugin %t.o -o %t
// RUN: %run %t
int main(void) { return 0; }
