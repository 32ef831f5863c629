// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens and closes an instrumented library in a loop, with and without probes
// on it, while another thread toggles the main program's functions.
#include "workers.h"

#include <gtest/gtest.h>

#include <dlfcn.h>

using namespace stress;

namespace {

std::span<const StressFunction> functionsOf(void *Library) {
  auto *First =
      static_cast<const StressFunction *>(dlsym(Library, "stress_functions"));
  auto *Last = static_cast<const StressFunction *>(
      dlsym(Library, "stress_functions_end"));
  return {First, Last};
}

// One round: opens the library, attaches by module, calls from two threads, and
// detaches. With KeepProbe, it detaches after the library is closed, otherwise
// before.
void useLibrary(uint64_t Round, bool KeepProbe) {
  void *Library = dlopen(STRESS_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  ASSERT_TRUE(Library) << dlerror();
  std::vector<StressFunction> All;
  for (const StressFunction &Function : functionsOf(Library))
    if (canCall(Function))
      All.push_back(Function);

  DataPages Pages;
  stress_data *Data = Pages.take();
  tprt_selector Selector = {};
  Selector.function = "*";
  Selector.kinds = TPRT_KIND_SET_ALL | TPRT_KIND_SET_POINT;
  Selector.module = "libstress_sleds.so";
  Selector.flags = TPRT_SELECT_TRAPS;
  tprt_action Action = {};
  Action.kind = TPRT_ACTION_CALL;
  Action.handler = stress_handler_trample;
  Action.data = Data;
  tprt_probe *Probe = nullptr;
  tprt_result Result = {};
  ASSERT_EQ(tprt_probe_attach(&Selector, &Action, &Probe, &Result),
            TPRT_STATUS_OK)
      << tprt_error_string() << ", in round " << Round;
  EXPECT_EQ(Result.enabled, functionsOf(Library).size());

  auto Work = [&](uint64_t Seed) {
    Caller Caller(Seed);
    for (int I = 0; I < 200; ++I)
      Caller.call(All[Caller.random(All.size())]);
  };
  std::thread Second(Work, Round * 2 + 1);
  Work(Round * 2 + 2);
  Second.join();
  EXPECT_EQ(Data->hits, 400u);
  if (KeepProbe)
    dlclose(Library);
  EXPECT_EQ(tprt_probe_detach(Probe, -1), TPRT_STATUS_OK)
      << tprt_error_string();
  Pages.poison(Data);
  if (!KeepProbe) {
    Work(Round + 99);
    dlclose(Library);
  }
}

TEST(Dlopen, InALoopWhileToggling) {
  Faults::reset();
  std::vector<const tprt_site *> Sites = sitesNamed("stress_*");
  ASSERT_FALSE(Sites.empty());
  const auto End = std::chrono::steady_clock::now() + timeFor(10);
  Workers Workers(2, functionsAt(functions(), sitesNamed(Groups[0].Glob)));
  std::thread Other([&] { Toggler(Sites, AllActions, 29).runUntil(End); });
  uint64_t Rounds = 0;
  while ((std::chrono::steady_clock::now() < End || Rounds < 3) &&
         !HasFailure() && !Faults::count()) {
    useLibrary(Rounds, Rounds % 3 == 2);
    ++Rounds;
  }
  Other.join();
  Workers.stop();
  EXPECT_EQ(Faults::count(), 0u) << Faults::first();
  printf("%lu rounds\n", static_cast<unsigned long>(Rounds));
}

} // namespace
