// trace --print args and record --values args show all arguments of each function by their names and types, as ltrace
// does; what cannot be shown is said. buf() shows bytes. If this fails, arguments are missing, untyped or untrue.
//
// REQUIRES: tpctl
// RUN: %clang -O1 -g -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s -o %t
// RUN: %tpctl trace send_mail none --print args -- %t 2>&1 | FileCheck %s --check-prefix=ENTRY
// ENTRY: send_mail  to="you", urgency=URGENT, size=3, ratio=0.5, is_html=true, mark='x'{{$}}
// ENTRY: none{{$}}
// RUN: %tpctl trace many --print args -- %t 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: note: args shows the arguments of many without i, j (at most 8 values are possible), p (no number, address or text that can be read){{$}}
// MANY: many  a=1, b=2, c=3, d=4, e=5, f=6, g=7, h=8{{$}}
// RUN: %tpctl trace many --print 'arg1, args, arg0' -- %t 2>&1 | FileCheck %s --check-prefix=AMONG
// AMONG: without g, h, i, j (at most 8
// AMONG: many  arg1=0xc, a=1, b=2, c=3, d=4, e=5, f=6, arg0=0xb{{$}}
//
// Without debug information, the prototype says what is a string.
// RUN: %clang -O1 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s -o %t.plain
// RUN: %tpctl trace --code 'libc*!setenv' --print args -- %t.plain 2>&1 | FileCheck %s --check-prefix=KNOWN
// KNOWN: setenv{{.*}}  name="name", value="text", overwrite=1{{( {)?$}}
// RUN: not %tpctl trace many --print args -- %t.plain 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN:      error: --print: the arguments are not known, because {{.*}}; write arg0, arg1 ...
// UNKNOWN-NEXT: args
// UNKNOWN-NEXT: ^~~~
// RUN: not %tpctl count many --by args -- %t 2>&1 | FileCheck %s --check-prefix=KEY
// KEY: error: --by: 'args' is only a value alone of trace --print and record --values; name one argument
//
// RUN: %tpctl trace put --print 'buf(bytes, count), buf(bytes, count - 2), buf(bytes, -1), buf((char *)8, 1), buf(bytes, 300)' -- %t 2>&1 | FileCheck %s --check-prefix=BUF
// BUF: put  buf(bytes, count)="a\x00\x22\x5c\x0a\xffz", buf(bytes, count - 2)="a\x00\x22\x5c\x0a", buf(bytes, -1)=?, buf((char *)8, 1)=?, buf(bytes, 300)="a\x00\x22{{.*}}"...{{$}}
// BUF: put  buf(bytes, count)="", buf(bytes, count - 2)=?
// RUN: rm -f %t.tp && %tpctl record -q -o %t.tp put --values 'buf(bytes, count)' -- %t
// RUN: %tpctl trace %t.tp 2>&1 | FileCheck %s --check-prefix=FILE
// FILE: put  buf(bytes, count)="a\x00\x22\x5c\x0a\xffz"
// RUN: %tpctl export --format chrome %t.tp | %python -m json.tool --compact | FileCheck %s --check-prefix=CHROME
// CHROME: "values":{"buf(bytes, count)":"a\\x00\\x22\\x5c\\x0a\\xffz"}
// RUN: %tpctl count put --by 'buf(bytes, 3), buf(bytes, count)' -- %t 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT-DAG: a\x00\x22 {{ *}}a\x00\x22\x5c\x0a\xffz
// COUNT-DAG: a\x00\x22 {{ *}}""
// RUN: not %tpctl count put --if 'buf(bytes, count) == 3' -- %t 2>&1 | FileCheck %s --check-prefix=ALONE
// ALONE: error: --if: buf(bytes, count) can only be a key or a value alone; compare numbers that you read, as in *(int *)bytes
// RUN: not %tpctl count put --by 'buf(bytes)' -- %t 2>&1 | FileCheck %s --check-prefix=LENGTH
// LENGTH:      error: --by: the number of bytes is missing, as in buf(arg1, arg2)
// LENGTH-NEXT: buf(bytes)
// LENGTH-NEXT: {{^ +\^$}}
//
// Globals of the outermost scope, truth values, constants, and why a global cannot be read.
// RUN: %tpctl count put --if '::total == 5 && (count == 7) == true && count != false' -- %t 2>&1 | FileCheck %s --check-prefix=GLOBAL
// GLOBAL: {{^ *}}1 {{.*}}put{{$}}
// RUN: not %tpctl count put --by own -- %t 2>&1 | FileCheck %s --check-prefix=OWN
// OWN: error: --by: 'own' cannot be read: each thread has its own, and the debug information does not tell where
#include <stdlib.h>

#define KEPT __attribute__((noinline, used))
enum urgency { LATER, URGENT };
struct pair {
  long first, second;
};
int total = 5;
_Thread_local int own;

KEPT void send_mail(char *to, enum urgency urgency, unsigned size, double ratio, _Bool is_html, char mark) {
  __asm__ volatile("" ::"r"(to), "r"(urgency), "r"(size), "x"(ratio), "r"((int)is_html), "r"((int)mark) : "memory");
}
KEPT void none(void) { __asm__ volatile("" ::: "memory"); }
KEPT long many(struct pair p, int a, int b, int c, int d, int e, int f, int g, int h, int i, int j) {
  __asm__ volatile("" ::"r"(a), "r"(b), "r"(c), "r"(d) : "memory");
  return p.first + p.second + a + b + c + d + e + f + g + h + i + j + own;
}
KEPT void put(const void *bytes, long count) { __asm__ volatile("" ::"r"(bytes), "r"(count) : "memory"); }

int main(void) {
  static const char bytes[512] = "a\0\"\\\n\xffz";
  send_mail("you", URGENT, 3, 0.5, 1, 'x');
  none();
  many((struct pair){11, 12}, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
  put(bytes, 7);
  put(bytes, 0);
  return setenv("name", "text", 1);
}
