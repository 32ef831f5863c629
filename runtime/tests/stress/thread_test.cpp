// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Toggles while threads start and end, so that a probe's first hit on a thread
// and the end of a thread can happen at any moment. Also toggles from two
// threads at the same time.
#include "workers.h"

#include <gtest/gtest.h>

#include <latch>

using namespace stress;

namespace {

class Threads : public testing::TestWithParam<Group> {};

// Starts at least 1024 threads, even if there is little time. 128 threads exist
// at the same time: no thread ends before all 128 have made calls.
TEST_P(Threads, StartAndEndWhileToggling) {
  Faults::reset();
  std::vector<const tprt_site *> Sites = sitesNamed(GetParam().Glob);
  ASSERT_FALSE(Sites.empty());
  std::vector<StressFunction> Functions = functionsAt(functions(), Sites);
  const auto End = std::chrono::steady_clock::now() + timeFor(25);
  constexpr uint64_t AtOnce = 128;
  std::atomic<bool> Done{false}; // relaxed: join orders the rest
  uint64_t Started = 0;
  std::thread Starter([&] {
    for (; std::chrono::steady_clock::now() < End || Started < 8 * AtOnce;
         Started += AtOnce) {
      std::vector<std::thread> Short;
      std::latch AllThere(AtOnce);
      for (uint64_t I = 0; I < AtOnce; ++I)
        Short.emplace_back([&, Mine = (Started + I + 1) * 0x9e3779b97f4a7c15u] {
          Caller Caller(Mine);
          auto MakeCalls = [&] {
            for (size_t J = Caller.random(50); J-- > 0;)
              Caller.call(Functions[Caller.random(Functions.size())]);
          };
          MakeCalls();
          AllThere.arrive_and_wait();
          MakeCalls();
        });
      for (std::thread &Thread : Short)
        Thread.join();
    }
    Done.store(true, std::memory_order_relaxed);
  });
  Toggler Toggler(Sites, AllActions, 13);
  while (!Done.load(std::memory_order_relaxed) && !Faults::count())
    Toggler.toggleOnce();
  Starter.join();
  EXPECT_GE(Started, 8 * AtOnce);
  EXPECT_GT(Toggler.hits(), 0u);
  EXPECT_EQ(Faults::count(), 0u) << Faults::first();
}

TEST_P(Threads, TwoTogglers) {
  Faults::reset();
  std::vector<const tprt_site *> Sites = sitesNamed(GetParam().Glob);
  ASSERT_FALSE(Sites.empty());
  const auto End = std::chrono::steady_clock::now() + timeFor(25);
  Workers Workers(2, functionsAt(functions(), Sites));
  std::thread Second([&] { Toggler(Sites, AllActions, 17).runUntil(End); });
  Toggler(Sites, AllActions, 19).runUntil(End);
  Second.join();
  Workers.stop();
  EXPECT_EQ(Faults::count(), 0u) << Faults::first();
}

INSTANTIATE_TEST_SUITE_P(Shapes, Threads, testing::ValuesIn(Groups),
                         nameOfGroup);

} // namespace
