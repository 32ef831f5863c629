// Names, paths and program names are bytes. In JSON, each byte that is not valid UTF-8
// becomes U+FFFD; all other characters stay unchanged.
//
// REQUIRES: x86_64-host
// RUN: %clangxx -O2 -fplugin-arg-tp-entry=2,0 %s -o %t
// RUN: %python -c "import os; os.replace('%t', b'%t' + b'\xff')"
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so TPRT_OPTIONS="count=f_* format=json sort=name output=%t.json" \
// RUN:   %python -c "import os; os.execv(b'%t' + b'\xff', ['tmp'.encode() + b'\xff'])"
// RUN: %python -c "import json; t = json.loads(open('%t.json', 'rb').read().decode('utf-8', 'strict')); \
// RUN:   print(ascii(t['program'][-4:])); [print(ascii(r['function']), ascii(r['linked']), ascii(r['module'][-4:])) for r in t['functions']]" | FileCheck %s
//
// CHECK: 'tmp\ufffd'
// CHECK-NEXT: 'f_1_\xe4_\u20ac_\U0001f600' 'f_1_\xe4_\u20ac_\U0001f600' 'tmp\ufffd'
// CHECK-NEXT: 'f_2_\xe4\ufffd\ufffd'
// CHECK-NEXT: 'f_3_\ufffd\ufffd_overlong'
// CHECK-NEXT: 'f_4_\ufffd\ufffd\ufffd_surrogate'
// CHECK-NEXT: 'f_5_\ufffd\ufffd\ufffd\ufffd_too_large'
// CHECK-NEXT: 'f_6_cut_\ufffd\ufffd'
#define F(n, name)                                                             \
  __attribute__((noinline)) void f##n() asm(name);                             \
  void f##n() { asm volatile(""); }
F(1, "f_1_\xc3\xa4_\xe2\x82\xac_\xf0\x9f\x98\x80")
F(2, "f_2_\xc3\xa4\xff\xfe")
F(3, "f_3_\xc0\xaf_overlong")
F(4, "f_4_\xed\xa0\x80_surrogate")
F(5, "f_5_\xf4\x90\x80\x80_too_large")
F(6, "f_6_cut_\xe2\x82")
int main() { f1(), f2(), f3(), f4(), f5(), f6(); }
