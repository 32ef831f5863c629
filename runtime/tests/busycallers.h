// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared code of tests of groups that come and go: threads that call the
// functions of timed.S all the time.
#ifndef TPRT_TESTS_BUSYCALLERS_H
#define TPRT_TESTS_BUSYCALLERS_H

#include "timedgroup.h"

#include <atomic>
#include <csetjmp>
#include <thread>
#include <vector>

namespace test {

// Keeps threads calling as long as the object lives. They leave calls by
// returns and by longjmp(), and start threads that end.
class BusyCallers {
public:
  explicit BusyCallers(unsigned Count) {
    for (unsigned I = 0; I < Count; ++I)
      Threads.emplace_back([this, I] {
        for (unsigned J = I; !Stop; ++J) {
          if (J % 64 == 0)
            std::thread([] { call(timed_other); }).join();
          recurse(J % 7 + 1);
          call(timed_outer, [] {
            jmp_buf Here;
            if (setjmp(Here) == 0)
              call(timed_inner, [&] { longjmp(Here, 1); });
          });
          ++Rounds;
        }
      });
  }
  ~BusyCallers() {
    Stop = true;
    for (std::thread &Each : Threads)
      Each.join();
  }
  void awaitRound() const {
    for (unsigned Before = Rounds; Rounds - Before < Threads.size() + 1;)
      std::this_thread::yield();
  }

private:
  std::atomic<bool> Stop = false;
  std::atomic<unsigned> Rounds = 0;
  std::vector<std::thread> Threads;
};

} // namespace test

#endif
