// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An open recording: its file, tables and clock, and functions that visit its
// events. Events come as segments: runs of words of one thread.

#ifndef TP_TRACE_RECORDING_H
#define TP_TRACE_RECORDING_H

#include "Tables.h"

namespace tp::trace {

/// A part of a block that belongs to one thread.
struct Segment {
  uint32_t Process, Pid, Thread, Tid, Order, Depth;
  uint64_t Counter, Lost;
  std::shared_ptr<const Buffer> Owner;
  llvm::ArrayRef<uint64_t> Words;

  /// Identifies the thread.
  uint64_t key() const { return uint64_t(Process) << 32 | Thread; }
};

/// Gets the segments of some threads. The segments of each thread come in
/// order.
class SegmentSink {
public:
  virtual ~SegmentSink() = default;
  virtual void segment(const Segment &S) = 0;
  virtual void finish() = 0;
};

class Recording {
public:
  static llvm::Expected<std::unique_ptr<Recording>> open(llvm::StringRef Path);

  /// Visits segments, until the visitor returns false: all segments, or those
  /// that may have events at a counter or later (BlockFile::visitEvents).
  llvm::Error visit(llvm::function_ref<bool(Segment)> Visit, uint64_t From = 0);

  /// Gives each recorded thread's segments to one of several sinks. Each sink
  /// runs on a separate thread; a single sink runs on the caller's thread.
  /// Calls finish() of each sink.
  llvm::Error distribute(llvm::ArrayRef<std::unique_ptr<SegmentSink>> Sinks);

  const BlockFile &file() const { return *File; }
  const tprt_trace_header &header() const { return File->header(); }
  Tables &tables() { return Names; }
  const Clock &clock() const { return Time; }
  Findings &findings() { return Found; }

private:
  Recording() : Names(Found) {}
  llvm::Error readRecords();
  llvm::Error readMoments();
  void findEnds();

  Findings Found;
  std::unique_ptr<BlockFile> File;
  Tables Names;
  Clock Time{tprt_trace_header{}};
};

} // namespace tp::trace

#endif
