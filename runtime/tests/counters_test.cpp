// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests to which thread the hits in arrays of counters belong if several
// threads use a block in turn (threads/counters.h).
#include "threads/counters.h"
#include "threads/lock.h"
#include "threads/thread_block.h"

#include <gtest/gtest.h>

#include <map>
#include <thread>

using namespace tprt;

namespace {
uint32_t site; // Each test has its own site, which is not counted before.

// Starts a thread that counts these hits and ends. Returns the thread's number.
int32_t inThread(uint64_t hits) {
  int32_t number = 0;
  std::thread([&] {
    const Thread *self = currentThread();
    for (uint64_t i = 0; self && i < hits; ++i)
      countHit(site);
    number = self ? self->owner : 0;
  }).join();
  return number;
}

std::map<int32_t, uint64_t> byThread() {
  std::map<int32_t, uint64_t> found;
  visitCounters(
      [](const CounterArray &array, void *data) {
        auto &to = *static_cast<std::map<int32_t, uint64_t> *>(data);
        to[array.thread] += countIn(array, site);
      },
      &found);
  return found;
}

size_t arrays() {
  size_t count = 0;
  visitCounters(
      [](const CounterArray &, void *data) { ++*static_cast<size_t *>(data); },
      &count);
  return count;
}

class Counters : public testing::Test {
protected:
  void begin() {
    Lock lock;
    countApart();
    ++readers;
  }
  void end() {
    Lock lock;
    stopCountingApart();
    --readers;
  }
  void SetUp() override { ++site; }
  void TearDown() override {
    while (readers)
      end();
  }
  int readers = 0;
};

TEST_F(Counters, AreTakenOverWhereNobodyTellsThreadsApart) {
  inThread(1);
  const size_t count = arrays();
  inThread(2);
  const int32_t last = inThread(3);
  EXPECT_EQ(sumCounters(site), 6u);
  EXPECT_EQ(arrays(), count);
  EXPECT_EQ(byThread()[last], 6u);
}

TEST_F(Counters, AreApartWhileSomebodyTellsThreadsApart) {
  inThread(1);
  begin();
  const int32_t first = inThread(2), second = inThread(3);
  end();
  EXPECT_EQ(byThread()[first], 3u); // The thread continued the counts of the
                                    // previous one.
  EXPECT_EQ(byThread()[second], 3u);
  EXPECT_EQ(sumCounters(site), 6u);
}

TEST_F(Counters, AreApartUntilTheLastReaderHasEnded) {
  begin();
  const int32_t first = inThread(2);
  begin();
  end();
  const int32_t second = inThread(3);
  EXPECT_EQ(byThread()[first], 2u);
  EXPECT_EQ(byThread()[second], 3u);
}

TEST_F(Counters, OfAFewEndedThreadsAreUsedAgainForTheNextReader) {
  for (int i = 0; i < 3; ++i) {
    static size_t count;
    begin();
    for (int thread = 0; thread < 10; ++thread)
      inThread(1);
    end();
    if (i)
      EXPECT_EQ(arrays(), count);
    count = arrays();
  }
}

TEST_F(Counters, OfManyEndedThreadsAreShared) {
  const size_t count = arrays();
  begin();
  for (int thread = 0; thread < 200; ++thread)
    inThread(1);
  auto found = byThread();
  const uint64_t shared = found[0];
  EXPECT_GT(shared, 0u);
  found.erase(0);
  EXPECT_GE(std::erase_if(found, [](auto &row) { return row.second != 0; }),
            64u);
  EXPECT_EQ(sumCounters(site), 200u);
  // One array for the first thread, 64 kept arrays, and the shared array.
  EXPECT_LE(arrays(), count + 66);
}

TEST_F(Counters, OfAListAreThoseOfItsThread) {
  begin();
  const int32_t number = inThread(4);
  ThreadCounters listed{};
  visitCounters(
      [](const CounterArray &array, void *data) {
        auto &to = *static_cast<ThreadCounters *>(data);
        if (array.thread == to.thread)
          to.array = &array;
      },
      &(listed = {nullptr, number}));
  ASSERT_NE(listed.array, nullptr);
  EXPECT_EQ(sumCounters(site, {&listed, &listed + 1}), 4u);
  // Another thread now uses the array, and the reader's list is outdated.
  end();
  begin();
  inThread(1);
  EXPECT_EQ(sumCounters(site, {&listed, &listed + 1}), 0u);
}
} // namespace
