// Tables in CSV and JSON have all rows. A reader of CSV or JSON gets every quote, backslash and
// comma of a name unchanged.
//
// RUN: %clangxx -O2 -fplugin-arg-tp-entry=2,0 %s -o %t
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so TPRT_OPTIONS="count=* format=csv sort=name output=%t.csv" %t
// RUN: %python -c "import csv; [print(r['calls'], r['function'], r['module'][-3:]) for r in csv.DictReader(open('%t.csv'))]" | FileCheck %s
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so TPRT_OPTIONS="count=* format=json sort=name output=%t.json" %t
// RUN: %python -c "import json; t = json.load(open('%t.json')); print(t['calls'], 'calls', t['watched'], t['table']); \
// RUN:   [print(r['calls'], r['function'], r['module'][-3:], r['linked']) for r in t['functions']]" | FileCheck %s --check-prefixes=JSON,CHECK
//
// JSON: 33 calls 4 count
// CHECK: 30 f(long, int) tmp
// CHECK-NEXT: 1 main tmp
// CHECK-NEXT: 1 operator"" _km(unsigned long long) tmp
// CHECK-NEXT: 1 with\backslash"quote tmp
#include <stdexcept>
__attribute__((noinline)) int f(long a, int b) { asm volatile(""); return int(a) + b; }
__attribute__((noinline)) int operator""_km(unsigned long long a) { asm volatile(""); return int(a); }
__attribute__((noinline)) int strange(int) asm("with\\backslash\"quote");
int strange(int a) { asm volatile(""); return a; }
int main(int argc, char **) {
  if (argc > 5)
    throw std::runtime_error("libstdc++ is there");
  int sum = strange(1) + 2_km;
  for (int i = 0; i < 30; ++i)
    sum += f(i, 1);
  return sum == 3 + 435 + 30 ? 0 : 1;
}
