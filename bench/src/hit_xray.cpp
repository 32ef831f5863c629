// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures XRay's cost for the function and loop of hit.c. The cost per sled is
// half the cost of an entry and exit pair. Prints "name value" lines.
#include "clock.h"
#include "hit_target.h"

#include <cstdio>
#include <xray/xray_interface.h>

extern "C" void hit_xray_handler(int32_t Function, XRayEntryType Kind);

int main() {
  static double Off[HIT_ROUNDS], Empty[HIT_ROUNDS];
  __xray_init();
  __xray_set_handler(hit_xray_handler);
  hit_loop(hit_target);
  for (int I = 0; I < HIT_ROUNDS; ++I) {
    Off[I] = hit_loop(hit_target);
    if (__xray_patch() != SUCCESS)
      return 1;
    Empty[I] = (hit_loop(hit_target) - Off[I]) / 2;
    __xray_unpatch();
  }
  printf("xray_hit_off_loop_ns %.3f\n", tp_bench_median(Off, HIT_ROUNDS));
  printf("xray_hit_empty_ns %.3f\n", tp_bench_median(Empty, HIT_ROUNDS));
}
