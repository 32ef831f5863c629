// Numbers of record --values are numbers in export's SQLite files: a query compares doubles, and large unsigned numbers
// are not negative. If this fails, queries give untrue results.
//
// REQUIRES: tpctl, sqlite3, x86_64-host
// RUN: gcc -g -O2 %s -o %t
// RUN: %tpctl record -q --code --traps -o %t.tp --values 'score, n, m' rate -- %t
// RUN: rm -f %t.db && %tpctl export --format sqlite -o %t.db %t.tp
// RUN: sqlite3 %t.db "SELECT name, value, typeof(value) FROM call_values" | FileCheck %s --match-full-lines
// CHECK: score|0.25|real
// CHECK-NEXT: n|18446744073709551615|text
// CHECK-NEXT: m|-1|integer
// CHECK-NEXT: score|-2.0|real
// CHECK-NEXT: n|9223372036854775807|integer
// CHECK-NEXT: m|1|integer
// CHECK-NEXT: score||null
// CHECK-NEXT: n|9223372036854775808|text
// CHECK-NEXT: m|0|integer
// RUN: sqlite3 %t.db "SELECT 'above:', count(*) FROM call_values WHERE name = 'score' AND value > 0.5" | FileCheck %s --check-prefix=ABOVE
// ABOVE: above:|0
// RUN: sqlite3 %t.db "SELECT 'large:', count(*) FROM call_values WHERE name = 'n' AND value > 9223372036854775807" | FileCheck %s --check-prefix=LARGE
// LARGE: large:|2

__attribute__((noinline, used)) int rate(double score, unsigned long n, long m) {
  __asm__ volatile("" : "+r"(n), "+r"(m) : "x"(score) : "memory");
  return n != 0;
}

int main(void) {
  rate(0.25, ~0ul, -1);
  rate(-2, ~0ul >> 1, 1);
  rate(__builtin_nan(""), 1ul << 63, 0);
  return 0;
}
