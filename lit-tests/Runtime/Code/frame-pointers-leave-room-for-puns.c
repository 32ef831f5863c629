// Most functions with frame pointers begin with the same five bytes, so their puns all lead 1.14 GiB up. The heap of a
// position-independent program begins up to 1 GiB after the program, at a different address in each run. At any such
// address, the entries must get their puns in spite of the room that is kept free for the heap.
//
// RUN: gcc -O0 -fPIE -pie %s %tprt_flags -o %t
// RUN: bash -c "for run in {1..20}; do %t || exit; done"
#include "../Inputs/harness.h"
#include <string.h>

#define ONE(n)                       \
  long f##n(long v) {                \
    volatile long room[16] = {n, v}; \
    return room[0] + room[1];        \
  }
ONE(1) ONE(2) ONE(3) ONE(4) ONE(5) ONE(6) ONE(7) ONE(8)

int main(void) {
  if (memcmp((const void *)f1, "\x55\x48\x89\xe5\x48", 5)) {
    puts("the compiler begins functions in another way");
    return 1;
  }
  tprt_selector selector = {.function = "f?", .kinds = TPRT_KIND_SET_ENTRY, .module = "*/frame-pointers-leave*",
                            .flags = TPRT_SELECT_CODE | TPRT_SELECT_LOADED};
  tprt_action action = {.kind = TPRT_ACTION_COUNT};
  tprt_probe *probe = NULL;
  tprt_result result;
  tprt_status status = tprt_probe_attach(&selector, &action, &probe, &result);
  long sum = f1(1) + f2(1) + f3(1) + f4(1) + f5(1) + f6(1) + f7(1) + f8(1);
  if (status != TPRT_STATUS_OK || result.matched != 8 || tprt_probe_count(probe) != 8 || sum != 44) {
    printf("%s: %zu matched, %zu refused, %zu counted, sum %ld\n", tprt_error_string(), result.matched, result.refused,
           (size_t)tprt_probe_count(probe), sum);
    return 1;
  }
  return 0;
}
