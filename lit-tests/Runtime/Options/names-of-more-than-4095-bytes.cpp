// Names may have more than 4095 bytes, in the symbol table or demangled. If this fails, such names
// are silently cut, so that two functions have the same name in a script's table.
//
// RUN: %clangxx -O1 -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: env "TPRT_OPTIONS=count=f*,format=csv" %t 2>&1 | FileCheck %s --check-prefix=CSV
// RUN: env "TPRT_OPTIONS=count=*deep*,format=csv" %t 2>&1 | FileCheck %s --check-prefix=DEEP
// RUN: env "TPRT_OPTIONS=count=*deep*,format=text,names=full,width=5000" %t 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: env "TPRT_OPTIONS=count=*deep*" %t 2>&1 | FileCheck %s --check-prefix=SHORT
//
// CSV: ,1,"fx{{x*}}xa",
// CSV-NEXT: ,1,"fx{{x*}}xb",
//
// DEEP: ,1,"_Z4deepI1P{{.*}}",
//
// TEXT: 1  void deep<P<P<P<{{.*}}…  (names-of
//
// SHORT: 1  void deep<P<{{.*}}…{{[^a-z]*}}  (names-of
#define X10 "xxxxxxxxxx"
#define X100 X10 X10 X10 X10 X10 X10 X10 X10 X10 X10
#define X1000 X100 X100 X100 X100 X100 X100 X100 X100 X100 X100

extern "C" {
__attribute__((noinline)) void fa(void) __asm__("f" X1000 X1000 X1000 X1000 X1000 "a");
__attribute__((noinline)) void fb(void) __asm__("f" X1000 X1000 X1000 X1000 X1000 "b");
void fa(void) { __asm__ volatile(""); }
void fb(void) { __asm__ volatile(""); }
}

template <class A, class B> struct P {};
template <int N> struct Nested { typedef P<typename Nested<N - 1>::Type, typename Nested<N - 1>::Type> Type; };
template <> struct Nested<0> { typedef P<int, long> Type; };
template <class T> __attribute__((noinline)) void deep(T) { __asm__ volatile(""); }

int main() {
  fa();
  fb();
  deep(Nested<9>::Type{});
}
