// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the table of pairs that have not ended (programs/pairs.h): on many
// threads, when it is full, after millions of pairs, and in signal handlers.
#include "programs/pairs.h"

#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <sys/time.h>
#include <thread>
#include <unordered_map>
#include <vector>

namespace {

using namespace tprt;

struct Freed {
  void operator()(PairTable *Of) const { freePairTable(Of); }
};
struct Table {
  std::unique_ptr<PairTable, Freed> Made{makePairTable()};

  StartedPair start(uint64_t Key, uint64_t Value = 0,
                    EndedPairs *Row = nullptr) const {
    OpenPair Pair = {Key, Value, 0};
    if (Row)
      Pair.setRow(*Row, true);
    return startPair(*Made, Key, Pair);
  }
  // The value of the pair that ends, or nothing.
  std::optional<uint64_t> end(uint64_t Key) const {
    OpenPair Pair;
    if (!endPair(*Made, Key, Pair))
      return std::nullopt;
    EXPECT_EQ(Pair.start, Key);
    return Pair.value;
  }
  template <class Level> static size_t countOpen(const Level &Of) {
    size_t Open = 0;
    for (const auto &Bucket : Of.keys)
      for (uint64_t Word : Bucket)
        Open += Word != 0;
    return Open;
  }
  size_t open() const {
    return countOpen(Made->small) +
           (Made->usesLarge ? countOpen(Made->large) : 0);
  }
};

TEST(Pairs, EndOnceWithWhatTheStartHad) {
  const Table T;
  for (uint64_t Key :
       {uint64_t{0}, uint64_t{1}, uint64_t{2}, UINT64_MAX, uint64_t{1} << 63}) {
    EXPECT_EQ(T.end(Key), std::nullopt);
    const StartedPair Done = T.start(Key, Key + 7);
    EXPECT_TRUE(Done.isPlaced);
    EXPECT_EQ(Done.replaced, 0u);
    EXPECT_EQ(T.end(Key + 1), std::nullopt);
    EXPECT_EQ(T.end(Key), Key + 7);
    EXPECT_EQ(T.end(Key), std::nullopt);
  }
  EXPECT_EQ(T.open(), 0u);
}

// Two keys would look like a free slot, and like a busy one (pairs.cpp).
TEST(Pairs, AKeyThatLooksLikeAFreeSlotHasNoRoom) {
  const Table T;
  constexpr uint64_t kFreeKey = 0x8f1b3a5c97d2e604;
  const StartedPair Done = T.start(kFreeKey);
  EXPECT_FALSE(Done.isPlaced);
  EXPECT_EQ(Done.replaced, 0u);
  EXPECT_EQ(T.end(kFreeKey), std::nullopt);
  EXPECT_EQ(T.open(), 0u);
}

TEST(Pairs, ASecondStartReplacesTheFirst) {
  const Table T;
  EndedPairs First = {}, Second = {};
  EXPECT_EQ(T.start(5, 10, &First).replaced, 0u);
  EXPECT_EQ(T.start(5, 20, &Second).replaced, 1u);
  EXPECT_EQ(First.count, 1u);
  EXPECT_EQ(First.sum, 10u);
  EXPECT_EQ(Second.count, 0u);
  EXPECT_EQ(T.open(), 1u);
  EXPECT_EQ(T.end(5), 20u);
  EXPECT_EQ(Second.count, 1u);
  EXPECT_EQ(Second.sum, 20u);
  EXPECT_EQ(T.end(5), std::nullopt);
}

TEST(Pairs, UnknownValuesAreNotSubtracted) {
  const Table T;
  EndedPairs Row = {};
  OpenPair Pair = {0, 99, 0};
  Pair.setRow(Row, false);
  EXPECT_TRUE(startPair(*T.Made, 3, Pair).isPlaced);
  EXPECT_TRUE(endPair(*T.Made, 3, Pair));
  EXPECT_EQ(Row.count, 1u);
  EXPECT_EQ(Row.sum, 0u);
  EXPECT_EQ(Row.unknown, 1u);
}

// Against a plain map, with keys that come again.
TEST(Pairs, AreThoseOfAMap) {
  const Table T;
  std::unordered_map<uint64_t, uint64_t> Map;
  std::mt19937_64 Random(11);
  for (uint64_t I = 0; I < 600'000; ++I) {
    const uint64_t Key = Random() % 150'000 * 16;
    const auto At = Map.find(Key);
    if (Random() % 2) {
      ASSERT_EQ(T.start(Key, I).replaced, At != Map.end());
      Map[Key] = I;
    } else {
      ASSERT_EQ(T.end(Key),
                At == Map.end() ? std::nullopt : std::optional(At->second));
      if (At != Map.end())
        Map.erase(At);
    }
  }
  EXPECT_EQ(T.open(), Map.size());
  for (const auto &[Key, Value] : Map)
    ASSERT_EQ(T.end(Key), Value);
  EXPECT_EQ(T.open(), 0u);
}

TEST(Pairs, AMillionFindRoomAndMoreAreRefused) {
  const Table T;
  EndedPairs Row = {};
  constexpr uint64_t kMillion = 1 << 20, kMost = 9 << 18;
  uint64_t Placed = 0;
  for (uint64_t I = 0; I < kMost; ++I) {
    const bool IsPlaced = T.start(I * 16, 2, &Row).isPlaced;
    ASSERT_TRUE(IsPlaced || I >= kMillion);
    Placed += IsPlaced;
  }
  EXPECT_LT(Placed, kMost);
  EXPECT_EQ(T.open(), Placed);
  // Those without room have left their row.
  EXPECT_EQ(Row.count, kMost - Placed);
  EXPECT_EQ(Row.sum, 2 * (kMost - Placed));
  // A full table still replaces and ends.
  EXPECT_EQ(T.start(0, 3, &Row).replaced, 1u);
  uint64_t Ended = 0;
  for (uint64_t I = 0; I < kMost; ++I)
    Ended += T.end(I * 16).has_value();
  EXPECT_EQ(Ended, Placed);
  EXPECT_EQ(T.open(), 0u);
  EXPECT_EQ(Row.count, kMost + 1);
}

// Nothing stays of pairs that have ended: after 10^7 pairs of different keys,
// the table is as it was, and the large level was not needed.
TEST(Pairs, NothingStaysOfEndedPairs) {
  const Table T;
  constexpr uint64_t kOpen = 5000, kAll = 10'000'000;
  for (uint64_t I = 0; I < kAll; ++I) {
    ASSERT_TRUE(T.start(I * 48, I).isPlaced);
    if (I >= kOpen)
      ASSERT_EQ(T.end((I - kOpen) * 48), I - kOpen);
  }
  EXPECT_EQ(T.open(), kOpen);
  EXPECT_FALSE(T.Made->usesLarge);
}

// Each thread hands its keys to the next one, which ends them.
TEST(Pairs, ThreadsHandKeysOverExactly) {
  const Table T;
  constexpr unsigned kThreads = 16;
  constexpr uint64_t kKeys = 40'000;
  struct Hand {
    std::mutex Lock;
    std::vector<uint64_t> Keys;
  };
  std::vector<Hand> Hands(kThreads);
  EndedPairs Row = {};
  std::atomic<uint64_t> Ended = 0, Missing = 0, Replaced = 0;
  auto Run = [&](unsigned Own) {
    uint64_t Started = 0, Got = 0;
    while (Got < kKeys || Started < kKeys) {
      if (Started < kKeys) {
        const uint64_t Key = (Started++ * kThreads + Own) * 8;
        Replaced += T.start(Key, 3, &Row).replaced;
        Hand &To = Hands[(Own + 1) % kThreads];
        const std::lock_guard Guard(To.Lock);
        To.Keys.push_back(Key);
      }
      std::vector<uint64_t> Mine;
      {
        const std::lock_guard Guard(Hands[Own].Lock);
        Mine.swap(Hands[Own].Keys);
      }
      for (uint64_t Key : Mine)
        ++(T.end(Key) ? Ended : Missing);
      Got += Mine.size();
      if (Mine.empty())
        std::this_thread::yield();
    }
  };
  std::vector<std::thread> Threads;
  for (unsigned I = 0; I < kThreads; ++I)
    Threads.emplace_back(Run, I);
  for (std::thread &Each : Threads)
    Each.join();
  EXPECT_EQ(Ended, kThreads * kKeys);
  EXPECT_EQ(Missing, 0u);
  EXPECT_EQ(Replaced, 0u);
  EXPECT_EQ(T.open(), 0u);
  EXPECT_EQ(Row.count, kThreads * kKeys);
  EXPECT_EQ(Row.sum, 3 * kThreads * kKeys);
}

// All threads start the same few keys: at most one pair of each stays, and each
// start is ended, replaced or open.
TEST(Pairs, OneKeyOfManyThreadsHasOnePair) {
  const Table T;
  constexpr unsigned kThreads = 8, kKeys = 3;
  constexpr uint64_t kRounds = 100'000;
  EndedPairs Row = {};
  std::atomic<uint64_t> Ended = 0, Replaced = 0;
  auto Run = [&](unsigned Own) {
    uint64_t Mine = 0, Others = 0;
    for (uint64_t I = 0; I < kRounds; ++I) {
      Others += T.start((I + Own) % kKeys, 1, &Row).replaced;
      if (I % 3 == 0) {
        OpenPair Pair;
        Mine += endPair(*T.Made, (I + Own) % kKeys, Pair);
      }
    }
    Ended += Mine;
    Replaced += Others;
  };
  std::vector<std::thread> Threads;
  for (unsigned I = 0; I < kThreads; ++I)
    Threads.emplace_back(Run, I);
  for (std::thread &Each : Threads)
    Each.join();
  EXPECT_LE(T.open(), kKeys);
  EXPECT_EQ(Ended + Replaced + T.open(), kThreads * kRounds);
  EXPECT_EQ(Row.count, Ended + Replaced);
}

// --- signals -----------------------------------------------------------------

const Table *Shared;
std::atomic<uint64_t> Handled, Wrong;

// Runs Body until signals have interrupted it, and so each of its steps, many
// times.
template <class F> void interrupt(void (*Handler)(int), F Body) {
  Handled = Wrong = 0;
  struct sigaction Now = {}, Before;
  Now.sa_handler = Handler;
  sigaction(SIGALRM, &Now, &Before);
  const itimerval Often = {{0, 50}, {0, 50}}, Never = {};
  setitimer(ITIMER_REAL, &Often, nullptr);
  for (uint64_t I = 0; I < 100'000 || Handled < 1000; ++I)
    Body(I);
  setitimer(ITIMER_REAL, &Never, nullptr);
  sigaction(SIGALRM, &Before, nullptr);
}

// Starts and ends pairs of its own, wherever the thread is.
void handle(int) {
  const uint64_t Key = 1'000'000'000 + Handled++ % 64;
  OpenPair Pair = {Key, 0, 0};
  if (!startPair(*Shared->Made, Key, Pair).isPlaced ||
      !endPair(*Shared->Made, Key, Pair) || Pair.start != Key)
    ++Wrong;
}

TEST(Pairs, SignalHandlersUseTheTable) {
  const Table T;
  Shared = &T;
  uint64_t Missing = 0;
  interrupt(handle, [&](uint64_t I) {
    T.start(I, I);
    Missing += T.end(I) != I;
  });
  EXPECT_EQ(Missing, 0u);
  EXPECT_EQ(Wrong, 0u);
  EXPECT_EQ(T.open(), 0u);
}

// A handler starts the key that its thread is about to start: both have found
// no pair, and only one stays.
TEST(Pairs, AStartInsideOfAStartHasOnePair) {
  const Table T;
  Shared = &T;
  auto Start = [](int) {
    ++Handled;
    startPair(*Shared->Made, 7, {7, 0, 0});
  };
  interrupt(Start, [&](uint64_t) {
    T.start(7);
    const uint64_t Before = Handled;
    OpenPair Pair;
    endPair(*T.Made, 7, Pair);
    const bool HasTwo = endPair(*T.Made, 7, Pair);
    Wrong += HasTwo && Handled == Before;
  });
  EXPECT_EQ(Wrong, 0u);
  T.end(7);
  EXPECT_EQ(T.open(), 0u);
}

// A thread that never continues keeps its slot busy, and blocks nobody.
TEST(Pairs, ABusySlotBlocksNobody) {
  const Table T;
  for (auto &Bucket : T.Made->small.keys)
    Bucket[0] = 1; // busy
  for (uint64_t I = 0; I < 10'000; ++I)
    ASSERT_TRUE(T.start(I, I).isPlaced);
  for (uint64_t I = 0; I < 10'000; ++I)
    ASSERT_EQ(T.end(I), I);
}

} // namespace
