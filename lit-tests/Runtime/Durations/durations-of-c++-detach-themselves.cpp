// tprt::DurationProbe calls any callable, detaches at the end of its scope, may be
// moved, gives the reason for the status PARTIAL, and survives being destroyed in a handler.
//
// RUN: %clangxx -std=c++17 -O2 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s %tprt_flags -o %t
// RUN: %run %t | FileCheck %s
//
// CHECK:      attached: 3 calls of 1 30 2, as long as they took, depth 0
// CHECK-NEXT: after its scope: 3 calls
// CHECK-NEXT: moved: 1 call
// CHECK-NEXT: PARTIAL: {{.*}}first open_end
// CHECK-NEXT: destroyed inside: 1 call
// CHECK-NEXT: none: not attached, none of the {{.*}} sites matches nosuch
#include "tprt/tprt.hpp"
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

extern "C" __attribute__((noinline)) void wait(unsigned n) {
  for (volatile unsigned i = 0; i < n * 100000; ++i) {
  }
}
extern "C" void open_end() { std::exit(3); } // this function has no exit, as it never returns

int main() {
  int calls = 0;
  {
    uint64_t sum = 0;
    uint32_t depth = 9;
    std::string arguments;
    tprt::DurationProbe durations(tprt::select("wait"), [&](const tprt::Duration &call) {
      ++calls;
      depth = call.depth();
      if (!call.isAbandoned() && !call.isTail())
        sum += call.nanoseconds(), arguments += " " + std::to_string(call.argument(0));
    });
    if (!durations || durations.status() != TPRT_STATUS_OK)
      return std::puts(durations.error().c_str());
    auto begin = std::chrono::steady_clock::now();
    wait(1), wait(30), wait(2);
    std::chrono::nanoseconds passed = std::chrono::steady_clock::now() - begin;
    // The rate of the counter for durations is known to a thousandth.
    bool isRight = sum && sum <= (uint64_t)passed.count() * 1.01;
    std::printf("attached: %d calls of%s, %s they took, depth %u\n", calls, arguments.c_str(), isRight ? "as long as" : "not what", depth);
  }
  wait(1);
  std::printf("after its scope: %d calls\n", calls);
  calls = 0;
  tprt::DurationProbe kept;
  {
    tprt::DurationProbe durations(tprt::select("wait"), [&calls](const tprt::Duration &) { ++calls; });
    kept = std::move(durations);
  }
  wait(1);
  std::printf("moved: %d call\n", calls);
  tprt::DurationProbe some(tprt::select("open_*"), [](const tprt::Duration &) {});
  std::printf("%s: %s\n", some && some.status() == TPRT_STATUS_PARTIAL ? "PARTIAL" : "not PARTIAL", some.error().c_str());
  static std::unique_ptr<tprt::DurationProbe> own;
  static int told;
  own = std::make_unique<tprt::DurationProbe>(tprt::select("wait"), [](const tprt::Duration &) {
    ++told;
    own.reset();
  });
  wait(1);
  tprt::DurationProbe none(tprt::select("nosuch"), [](const tprt::Duration &) {}); // detaches it
  wait(1);
  std::printf("destroyed inside: %d call\n", told);
  std::printf("none: %s, %s\n", none ? "attached" : "not attached", none.error().c_str());
}
