// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where tpctl top gets its rows from: the times of functions, or with
// expressions those of keys.

#ifndef TPCTL_LIVE_TOP_SOURCE_H
#define TPCTL_LIVE_TOP_SOURCE_H

#include "live/measure/Aggregate.h"
#include "live/measure/Timing.h"
#include <functional>

namespace tpctl {

/// The rows that have keys. A row's name is made of its keys; it is no text for
/// reading.
class TopKeys {
public:
  explicit TopKeys(const Ask &A) : A(A) {}
  /// Remembers the keys of a row. Different keys have different names.
  std::string nameOf(const KeyValues &Keys);
  const KeyValues &keysOf(const std::string &Name) const;
  const Ask &asked() const { return A; }

  /// The line above the rows' keys.
  std::string heading() const;
  /// The keys of rows as lines of columns, with the heading as the first line.
  std::vector<std::string> lines(llvm::ArrayRef<std::string> Names,
                                 bool FullNames) const;
  /// The keys of one row, each behind the other.
  std::string line(const std::string &Name) const;

private:
  std::vector<std::string> cellsOf(const std::string &Name) const;
  const Ask &A;
  std::map<std::string, KeyValues> ByName;
};

class TopSource {
public:
  explicit TopSource(Measurement &Of) : Of(Of) {}
  virtual ~TopSource() = default;
  TopSource(const TopSource &) = delete;

  Measurement &Of;
  /// The calls of each row since the start.
  virtual std::map<std::string, CallTimes> rows() = 0;
  /// Whether some names are not known yet, and whether there are rows all the
  /// same.
  virtual bool lacksNames() const = 0;
  virtual bool hasRowsWithoutNames() const { return true; }
  /// Where messages go while the screen is shown. {}: to standard error.
  virtual void sayBy(std::function<void(const std::string &)> To) = 0;
  virtual void explain() = 0;
  /// nullptr: the rows are functions.
  virtual const TopKeys *keys() const { return nullptr; }
};

/// Functions.
class TimedSource : public TopSource {
public:
  explicit TimedSource(Timing &T) : TopSource(T), T(T) {}
  std::map<std::string, CallTimes> rows() override { return T.rows(); }
  bool lacksNames() const override { return T.lacksNames(); }
  void sayBy(std::function<void(const std::string &)> To) override {
    T.sayBy(std::move(To));
  }
  void explain() override { T.explain(); }

private:
  Timing &T;
};

/// Keys of --by. The programs have own times, and the durations as values.
class KeyedSource : public TopSource {
public:
  KeyedSource(Target &At, const Patterns &P, Ask &A)
      : TopSource(Calls), Calls(At, P, A), Names(A) {}
  std::map<std::string, CallTimes> rows() override;
  bool lacksNames() const override { return Calls.lacksNames(); }
  bool hasRowsWithoutNames() const override { return false; }
  void sayBy(std::function<void(const std::string &)> To) override {
    Calls.IsQuiet = static_cast<bool>(To);
  }
  void explain() override;
  const TopKeys *keys() const override { return &Names; }

private:
  /// Functions that the expressions do not fit are told of, but not on a
  /// screen.
  struct QuietAggregate : Aggregate {
    using Aggregate::Aggregate;
    llvm::Error tellLeftOut() override {
      return IsQuiet ? llvm::Error::success() : Aggregate::tellLeftOut();
    }
    bool IsQuiet = false;
  };
  QuietAggregate Calls;
  TopKeys Names;
  /// The time of the first table. Its interval begins when all sites are on.
  std::optional<double> First;
};

} // namespace tpctl

#endif
