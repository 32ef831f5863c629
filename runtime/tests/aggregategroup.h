// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared code of tests of aggregated hits: a group of the functions of timed.S,
// and its rows.
#ifndef TPRT_TESTS_AGGREGATEGROUP_H
#define TPRT_TESTS_AGGREGATEGROUP_H

#include "aggregate/aggregations.h"
#include "aggregate/read_rows.h"
#include "programs/program_check.h"
#include "timedgroup.h"

#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace {

using namespace tprt;
using test::call;
using Operations = std::vector<Operation>;

// Calls a function of timed.S with a number as its second argument.
template <class F> void callWith(Timed &Function, uint64_t Number, F Body) {
  static thread_local F *Current;
  F *Before = Current;
  Current = &Body;
  Function([](void *) { (*Current)(); }, reinterpret_cast<void *>(Number));
  Current = Before;
}
[[maybe_unused]] void callWith(Timed &Function, uint64_t Number) {
  Function([](void *) {}, reinterpret_cast<void *>(Number));
}

// Keys and values of programs.
constexpr Operation kNumber = {TPRT_PROGRAM_ARGUMENT, 0, 0, 0, 1};
constexpr Operation kKey = {TPRT_PROGRAM_KEY, 0, 0, 0, 0};
constexpr Operation kValue = {TPRT_PROGRAM_VALUE, 0, 0, 0, 0};
[[maybe_unused]] Operation read(tprt_program_code Code, uint8_t To = 0) {
  return {static_cast<uint8_t>(Code), To, 0, 0, 0};
}

struct Row {
  uint64_t Hits = 0;
  int64_t Sum = 0, Least = INT64_MAX, Greatest = INT64_MIN;
  uint64_t Unknown = 0, Negative = 0, Unplaced = 0, Self = 0;
  std::map<uint32_t, uint64_t> Buckets;

  uint64_t placed() const {
    uint64_t All = 0;
    for (auto [Bucket, Count] : Buckets)
      All += Count;
    return All;
  }
};
constexpr const char *kOthers = "others";
using Rows = std::map<std::string, Row>;

// The bytes of a key.
[[maybe_unused]] std::string number(uint64_t Of) {
  return std::string(1, TPRT_PROGRAM_KEY_NUMBER) +
         std::string(reinterpret_cast<char *>(&Of), sizeof Of);
}
[[maybe_unused]] std::string unknown() {
  return std::string(1, TPRT_PROGRAM_KEY_UNKNOWN);
}

struct Group {
  Aggregation *Made = nullptr;

  Group() { EXPECT_TRUE(makeAggregation(Made)); }
  Group(const char *Function, const Operations &Code, uint32_t Flags = 0)
      : Group() {
    EXPECT_EQ(add(Function, Code, Flags), TPRT_STATUS_OK)
        << tprt_error_string();
  }
  Group(const Group &) = delete;
  ~Group() { end(); }

  tprt_status add(const char *Function, const Operations &Code,
                  uint32_t Flags = 0) {
    std::vector<uint32_t> Words(sizeof(Program) / 4 + 2 * Code.size());
    auto &Of = *reinterpret_cast<Program *>(Words.data());
    Of = {static_cast<uint32_t>(Code.size()), 0, Flags, 0};
    for (const Operation &Each : Code)
      Of.keys += Each.code == TPRT_PROGRAM_KEY ||
                 Each.code == TPRT_PROGRAM_KEY_STRING ||
                 Each.code == TPRT_PROGRAM_KEY_STACK;
    if (!Code.empty())
      memcpy(&Of + 1, Code.data(), Code.size() * sizeof(Operation));
    EXPECT_EQ(programFault(Of), nullptr);
    tprt_selector Selector = {};
    Selector.function = Function;
    tprt_result Result = {};
    return addAggregated(Made, &Selector, Of, Result);
  }
  void end() {
    if (Made)
      EXPECT_EQ(endAggregation(Made, -1), TPRT_STATUS_OK)
          << tprt_error_string();
    EXPECT_EQ(Made, nullptr);
  }

  // Stores the rows of all threads in To, in pages of at most PageRows.
  void read(Rows &To, bool Changed = false, bool Adds = true,
            size_t PageRows = SIZE_MAX) const {
    struct Page {
      Rows &To;
      bool Adds;
      size_t Left;
    } Pages{To, Adds, 0};
    auto Take = [](const AggregateRow &From, void *Data) {
      auto &Pages = *static_cast<Page *>(Data);
      if (!Pages.Left)
        return false;
      --Pages.Left;
      Row &Own =
          Pages.To[From.isOthers ? kOthers
                                 : std::string(From.keys, From.keyBytes)];
      Own = Pages.Adds ? Own : Row{};
      Own.Hits += From.hits;
      Own.Sum += From.sum;
      if (From.hits > From.unknown) {
        Own.Least = std::min(Own.Least, From.least);
        Own.Greatest = std::max(Own.Greatest, From.greatest);
      }
      Own.Unknown += From.unknown;
      Own.Negative += From.negative;
      Own.Unplaced += From.unplaced;
      Own.Self += From.self;
      for (uint32_t I = 0; I < From.bucketCount; ++I)
        Own.Buckets[static_cast<uint32_t>(From.buckets[I] >> kBucketShift)] +=
            From.buckets[I] & ((uint64_t{1} << kBucketShift) - 1);
      return true;
    };
    AggregatePlace Place = {};
    do
      Pages.Left = PageRows;
    while (!visitAggregated(Made, &Place, Changed, Take, &Pages));
  }
  Rows rows() const {
    Rows All;
    read(All);
    return All;
  }
  Row row(const std::string &Keys) const { return rows()[Keys]; }
  uint64_t hits() const { return hitsOf(Made); }
  AggregateTotals totals() const { return totalsOf(Made); }
};

} // namespace

#endif
