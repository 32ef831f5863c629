// If an entry's jump ends in the bytes of an exit, the exit can only use a trap. The exit's instruction is also a separate
// site. If this fails, both sites are on at once, by one trap or by a jump and a trap. Then hits of one site are lost, or
// the bytes of one site stay in the code.
//
// REQUIRES: x86_64-host
// RUN: gcc -O2 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: the instruction: 10 hits
// CHECK-NEXT: and the exit: no jump fits
// CHECK-NEXT: the exit: 10 hits
// CHECK-NEXT: and the instruction: no jump fits
// CHECK-NEXT: the instruction again: 10 hits
// CHECK-NEXT: the entry and the exit: 20 hits
// CHECK-NEXT: the code is as before
#include "../Inputs/harness.h"
#include <string.h>

// The entry's jump ends in the byte 0xe9, and leads 360 MB back, to unused memory.
__asm__(".text\n.p2align 4\n.skip 20, 0x50\n.type leaves, @function\nleaves:\n.cfi_startproc\nmovq %rdi, %rax\nnop\n.byte 0xe9\n.long next - . - 4\n"
        "ud2\n.cfi_endproc\n.size leaves, . - leaves\n.skip 16, 0x50\n"
        ".type next, @function\nnext:\n.cfi_startproc\nincq %rax\nret\n.cfi_endproc\n.size next, . - next\n.skip 160, 0x50\n");
long leaves(long);

static tprt_probe *on(const char *function, uint32_t kinds, tprt_refusal *refusal) {
  tprt_selector selector = {.function = function, .module = "*/an-exit-and-its*", .kinds = kinds, .flags = TPRT_SELECT_CODE | TPRT_SELECT_TRAPS};
  tprt_action action = {.kind = TPRT_ACTION_COUNT};
  tprt_probe *probe = NULL;
  tprt_result result;
  tprt_probe_attach(&selector, &action, &probe, &result);
  *refusal = result.first_refusal;
  return probe;
}

// While one of the two sites is on, attaches the other one as well.
static void probe(const char *what, const char *function, uint32_t kinds, const char *then, const char *other, uint32_t otherKinds) {
  tprt_refusal refusal;
  tprt_probe *first = on(function, kinds, &refusal), *second = NULL;
  if (other)
    second = on(other, otherKinds, &refusal);
  long wrong = 0;
  for (long i = 0; i < 10; ++i)
    wrong += leaves(i) != i + 1;
  printf("%s: %d hits%s\n", what, (int)tprt_probe_count(first), wrong ? ", wrong results" : "");
  if (other)
    printf("and %s: %s\n", then, second ? "on as well" : tprt_refusal_string(refusal));
  tprt_probe_detach(second, -1);
  tprt_probe_detach(first, -1);
}

int main(void) {
  char before[15];
  memcpy(before, (void *)leaves, sizeof before);
  probe("the instruction", "leaves+4", 0, "the exit", "leaves", TPRT_KIND_SET_EXIT);
  probe("the exit", "leaves", TPRT_KIND_SET_EXIT, "the instruction", "leaves+4", 0);
  probe("the instruction again", "leaves+4", 0, NULL, NULL, 0);
  probe("the entry and the exit", "leaves", TPRT_KIND_SET_ALL, NULL, NULL, 0);
  puts(memcmp(before, (void *)leaves, sizeof before) ? "the code is changed" : "the code is as before");
  return 0;
}
