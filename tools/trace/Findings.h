// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts what a reader had to skip or repair in a recording. Every command
// reports these findings at its end. Any thread may add a finding.

#ifndef TP_TRACE_FINDINGS_H
#define TP_TRACE_FINDINGS_H

#include "llvm/ADT/StringRef.h"
#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace tp::trace {

enum class Finding {
  BlockUnknown,    ///< no magic, or an unknown kind or state
  BlockClearing,   ///< its writer was killed while it took the block
  BlockTwice,      ///< two blocks have one sequence number
  BlockTooLong,    ///< `used` is more than the block holds
  BlockCut,        ///< the file ends inside the block
  BlocksMissing,   ///< gaps between the blocks of a thread
  FileShort,       ///< blocks that the header promises and the file lacks
  WordsLost,       ///< words that were claimed and never stored
  EventsCut,       ///< events that were not whole
  WordsUnknown,    ///< words of extensions that this reader does not know
  WordsBeyond,     ///< counts that lead beyond the block
  RecordUnknown,   ///< records of unknown types
  RecordBad,       ///< records that are damaged
  PackBad,         ///< packs that do not unpack
  PackCut,         ///< the file ends inside the pack
  EventsLost,      ///< events that the recorder lost and counted
  SitesUnknown,    ///< events of sites without a row
  TimeBack,        ///< times moved up to the thread's latest time
  ExitsAlone,      ///< exits without an entry
  CallsUntimed,    ///< calls of functions whose exits are not recorded
  CallsUnwound,    ///< calls that ended without an exit
  CallsUnfinished, ///< calls still open at the end
  CallsUncertain,  ///< calls around lost events
  CallsTooDeep,
  CallsUnread,   ///< calls beyond the deepest stack that is followed
  PathsCut,      ///< calls deeper than the paths that are written
  ProcessesCut,  ///< processes that ended without saying so
  ProcessesGoOn, ///< processes that are recording still
};
constexpr size_t FindingCount = static_cast<size_t>(Finding::ProcessesGoOn) + 1;

class Findings {
public:
  void add(Finding Which, uint64_t Count = 1) {
    Counts[static_cast<size_t>(Which)].fetch_add(Count,
                                                 std::memory_order_relaxed);
  }
  uint64_t count(Finding Which) const {
    return Counts[static_cast<size_t>(Which)].load(std::memory_order_relaxed);
  }
  /// The file ends before the last of its blocks. The sentence about this
  /// replaces the counts of incomplete and missing blocks. To be called before
  /// other threads use the findings.
  void cut(uint64_t AtByte, uint64_t OfBytes, uint64_t Blocks,
           uint64_t OfBlocks);
  /// Whether the file was cut off.
  bool isCut() const;
  /// One sentence for each kind that was found.
  std::vector<std::string> sentences() const;

private:
  std::array<std::atomic<uint64_t>, FindingCount> Counts{};
  std::string Cut; ///< the sentence
};

/// The short name of a finding, for JSON.
llvm::StringRef nameOf(Finding Which);

} // namespace tp::trace

#endif
