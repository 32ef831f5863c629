// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds up calls in running processes by the keys of --by: the rows of the
// processes and their threads become rows of text.

#ifndef TPCTL_LIVE_MEASURE_AGGREGATE_H
#define TPCTL_LIVE_MEASURE_AGGREGATE_H

#include "Measurement.h"
#include "live/requests/Readings.h"
#include "live/targets/Ask.h"
#include "live/targets/CodeNames.h"
#include "live/targets/Names.h"
#include "llvm/ADT/bit.h"

namespace tpctl {

/// The calls of a row.
struct AggregateSums {
  uint64_t Hits = 0;
  /// With IsFloating, these are the bits of doubles; see number().
  int64_t Sum = 0, Least = 0, Greatest = 0;
  uint64_t Unknown = 0;  ///< calls with an unknown value
  uint64_t Negative = 0; ///< calls with a value below 0
  uint64_t Unplaced = 0; ///< calls in no bucket, as memory is bounded
  std::map<uint32_t, uint64_t> Buckets;
  bool IsFloating = false;
  bool IsUnsigned = false; ///< see hasTrueValues()
  uint64_t Self = 0;       ///< in nanoseconds, if the programs have own times

  double number(int64_t Value) const {
    return IsFloating ? llvm::bit_cast<double>(Value)
                      : static_cast<double>(Value);
  }

  void add(const AggregateSums &Other);
  /// The calls since `Before`. Least and Greatest are those of all calls.
  AggregateSums since(const AggregateSums &Before) const;
  /// Whether the values are what they were in the process: one without a sign
  /// that is 2^63 or more became a negative one.
  bool hasTrueValues() const {
    return known() && !(IsUnsigned && (Least < 0 || Negative));
  }
  /// Calls with a known value.
  uint64_t known() const { return Hits - std::min(Hits, Unknown); }
  /// nullopt if the sum may have overflowed, or if no value is known.
  std::optional<int64_t> sum() const;
  std::optional<double> average() const;
  /// The value below which this share of the calls is; nullopt if it is not
  /// known, or below 0.
  std::optional<double> quantile(double Share) const;
};

/// A key of a row.
struct KeyValue {
  std::string Text; ///< for reading
  /// A number, for JSON. nullopt: the key is a text.
  std::optional<int64_t> Number;
  bool IsUnsigned = false;
  /// A program's text may look like one of the others.
  enum { Known, Cut, Unknown, Others } What = Known;
  std::optional<double> Floating = {}; ///< of a double, instead of Number
  /// Of a stack: the names, the innermost first, and the mark of its end.
  std::vector<std::string> Frames = {};
  bool operator<(const KeyValue &Other) const;
  bool operator==(const KeyValue &Other) const {
    return What == Other.What && Text == Other.Text;
  }
};
using KeyValues = std::vector<KeyValue>;
/// The rows by their keys. If a row is for calls that found no room for their
/// keys, its only key is `(others)`.
using AggregateRows = std::map<KeyValues, AggregateSums>;
/// The rows with calls since `Before`, which have only those calls.
AggregateRows freshRows(const AggregateRows &Now, const AggregateRows &Before);

class Aggregate : public Measurement {
public:
  Aggregate(Target &At, const Patterns &P, Ask &A) : Measurement(At, P), A(A) {}

  /// Whether these are the keys of the row for calls that found no room.
  static bool isOthers(const KeyValues &Keys);
  AggregateRows rows();
  /// Whether functions of some rows are not named yet.
  bool lacksNames() const;
  /// The rows when the sites had been turned on.
  const AggregateRows &start() const { return Start; }
  /// If nothing was seen, prints why. Also prints which calls are missing.
  virtual void explain(bool Seen) const;

protected:
  /// Attaches the programs to a process.
  virtual Following follow(Connection &C) { return A.follow(C, P); }
  virtual llvm::Error tellLeftOut() { return A.tellLeftOut(); }
  /// Whether the programs are those of pairs.
  virtual bool isOfPairs() const { return false; }
  /// The pairs of all processes.
  tprt_control_pairs pairs() const;

private:
  struct Keyed : Process {
    Keyed(Connection &C, Following On, const Patterns &P, Ask &A)
        : Process(C, std::move(On)), Names(P, A.kinds()), Code(C.pid()) {}
    std::map<std::pair<uint32_t, uint32_t>, KeyedRow> Rows;
    SiteNames Names;
    CodeNames Code;
    uint64_t Unread = 0, Lost = 0, Left = 0;
    std::vector<Following> Around;
    tprt_control_pairs Pairs = {};
  };
  std::unique_ptr<Process> make(Connection &C) override {
    return std::make_unique<Keyed>(C, follow(C), P, A);
  }
  llvm::Error checkFirst() override { return A.Around.check(At); }
  llvm::Error attachFirst(Process &Of) override;
  llvm::Error beginWindow(Process &Of) override;
  llvm::Expected<bool> readProcess(Process &Of) override;
  llvm::Error learnNames(Process &Of, Clock::time_point Until) override {
    return At.learnNames(*Of.C, static_cast<Keyed &>(Of).Names, Until);
  }
  void learnKeys(Keyed &Of, const KeyedRow &Row);
  void addRows(Keyed &Of, AggregateRows &To);
  KeyValues keysOf(Keyed &Of, const KeyedRow &Row);

  Ask &A;
  AggregateRows Start;
};

} // namespace tpctl

#endif
