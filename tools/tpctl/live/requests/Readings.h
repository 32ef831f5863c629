// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads what the groups of a process have counted, timed and added up. If an
// answer has several pages, the functions join the pages.

#ifndef TPCTL_LIVE_REQUESTS_READINGS_H
#define TPCTL_LIVE_REQUESTS_READINGS_H

#include "tprt/control_wire.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace tpctl {

class Connection;

/// The fields of a page of COUNTS or TIMES that describe the whole process.
struct Reading {
  /// The middle of the times of the first page and of the last one.
  uint64_t Ticks = 0, Missed = 0, Untimed = 0;
  bool Ending = false;
  bool Stopped = false; ///< of ROWS: a program has ended the group
};
struct Counts : Reading {
  std::vector<tprt_control_count> Rows; ///< per site, or per site and thread
};
/// `Detail`: TPRT_CONTROL_DETAIL_THREADS, TPRT_CONTROL_DETAIL_CHANGED, or both.
llvm::Expected<Counts> readCounts(Connection &C, uint32_t Group,
                                  uint32_t Detail = 0);

struct TimeRow {
  tprt_control_time Sums;
  std::vector<std::pair<uint32_t, uint64_t>> Buckets; ///< bucket, count
  /// Only with TPRT_CONTROL_DETAIL_CALLERS. 0 if unknown.
  uint64_t ReturnAddress = 0;
};
/// Whether the row's function was called, and no exit of it is probed.
inline bool hasNoTimes(const TimeRow &Row) {
  return !Row.Sums.calls && !Row.Sums.open &&
         Row.Sums.flags & TPRT_CONTROL_TIME_NO_EXIT;
}
struct Times : Reading {
  std::vector<TimeRow> Rows;
};
/// `Detail`: enum tprt_control_detail.
llvm::Expected<Times> readTimes(Connection &C, uint32_t Group, uint32_t Detail);

/// A row of ROWS. The sums of one table: see tprt_control_row.
struct KeyedRow {
  tprt_control_row Sums;
  std::string Keys; ///< as in tprt/control_program.h
  std::vector<std::pair<uint32_t, uint64_t>> Buckets; ///< bucket, count
  uint64_t Self = 0; ///< in nanoseconds, with TPRT_CONTROL_ROW_SELF
};
struct KeyedRows : Reading {
  std::vector<KeyedRow> Rows;
  uint64_t Unread = 0, Left = 0; ///< see tprt_control_rows_answer
  tprt_control_pairs Pairs = {}; ///< of a group of pairs
};
/// The rows that have changed since the last reading.
llvm::Expected<KeyedRows> readRows(Connection &C, uint32_t Group, bool OfPairs);

llvm::Expected<tprt_control_figures_answer> readFigures(Connection &C);

} // namespace tpctl

#endif
