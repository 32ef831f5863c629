// Except in signal handlers on a separate stack, only the stack pointer decides whether a
// call is still open. If this fails, a duration inside another duration costs four times as much.
//
// RUN: %tp_clangxx -O2 -ftp-entry=2,0 -ftp-exit %s %tprt_flags -o %t
// RUN: %run %t | FileCheck %s
//
// CHECK: 101 durations, asked 0 times for the alternate stack
#include "tprt/duration.h"
#include <cstdio>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

static int Told, Asked;
extern "C" int sigaltstack(const stack_t *New, stack_t *Old) noexcept {
  ++Asked;
  return int(syscall(SYS_sigaltstack, New, Old));
}
extern "C" __attribute__((noinline)) void inner() { __asm__ volatile(""); }
extern "C" __attribute__((noinline)) void outer() {
  for (int I = 0; I < 100; ++I)
    inner();
  __asm__ volatile("");
}

int main() {
  tprt_selector Both = {.function = "[io]*er"};
  tprt_duration_probe *Durations;
  auto Tell = [](const tprt_duration *, void *) { ++Told; };
  if (tprt_duration_probe_attach(&Both, Tell, nullptr, 0, &Durations, nullptr))
    return std::puts(tprt_error_string());
  Asked = 0;
  outer();
  std::printf("%d durations, asked %d times for the alternate stack\n", Told, Asked);
  return tprt_duration_probe_detach(Durations, -1);
}
