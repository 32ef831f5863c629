// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See run_lines.h.
#include "run/run_lines.h"
#include "base/os_memory.h"
#include "base/page_size.h"
#include "points/text.h"

namespace tprt {

RunLines *makeRunLines() {
  return static_cast<RunLines *>(reservePages(roundToPages(sizeof(RunLines))));
}

void freeRunLines(RunLines *lines) {
  if (lines)
    freePages(lines, roundToPages(sizeof(RunLines)));
}

void addRunLine(RunLines &lines, const char *text, size_t bytes) {
  uint64_t number = __atomic_load_n(&lines.written, __ATOMIC_RELAXED);
  do {
    if (number - __atomic_load_n(&lines.read, __ATOMIC_ACQUIRE) >=
        RunLines::kLines) {
      __atomic_fetch_add(&lines.lost, 1, __ATOMIC_RELAXED);
      return;
    }
  } while (!__atomic_compare_exchange_n(&lines.written, &number, number + 1,
                                        true, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED));
  RunLine &line = lines.lines[number % RunLines::kLines];
  line.bytes = static_cast<uint32_t>(bytes);
  copyBytes(line.text, text, bytes);
  __atomic_store_n(&line.number, number + 1, __ATOMIC_RELEASE);
}

} // namespace tprt
