// A recorded string has at most 256 bytes. Only a longer one has the mark of a string that was cut.
//
// RUN: %clang -O1 -fplugin-arg-tp-entry=2,0 %s -o %t %tprt_flags && rm -f %t.tp
// RUN: env TPRT_OPTIONS="record=%t.tp:take,strings=1" %t
// RUN: %tpctl trace %t.tp | %python -c "import re, sys; [print(len(text), more) for text, more in re.findall(r'\"(a*)\"(\.*)', sys.stdin.read())]" | FileCheck %s
// CHECK: {{^}}255 {{$}}
// CHECK-NEXT: {{^}}256 {{$}}
// CHECK-NEXT: {{^}}256 ...{{$}}
#include <string.h>

__attribute__((noinline)) void take(const char *text) { __asm__ volatile("" ::"r"(text) : "memory"); }

int main(void) {
  char text[300];
  for (int length = 255; length <= 257; ++length) {
    memset(text, 'a', sizeof text);
    text[length] = 0;
    take(text);
  }
  return 0;
}
