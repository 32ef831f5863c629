// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions that handlers call (tprt_run_api). In hits: async-signal-safe,
// without a lock and without vector registers.
#include "run/run_calls.h"
#include "base/os_process.h"
#include "points/line_buffer.h"
#include "programs/read_memory.h"
#include "run/run_format.h"
#include "run/run_lines.h"
#include "run/run_object.h"
#include "run/run_table.h"
#include "sites/arch.h"
#include "threads/thread_block.h"
#include "tprt/tprt.h"

namespace tprt {

static RunObject &objectOf(const tprt_run_api *run) {
  return *reinterpret_cast<RunObject *>(
      const_cast<tprt_run_api *>(run)); // the first member
}

static void print(const tprt_run_api *run, const char *format, ...) {
  constexpr size_t kMost = 480;
  RunLines &lines = *objectOf(run).lines;
  char *line = takeLine();
  if (!line) {
    __atomic_fetch_add(&lines.lost, 1, __ATOMIC_RELAXED);
    return;
  }
  Text text(line, kMost);
  va_list arguments;
  va_start(arguments, format);
  formatRunLine(text, format, arguments);
  va_end(arguments);
  addRunLine(lines, line, text.stored());
  giveLine(line);
}

static void add(const tprt_run_api *, tprt_run_table *table,
                const uint64_t *keys, uint32_t numbers, const char *text,
                int64_t value) {
  RunKey key;
  key.numberCount = static_cast<uint16_t>(
      numbers < TPRT_RUN_NUMBERS ? numbers : TPRT_RUN_NUMBERS);
  for (unsigned i = 0; i < key.numberCount; ++i)
    key.numbers[i] = keys[i];
  key.textBytes = 0;
  bool isCut;
  if (text) {
    int length = readString(reinterpret_cast<uint64_t>(text),
                            TPRT_RUN_TEXT_BYTES, UINT64_MAX, key.text, isCut);
    if (length < 0) {
      // A text that cannot be read has a row of its own.
      key.text[0] = '?';
      length = 1;
    }
    key.textBytes = static_cast<uint16_t>(length);
  }
  addToRunTable(*table, key, value);
}

static int readMemory(const tprt_run_api *, void *to, const void *from,
                      size_t bytes) {
  auto *out = static_cast<unsigned char *>(to);
  auto at = reinterpret_cast<uint64_t>(from);
  while (bytes) {
    const unsigned part = bytes >= 8 ? 8 : bytes >= 4 ? 4 : bytes >= 2 ? 2 : 1;
    const Read got = readNumber(at, part);
    if (!got.known)
      return 0;
    for (unsigned i = 0; i < part; ++i) {
      *out++ = static_cast<unsigned char>(got.value >> 8 * i);
      keepLoop();
    }
    at += part;
    bytes -= part;
  }
  return 1;
}

static long readText(const tprt_run_api *, char *to, size_t bytes,
                     const char *from) {
  if (!bytes)
    return -1;
  constexpr size_t kMost = 65536;
  bool isCut;
  const auto most = static_cast<uint32_t>(bytes < kMost ? bytes - 1 : kMost);
  const int length = from ? readString(reinterpret_cast<uint64_t>(from), most,
                                       UINT64_MAX, to, isCut)
                          : -1;
  to[length < 0 ? 0 : length] = 0;
  return length;
}

static uint64_t readNanoseconds(const tprt_run_api *) {
  return tprt_ticks_to_ns(readTicks());
}

static int32_t readThread(const tprt_run_api *) { return idInHit(); }

static void setErrno(const tprt_run_api *, int number) {
  Thread *self = threadInHandler();
  *(self->owner ? self->errnoLocation : programErrno()) = number;
  self->handlerErrno = number;
  self->setsErrno = true;
}

void prepareRunApi(RunObject &object) {
  object.api = {
      TPRT_RUN_VERSION, sizeof(tprt_run_api), print,      add,     readMemory,
      readText,         readNanoseconds,      readThread, setErrno};
}

} // namespace tprt
