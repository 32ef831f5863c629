// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared code of tests of timed groups: calls of the functions of timed.S, and
// a group with its rows.
#ifndef TPRT_TESTS_TIMEDGROUP_H
#define TPRT_TESTS_TIMEDGROUP_H

#include "sites/site.h"
#include "threads/thread_block.h"
#include "timing/duration_buckets.h"
#include "timing/timed_groups.h"
#include "timing/timed_rows.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

using Timed = void(void (*Body)(void *), void *Data);
extern "C" Timed timed_outer, timed_inner, timed_other, timed_endless;

namespace test {

using namespace tprt;

// Calls a function of timed.S, which calls Body.
template <class F> void call(Timed &Function, F Body) {
  Function([](void *Data) { (*static_cast<F *>(Data))(); }, &Body);
}
inline void call(Timed &Function) {
  call(Function, [] {});
}

struct Row {
  TimedSums Sums;
  int32_t Thread;
  uint64_t Caller;
  std::map<uint32_t, uint64_t> Buckets;

  uint64_t placed() const {
    uint64_t Sum = 0;
    for (auto [Bucket, Count] : Buckets)
      Sum += Count;
    return Sum;
  }
};
using Rows = std::multimap<std::string, Row>;

// A group that ends with its test.
struct Group {
  TimedGroup *Made = nullptr;

  explicit Group(bool (*Make)(TimedGroup *&)) { EXPECT_TRUE(Make(Made)); }
  explicit Group(size_t HistogramBytes = kHistogramBytes) {
    EXPECT_TRUE(makeTimed(Made, HistogramBytes));
  }
  explicit Group(const char *Function) : Group() {
    EXPECT_EQ(add(Function), TPRT_STATUS_OK) << tprt_error_string();
  }
  Group(const Group &) = delete;
  ~Group() { end(); }

  tprt_status add(const char *Function) {
    tprt_selector Selector = {};
    Selector.function = Function;
    tprt_result Result = {};
    return addTimed(Made, &Selector, Result);
  }
  void end() {
    if (Made)
      EXPECT_EQ(endTimed(Made, -1), TPRT_STATUS_OK) << tprt_error_string();
    EXPECT_EQ(Made, nullptr);
  }

  // The rows, in pages of at most `PageRows`.
  Rows rows(uint32_t Detail = kTimedBuckets, size_t PageRows = SIZE_MAX) const {
    struct Page {
      Rows All;
      size_t Most, Left;
    } Pages{{}, PageRows, 0};
    auto Take = [](const TimedRow &From, void *Data) {
      auto &To = *static_cast<Page *>(Data);
      if (!To.Left)
        return false;
      --To.Left;
      tprt_site_info Info = {};
      tprt_site_describe(&sites[From.site], &Info);
      Row Own = {From.sums, From.thread, From.returnAddress, {}};
      for (uint32_t I = 0; I < From.bucketCount; ++I)
        Own.Buckets[From.buckets[I] >> kBucketShift] =
            From.buckets[I] & ((uint64_t{1} << kBucketShift) - 1);
      To.All.emplace(Info.name, Own);
      return true;
    };
    TimedPlace Place = {};
    do
      Pages.Left = Pages.Most;
    while (!visitTimed(Made, &Place, Detail, Take, &Pages));
    return Pages.All;
  }
  Row row(const char *Function) const {
    Rows All = rows();
    auto At = All.find(Function);
    return At == All.end() ? Row{} : At->second;
  }
};

// Not inlined, so that it has only one call site.
__attribute__((noinline)) inline void recurse(unsigned Depth) {
  call(timed_outer, [=] {
    if (Depth > 1)
      call(timed_inner, [=] { recurse(Depth - 1); });
  });
}

} // namespace test

#endif
