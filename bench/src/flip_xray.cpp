// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same measurement for XRay as flip.c for tp, with the same arguments.
// Calls __xray_patch and __xray_unpatch for all functions. Patches a subset of
// functions one by one, because XRay cannot patch several functions in one
// call.
#include "clock.h"
#include "memory.h"
#include "two_cpus.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <xray/xray_interface.h>

extern "C" void hit_xray_handler(int32_t Function, XRayEntryType Kind);
extern "C" unsigned f_0(unsigned Value);

static volatile int Stop;

static void *busy(void *Unused) {
  tp_bench_keep_to(TP_BENCH_FIRST_CPU);
  while (!Stop)
    f_0(1);
  return Unused;
}

// The microseconds of one flip of `Count` functions: half of off and on again.
static int some(size_t Count) {
  constexpr int Repeats = 101;
  const size_t All = __xray_max_function_id();
  if (!Count || Count > All || __xray_patch() != SUCCESS)
    return 1;
  double Times[Repeats];
  for (double &Time : Times) {
    const double Start = tp_bench_wall();
    for (size_t I = 0; I < Count; ++I)
      __xray_unpatch_function(static_cast<int32_t>(1 + I * (All / Count)));
    for (size_t I = 0; I < Count; ++I)
      __xray_patch_function(static_cast<int32_t>(1 + I * (All / Count)));
    Time = (tp_bench_wall() - Start) / 2;
  }
  printf("some %.4f\n", tp_bench_median(Times, Repeats) * 1e6);
  return 0;
}

int main(int Count, char **Arguments) {
  constexpr int Repeats = 9;
  __xray_init();
  __xray_set_handler(hit_xray_handler);
  pthread_t Thread;
  if (Count > 2 && atoi(Arguments[2])) {
    pthread_create(&Thread, nullptr, busy, nullptr);
    tp_bench_keep_to(TP_BENCH_LAST_CPU);
    const timespec Moment{0, 2000000};
    nanosleep(&Moment, nullptr);
  }
  if (Count > 3 && !strcmp(Arguments[1], "some"))
    return some(strtoul(Arguments[3], nullptr, 10));
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
