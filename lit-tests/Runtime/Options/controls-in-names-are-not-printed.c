// If this fails, a program's symbol can send any control sequence to the terminal on which a user reads a table of
// TPRT_OPTIONS, and can forge lines of the table.
// REQUIRES: tprt, x86_64-host
// RUN: %plain_clang -O1 %s -o %t.plain && %python -c "d = open('%t.plain', 'rb').read(); open('%t', 'wb').write(d.replace(b'x' * 24, b'\x1b[31mred\nfake\xc2\x9b31m'.ljust(24, b'_')))" && chmod +x %t
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so TPRT_OPTIONS="count=*tmp!*_ code=1" %t 2>&1 | FileCheck %s
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so TPRT_OPTIONS="print=*tmp!*_ code=1" %t 2>&1 | FileCheck %s
// CHECK-NOT: {{^fake}}
// CHECK: ?[31mred{{[? ]}}fake??31m______{{: entered|  \(}}
__attribute__((noinline)) int xxxxxxxxxxxxxxxxxxxxxxxx(int n) {
  __asm__ volatile("nop; nop; nop; nop; nop" ::: "memory");
  return n;
}
int main(void) { return xxxxxxxxxxxxxxxxxxxxxxxx(1) - 1; }
