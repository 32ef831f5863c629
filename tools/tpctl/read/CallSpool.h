// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects the beginnings and ends of calls, in one row per stack. Some formats
// need the threads one after the other, but a recording has the events of all
// threads mixed. If the rows do not fit in memory, the rest is in a temporary
// file. Not thread-safe.

#ifndef TPCTL_CALLSPOOL_H
#define TPCTL_CALLSPOOL_H

#include "Profile.h"
#include <cstdio>

namespace tpctl {

class CallSpool {
public:
  enum Kind : uint32_t { Open, Close, Dropped };
  struct Event {
    uint64_t Time;
    tp::trace::FunctionId Function;
    Kind What;
  };

  CallSpool() = default;
  CallSpool(const CallSpool &) = delete;
  CallSpool &operator=(const CallSpool &) = delete;
  ~CallSpool();

  /// Returns the number of a new row.
  size_t addRow();
  /// Returns the event's place in its row.
  uint32_t add(size_t Row, Event E);
  /// Removes the beginning of a call.
  void drop(size_t Row, uint32_t At);
  /// Visits the events that were not dropped, in the order in which they were
  /// added.
  llvm::Error visit(size_t Row, llvm::function_ref<void(const Event &)> Visit);

private:
  static constexpr size_t PerChunk = 4096;
  static constexpr size_t MostInMemory = size_t(16) << 20;

  /// A chunk of a row, in the file or in memory. Only the last chunk of a row
  /// may be partly filled.
  struct Chunk {
    std::vector<Event> Events;
    long InFile = -1;
  };
  void moveToFile(Chunk &C);

  std::vector<std::vector<Chunk>> Rows;
  std::FILE *File = nullptr;
  size_t InMemory = 0;
  long FileEnd = 0;
  bool Failed = false;
};

} // namespace tpctl

#endif
