// A detach inside a handler is refused and keeps the callable; a later detach destroys the
// callable. If the probe object is destroyed inside a handler, the callable is also kept, and is
// still called until a probe is created or detached outside a handler.
//
// RUN: %clangxx -std=c++17 -O2 -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %run %t | FileCheck %s
//
// CHECK: refused inside: 0 destroyed
// CHECK: detached later: 1 destroyed
// CHECK: left behind: 1 destroyed, 2 hits
// CHECK: another probe: 2 destroyed, 2 hits
#include "tprt/tprt.hpp"
#include <cstdio>
#include <memory>

extern "C" __attribute__((noinline)) void f() { __asm__ volatile(""); }

static int destroyed, hits;
static std::unique_ptr<tprt::Probe> probe;
enum What { kDetach, kDestroy };

struct Handler {
  What what;
  std::unique_ptr<int> own = std::make_unique<int>(7); // moved with it
  Handler(What what) : what(what) {}
  Handler(Handler &&) = default;
  ~Handler() { destroyed += own != nullptr; }
  void operator()(const tprt::Event &) {
    hits += *own == 7;
    if (what == kDetach && probe->detach() != TPRT_STATUS_IN_HANDLER)
      std::puts("not refused");
    if (what == kDestroy)
      probe.reset();
  }
};

int main() {
  probe = std::make_unique<tprt::Probe>(tprt::select("f"), Handler(kDetach));
  f();
  std::printf("refused inside: %d destroyed\n", destroyed);
  tprt_status status = probe->detach();
  std::printf("detached later: %d destroyed%s\n", destroyed, status == TPRT_STATUS_OK ? "" : ", or not");
  hits = 0;
  probe = std::make_unique<tprt::Probe>(tprt::select("f"), Handler(kDestroy));
  f();
  f();
  std::printf("left behind: %d destroyed, %d hits\n", destroyed, hits);
  tprt::Probe other = tprt::Probe::counting(tprt::select("main"));
  f();
  std::printf("another probe: %d destroyed, %d hits\n", destroyed, hits);
}
