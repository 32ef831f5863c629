// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps a page for each thread's lines; see line_buffer.h. If a signal handler
// switches coroutines, the thread may change between the two calls, and another
// line may be made in the meantime. So the page is removed from the thread's
// block until giveLine().
#include "points/line_buffer.h"
#include "base/os_memory.h"
#include "base/page_size.h"
#include "tprt/point.h"

#include <errno.h>

namespace tprt {

static size_t lineBytes() { return roundToPages(TPRT_LINE_LIMIT); }

char *takeLine() {
  Thread *self = currentThread();
  if (!self)
    return nullptr;
  char *&kept = stateOf<ThreadLine>(self, linesComponent).page;
  if (char *page = __atomic_exchange_n(&kept, nullptr, __ATOMIC_RELAXED))
    return page;
  int saved = errno;
  void *page = allocatePages(lineBytes());
  errno = saved;
  return static_cast<char *>(page);
}

void giveLine(char *line) {
  Thread *self = currentThread();
  char *none = nullptr;
  if (self && __atomic_compare_exchange_n(
                  &stateOf<ThreadLine>(self, linesComponent).page, &none, line,
                  false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    return;
  int saved = errno;
  freePages(line, lineBytes());
  errno = saved;
}

} // namespace tprt
