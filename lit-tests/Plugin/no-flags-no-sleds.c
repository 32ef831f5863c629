// If this fails, loading the plugin changes a program even without flags.
// RUN: %clang -O1 -c %s -o %t.with.o
// RUN: %plain_clang -O1 -c %s -o %t.without.o
// RUN: cmp %t.with.o %t.without.o
int f(int X) { return X + 1; }
