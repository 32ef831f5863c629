// A jump through a thunk (GCC's -mindirect-branch=thunk) looks like a jump to another function. If this fails, each
// jump of a switch or to a label counts as an exit, and the durations of such functions are wrong.
//
// REQUIRES: x86_64-host
// RUN: gcc -O2 -mindirect-branch=thunk -fjump-tables %s %tprt_flags -o %t.out
// RUN: %t.out | FileCheck %s
// RUN: gcc -O2 -mindirect-branch=thunk-inline -fjump-tables %s %tprt_flags -o %t.inline
// RUN: %t.inline | FileCheck %s
// RUN: gcc -O0 -no-pie -mindirect-branch=thunk -fjump-tables %s %tprt_flags -o %t.fixed
// RUN: %t.fixed | FileCheck %s
//
// CHECK: interpret: 1000 entries, 1000 exits
// CHECK: choose: 1000 entries, 1000 exits
// CHECK: pass_on: 1000 entries, 1000 exits
#include "../Inputs/harness.h"

__attribute__((noipa)) long interpret(const unsigned char *code, long x) {
  static const void *const labels[] = {&&add, &&multiply, &&negate, &&end};
  volatile long kept[2] = {x, 3};
  goto *labels[*code++];
add:
  x += kept[0];
  goto *labels[*code++];
multiply:
  x *= kept[1];
  goto *labels[*code++];
negate:
  x = -x;
  goto *labels[*code++];
end:
  return x + kept[1];
}

__attribute__((noipa)) long choose(int what, long x) {
  switch (what) {
  case 0:
    return x + 5;
  case 1:
    return x * 7;
  case 2:
    return x ^ 0x55;
  case 3:
    return x - 9;
  case 4:
    return x / 3;
  case 5:
    x += what;
    break;
  default:
    return 0;
  }
  return x * x;
}

// A call through a pointer at the function's end is an exit.
__attribute__((noipa)) long pass_on(long (*to)(int, long), int what, long x) { return to(what, x); }

int main(void) {
  static const unsigned char code[] = {0, 1, 0, 2, 1, 1, 0, 2, 3};
  const char *const names[] = {"interpret", "choose", "pass_on"};
  tprt_probe *entries[3] = {0}, *exits[3] = {0};
  for (int i = 0; i < 3; ++i) {
    tprt_selector selector = {
        .function = names[i], .kinds = TPRT_KIND_SET_ENTRY, .flags = TPRT_SELECT_CODE | TPRT_SELECT_TRAPS};
    tprt_action action = {.kind = TPRT_ACTION_COUNT};
    tprt_probe_attach(&selector, &action, &entries[i], NULL);
    selector.kinds = TPRT_KIND_SET_EXIT;
    tprt_probe_attach(&selector, &action, &exits[i], NULL);
  }
  long sum = 0;
  for (int i = 0; i < 1000; ++i) {
    sum += interpret(code, i);
    sum += pass_on(choose, i % 7, i);
  }
  for (int i = 0; i < 3; ++i)
    printf("%s: %llu entries, %llu exits\n", names[i], (unsigned long long)tprt_probe_count(entries[i]),
           (unsigned long long)tprt_probe_count(exits[i]));
  return sum == 0;
}
