// If this fails, a definition silently gets a sled that differs from its header's
// attribute, and the order of the declarations decides which sled it gets.
// clang 16 does not parse the arguments of [[tp::entry(2)]].
// REQUIRES: llvm-at-least-17
// RUN: not %clangxx -std=c++20 -fno-caret-diagnostics -ferror-limit=0 -fsyntax-only %s 2>&1 | FileCheck %s --implicit-check-not=error:
// CHECK: [[@LINE+3]]:3: error: attribute 'tp::always' contradicts 'tp::never'
// CHECK-NEXT: [[@LINE+1]]:3: note: 'tp::never' stands here
[[tp::never]] void first();
[[tp::always]] void first() {}
// CHECK: [[@LINE+3]]:3: error: attribute 'tp::never' contradicts 'tp::always'
// CHECK-NEXT: [[@LINE+1]]:3: note: 'tp::always' stands here
[[tp::always]] void second();
[[tp::never]] void second() {}
// CHECK: [[@LINE+2]]:3: error: attribute 'tp::entry' contradicts 'tp::entry'
[[tp::entry(5)]] void sizes();
[[tp::entry(2)]] void sizes() {}
struct Class {
  [[tp::exit]] void method();
  __attribute__((tp_always)) friend void near();
};
// CHECK: [[@LINE+1]]:3: error: attribute 'tp::never' contradicts 'tp::exit'
[[tp::never]] void Class::method() {}
// CHECK: [[@LINE+1]]:3: error: attribute 'tp::never' contradicts 'tp_always'
[[tp::never]] void near();
struct [[tp::never]] Marked;
// CHECK: [[@LINE+1]]:10: error: attribute 'tp::exit' contradicts 'tp::never'
struct [[tp::exit]] Marked {};
// CHECK: [[@LINE+2]]:22: error: attribute 'tp::never' contradicts 'tp::always'
template <class T> [[tp::always]] int generic(T);
template <class T> [[tp::never]] int generic(T) { return 1; }
template int generic(int);
// A specialisation is a separate function.
template <class T> [[tp::always]] int special(T) { return 1; }
template <> [[tp::never]] int special(int) { return 2; }
// Declarations that agree do not contradict each other.
[[tp::entry(2)]] void agreed();
[[tp::entry(2, 0)]] [[tp::exit]] void agreed() {}
