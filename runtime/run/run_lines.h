// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lines that handlers print, until the tool reads them. Many threads write
// without a lock, and the work thread reads.
#ifndef TPRT_RUN_RUN_LINES_H
#define TPRT_RUN_RUN_LINES_H

#include <stddef.h>
#include <stdint.h>

namespace tprt {

struct RunLine {
  // The line's number, from 1, once the text is complete.
  uint64_t number;
  uint32_t bytes, reserved;
  char text[496];
};
static_assert(sizeof(RunLine) == 512);

struct RunLines {
  static constexpr uint64_t kLines = 2048;
  uint64_t written; // how many lines were begun
  uint64_t read;    // how many of them the tool has got
  uint64_t lost;
  RunLine lines[kLines];
};

// Allocates pages. nullptr: no memory.
RunLines *makeRunLines();
void freeRunLines(RunLines *lines);
// Adds a line. In hits.
void addRunLine(RunLines &lines, const char *text, size_t bytes);
// Calls put(text, bytes) for the next lines, until it returns false; that line
// is read again. A line that its thread has not completed ends the reading.
template <class Put> void readRunLines(RunLines &lines, Put put) {
  for (;;) {
    const RunLine &line = lines.lines[lines.read % RunLines::kLines];
    if (__atomic_load_n(&line.number, __ATOMIC_ACQUIRE) != lines.read + 1 ||
        !put(line.text, line.bytes))
      return;
    __atomic_store_n(&lines.read, lines.read + 1, __ATOMIC_RELEASE);
  }
}

} // namespace tprt

#endif
