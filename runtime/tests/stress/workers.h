// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that call instrumented functions until the test stops them.
#pragma once

#include "toggler.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <numeric>
#include <thread>

namespace stress {

class Workers {
public:
  // Starts Count threads. Each calls random functions of the list and checks
  // every call.
  Workers(int Count, std::vector<StressFunction> Functions)
      : Functions(std::move(Functions)) {
    Calls.resize(static_cast<size_t>(Count));
    for (int I = 0; I < Count; ++I)
      Threads.emplace_back([this, I] { run(static_cast<size_t>(I)); });
  }
  ~Workers() { stop(); }
  // Joins the threads. Returns the number of calls that they made.
  uint64_t stop() {
    Stop.store(
        true, std::memory_order_relaxed); // read in run(); join orders the rest
    for (std::thread &Thread : Threads)
      if (Thread.joinable())
        Thread.join();
    return std::accumulate(Calls.begin(), Calls.end(), uint64_t{0});
  }

private:
  void run(size_t Index) {
    Caller Caller(0x9e3779b97f4a7c15u * (Index + 1));
    uint64_t Made = 0;
    while (!Stop.load(std::memory_order_relaxed)) {
      // In most turns, calls one function many times, because that reveals a
      // race most often.
      const StressFunction &Function =
          Functions[Caller.random(Functions.size())];
      for (int I = 0; I < 16; ++I, ++Made)
        Caller.call(Function);
      if (Made % 128 == 0)
        std::this_thread::yield(); // otherwise the toggler waits a time slice
                                   // for each turn
    }
    Calls[Index] = Made;
  }

  std::vector<StressFunction> Functions;
  std::vector<uint64_t> Calls;
  std::atomic<bool> Stop{false};
  std::vector<std::thread> Threads;
};

inline void PrintTo(const Group &Group, std::ostream *Out) {
  *Out << Group.Name;
}

inline std::string nameOfGroup(const testing::TestParamInfo<Group> &Info) {
  return Info.param.Name;
}

} // namespace stress
