// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// XRay's side of flip.c: __xray_patch and __xray_unpatch of the same functions.
#include "clock.h"
#include "memory.h"

#include <cstdio>
#include <xray/xray_interface.h>

extern "C" void hit_xray_handler(int32_t Function, XRayEntryType Kind);
extern "C" unsigned f_0(unsigned Value);

int main() {
  constexpr int Repeats = 9;
  __xray_init();
  __xray_set_handler(hit_xray_handler);
  double Start = tp_bench_wall();
  if (__xray_patch() != SUCCESS)
    return 1;
  const double First = tp_bench_wall() - Start;
  f_0(1);
  const double Dirty = tp_bench_dirty_bytes();
  double Off[Repeats], On[Repeats], Both[Repeats];
  for (int I = 0; I < Repeats; ++I) {
    Start = tp_bench_wall();
    __xray_unpatch();
    const double Middle = tp_bench_wall();
    __xray_patch();
    const double End = tp_bench_wall();
    Off[I] = Middle - Start, On[I] = End - Middle, Both[I] = End - Start;
  }
  __xray_unpatch();
  printf("sites %zu\ndirty_bytes %.0f\nfirst %.4f\noff %.4f\non %.4f\nreflip "
         "%.4f\n",
         __xray_max_function_id(), Dirty, First * 1e3,
         tp_bench_median(Off, Repeats) * 1e3,
         tp_bench_median(On, Repeats) * 1e3,
         tp_bench_median(Both, Repeats) * 1e3);
}
