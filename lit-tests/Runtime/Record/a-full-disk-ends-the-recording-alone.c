// If the file cannot grow any more, recording ends with a message, later events count as lost,
// and the program continues: it gets neither SIGBUS nor SIGXFSZ. Here, a limit on the size of
// files simulates a full disk. The earlier part of the recording can be read.
//
// REQUIRES: tpctl
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s -o %t %tprt_flags
// RUN: rm -f %t.rec && env TPRT_OPTIONS="record=%t.rec:step" %t 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: %tpctl report %t.rec 2>/dev/null | %python -c "import re, sys; a, b = re.search(r'(\d+) events .* (\d+) lost', sys.stdin.read()).groups(); print('sum', int(a) + int(b), int(a) > 300000)" \
// RUN:   | FileCheck %s --check-prefix=SUM
//
// SAID: no more space (disk full, or a limit): the recording has ended
// SAID-NOT: space
// SAID: {{^}}the program goes on{{$}}
// SUM: sum 1000000 True
#include <stdio.h>
#include <sys/resource.h>
__attribute__((noinline)) void step(void) { __asm__ volatile(""); }

int main(void) {
  struct rlimit limit = {4 << 20, 4 << 20};
  setrlimit(RLIMIT_FSIZE, &limit);
  for (int i = 0; i < 500000; ++i)
    step();
  puts("the program goes on");
}
