// If this fails, the C++ wrapper leaks a probe, or frees a handler that is in use.
// RUN: %tp_clangxx -std=c++20 -O2 -ftp-entry=2,0 -ftp-exit %s %tprt_flags -o %t
// RUN: %run %t | FileCheck %s
// RUN: %tp_clangxx -std=c++17 -fno-exceptions -fsyntax-only -Wall -Wextra -Werror -I %tprt_include %s
#include "tprt/tprt.hpp"
#include <cstdio>

extern "C" __attribute__((noinline)) int twice(int X) { __asm__ volatile(""); return 2 * X; }

struct Loud {
  int Copies = 0;
  ~Loud() { std::printf("handler's state goes\n"); }
};

int main() {
  auto State = std::make_shared<Loud>();
  int Entries = 0, Results = 0;
  {
    tprt::Probe Probe(tprt::select("twice").both(), [&Entries, &Results, State = std::move(State)](const tprt::Event &E) {
      if (E.isEntry())
        Entries += int(E.argument(0));
      else
        Results += int(E.result());
    });
    // CHECK: attached to 2
    std::printf("attached to %zu: %s\n", Probe.result().enabled, Probe.error().c_str());
    twice(20);
    tprt::Probe Moved = std::move(Probe);
    twice(1);
    // CHECK-NEXT: was moved: 0 1
    std::printf("was moved: %d %d\n", bool(Probe), bool(Moved));
  }
  // CHECK-NEXT: handler's state goes
  twice(100);
  // CHECK-NEXT: 21 42
  std::printf("%d %d\n", Entries, Results);

  // CHECK-NEXT: list of 1
  auto Found = tprt::sites(tprt::select("twice"));
  std::printf("list of %zu\n", Found.size());
  tprt::Probe Count = tprt::Probe::counting(tprt::select().sites(Found.data(), Found.size()));
  twice(3), twice(3);
  // CHECK-NEXT: counted 2
  std::printf("counted %d\n", int(Count.count()));
#if __cplusplus >= 202002L
  tprt::Probe Spanned = tprt::Probe::counting(tprt::select(Found));
  tprt::Probe Empty = tprt::Probe::counting(tprt::select().sites(std::span(Found).first(0)));
  twice(3);
  // CHECK-NEXT: by a span 1; the list of sites is empty
  std::printf("by a span %d; %s\n", int(Spanned.count()), Empty.error().c_str());
#endif
  // CHECK-NEXT: none: none of the
  tprt::Probe None(tprt::select("no_such_*"), [](const tprt::Event &) {});
  std::printf("none: %s\n", None ? "?" : None.error().c_str());
}
