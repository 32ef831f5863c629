// If this fails, a handler at an entry, a return or a tail call destroys an
// argument or result at an unusual place: on the x87 stack, in whole vector
// registers, or in registers that are usually scratch.
//
// REQUIRES: x86_64-host
// RUN: %clangxx -O2 %s -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: all right
#include "../Inputs/harness.h"
#include "../../Inputs/spoil.h"
#include <cstdarg>
#include <cstdio>

#ifndef BYTES
#define BYTES 16
#endif
typedef double Vector __attribute__((vector_size(BYTES)));
typedef _Complex long double Complex;
struct Four { double a, b, c, d; };
struct Vectors { Vector a, b; };
struct Mixed { double a; long b; };
struct Floats { float a, b, c; };
struct One { long double a; };

#define TRACED extern "C" __attribute__((noinline))
#define WITH(convention) TRACED __attribute__((convention))
#define HIDE(x) __asm__ volatile("" : "+r"(x))

TRACED long double extended(long double x, int z) { HIDE(z); return x + z; }
TRACED Complex complex(long double a, long double b, int z) {
  HIDE(z);
  Complex r;
  __real__ r = a + z, __imag__ r = b;
  return r;
}
TRACED One inStruct(long double x, int z) { HIDE(z); return {x + z}; }
TRACED Complex tailComplex(long double a, long double b, int z) { HIDE(z); return complex(b, a, z); }
TRACED Vector vector(Vector a, Vector b, int z) { HIDE(z); return a - b * z; }
TRACED Vector eight(Vector a, Vector b, Vector c, Vector d, Vector e, Vector f, Vector g, Vector h, int z) {
  HIDE(z);
  return (a + b + c + d + e + f + g + h) * z;
}
TRACED Vector tailVector(Vector a, Vector b, int z) { HIDE(z); return vector(b, a, z); }
TRACED Mixed mixed(Mixed x, int z) { HIDE(z); return {x.a + z, x.b + z}; }
TRACED Floats floats(Floats x, int z) { HIDE(z); return {x.a + z, x.b + z, x.c + z}; }
TRACED double variadic(int n, ...) {
  va_list list;
  va_start(list, n);
  double sum = 0;
  while (n--)
    sum += va_arg(list, double);
  va_end(list);
  return sum;
}
WITH(vectorcall) Vector vectorCall(Vector a, Vector b, Vector c, Vector d, Vector e, Vector f, int z) {
  HIDE(z);
  return (a + b + c + d + e + f) * z;
}
WITH(vectorcall) Four four(Four x, double y, int z) { HIDE(z); return {x.a + y, x.b + y, x.c + y, x.d + z}; }
WITH(vectorcall) Vectors vectors(Vectors x, int z) { HIDE(z); return {x.a + z, x.b - z}; }
WITH(regcall) long regCall(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j, double x,
                           Vector v) {
  HIDE(a);
  return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j + (long)x + (long)v[1];
}
WITH(regcall) Four regFour(Four x, int z) { HIDE(z); return {x.a + z, x.b + z, x.c + z, x.d + z}; }
WITH(ms_abi) long microsoft(long a, double b, long c, double d, long e) {
  HIDE(a);
  return a + 2 * (long)b + 3 * c + 4 * (long)d + 5 * e;
}
WITH(preserve_most) long preserving(long a, long b) { HIDE(a); return a - b; }
#define COUNT 17 // calls by run(), and two by tail calls

static int hits[3];
__attribute__((tp_never)) static void onHit(const tprt_event *event, const tprt_regs *, void *) {
  ++hits[event->kind];
  spoil();
}

__attribute__((tp_never)) static Vector of(double x) {
  Vector v;
  for (unsigned i = 0; i < BYTES / sizeof(double); ++i)
    v[i] = x * (i + 1);
  return v;
}

static int faults;
__attribute__((tp_never)) static void expect(bool good, const char *what) {
  if (!good)
    ++faults, printf("wrong: %s\n", what);
}
__attribute__((tp_never)) static void expect(Vector got, double x, double more, const char *what) {
  for (unsigned i = 0; i < BYTES / sizeof(double); ++i)
    expect(got[i] == x * (i + 1) + more, what);
}

__attribute__((tp_never)) static void run() {
  expect(extended(2, 1) == 3, "long double");
  Complex c = complex(4, 7, 1);
  expect(__real__ c == 5 && __imag__ c == 7, "complex long double");
  expect(inStruct(2, 1).a == 3, "long double in a struct");
  c = tailComplex(4, 7, 1);
  expect(__real__ c == 8 && __imag__ c == 4, "complex long double by a tail call");
  expect(vector(of(9), of(2), 3), 3, 0, "vector");
  expect(eight(of(1), of(2), of(3), of(4), of(5), of(6), of(7), of(8), 2), 72, 0, "eight vectors");
  expect(tailVector(of(2), of(9), 3), 3, 0, "vector by a tail call");
  Mixed m = mixed({1, 2}, 3);
  expect(m.a == 4 && m.b == 5, "struct in two kinds of registers");
  Floats f = floats({1, 2, 3}, 4);
  expect(f.a == 5 && f.b == 6 && f.c == 7, "struct in two vector registers");
  expect(variadic(9, 1., 2., 3., 4., 5., 6., 7., 8., 9.) == 45, "variadic");
  expect(vectorCall(of(1), of(2), of(3), of(4), of(5), of(6), 2), 42, 0, "vectorcall");
  Four h = four({1, 2, 3, 4}, 10, 5);
  expect(h.a == 11 && h.b == 12 && h.c == 13 && h.d == 9, "vectorcall, aggregate of doubles");
  Vectors v = vectors({of(1), of(2)}, 3);
  expect(v.a, 1, 3, "vectorcall, first of two vectors"), expect(v.b, 2, -3, "vectorcall, second");
  expect(regCall(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, of(6)) == 385 + 11 + 12, "regcall");
  h = regFour({1, 2, 3, 4}, 1);
  expect(h.a == 2 && h.b == 3 && h.c == 4 && h.d == 5, "regcall, aggregate");
  expect(microsoft(1, 2, 3, 4, 5) == 55, "ms_abi");
  expect(preserving(7, 4) == 3, "preserve_most");
}

__attribute__((tp_never)) int main() {
  run();
  expect(!faults, "something before the attach");
  tprt_probe *probe = attachSelected({.kinds = TPRT_KIND_SET_ALL}, {.handler = onHit});
  for (int i = 0; i < 10; ++i)
    run();
  tprt_probe_detach(probe, -1);
  expect(hits[0] == 10 * (COUNT + 2) && hits[1] + hits[2] == hits[0] && hits[2], "number of hits");
  printf("%d entries, %d exits, %d tail calls\n", hits[0], hits[1], hits[2]);
  puts(faults ? "not so" : "all right");
}
