// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tprt_recording_snapshot(): copies the blocks to another file while threads go
// on. Nobody is held up: a block that is taken again while it is copied is
// copied once more, and left out if it happens again. Any thread; not in hits.
#include "base/cancel.h"
#include "base/os_file.h"
#include "base/os_memory.h"
#include "record/file_name.h"
#include "record/recording.h"
#include "record/recording_calls.h"
#include "record/recording_file.h"
#include "threads/status.h"
#include "threads/thread_block.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

namespace tprt {

// Words of events are stored one by one, so they are copied so, too.
static void copyWords(uint64_t *to, const uint64_t *from) {
  for (size_t i = 0; i < kRecordBlockBytes / 8; ++i)
    to[i] = __atomic_load_n(&from[i], __ATOMIC_RELAXED);
}

static void copyBlock(Block *to, const Block *from) {
  constexpr unsigned kTries = 3;
  auto *out = reinterpret_cast<uint64_t *>(to);
  const auto *in = reinterpret_cast<const uint64_t *>(from);
  for (unsigned tries = 0; tries < kTries; ++tries) {
    uint64_t head = __atomic_load_n(&in[0], __ATOMIC_ACQUIRE);
    uint64_t sequence = __atomic_load_n(&from->sequence, __ATOMIC_ACQUIRE);
    // A record block may grow meanwhile: what it has now is whole.
    uint32_t used = __atomic_load_n(&from->used, __ATOMIC_ACQUIRE);
    copyWords(out, in);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    if (__atomic_load_n(&from->sequence, __ATOMIC_ACQUIRE) == sequence) {
      if (to->kind == TPRT_TRACE_BLOCK_RECORDS)
        to->used = used;
      uint64_t now = __atomic_load_n(&in[0], __ATOMIC_ACQUIRE);
      if (now >> 48 != TPRT_TRACE_BLOCK_CLEARING && head >> 48)
        return;
    }
  }
  memset(static_cast<void *>(to), 0, sizeof *to); // as if it was free
}

static bool writeSnapshot(int file, uint64_t *buffer) {
  uint64_t blocks = recording.header().blocks, taken = readShared(kTaken);
  if (taken < blocks)
    blocks = taken;
  copyWords(buffer, reinterpret_cast<const uint64_t *>(&recording.header()));
  auto &header = *reinterpret_cast<tprt_trace_header *>(buffer);
  header.blocks = blocks;
  header.end_reason = TPRT_TRACE_END_SNAPSHOT;
  header.state = TPRT_TRACE_STATE_CLOSED;
  readMoment(header.end);
  memset(header.private_words, 0, sizeof header.private_words);
  const auto *bytes = reinterpret_cast<const char *>(buffer);
  if (!writeAll(file, bytes, kRecordBlockBytes))
    return false;
  for (uint64_t i = 0; i < blocks; ++i) {
    copyBlock(reinterpret_cast<Block *>(buffer), recording.block(i));
    if (!writeAll(file, bytes, kRecordBlockBytes))
      return false;
  }
  return true;
}

static tprt_status snapshot(const char *name) {
  auto *buffer = static_cast<uint64_t *>(allocatePages(kRecordBlockBytes));
  if (!buffer)
    return fail(TPRT_STATUS_NO_MEMORY, "no memory for a snapshot");
  char path[kMostPath];
  int file = -1;
  tprt_status status = createRecording(name, path, file);
  if (status == TPRT_STATUS_OK) {
    if (!writeSnapshot(file, buffer)) {
      status = fail(TPRT_STATUS_NO_FILE, "%s: the snapshot is incomplete: %s",
                    path, strerror(errno));
      unlink(path);
    }
    close(file);
  }
  freePages(buffer, kRecordBlockBytes);
  return status;
}

} // namespace tprt

using namespace tprt;

tprt_status tprt_recording_snapshot(const char *file) {
  if (insideHandler())
    return fail(TPRT_STATUS_IN_HANDLER,
                "a snapshot is not allowed from inside a handler");
  CancelDisabled uncancelled;
  if (!holdRecording())
    return fail(TPRT_STATUS_UNSUPPORTED,
                "nothing is recorded, so there is nothing to copy: begin with "
                "TPRT_OPTIONS=record=FILE: or tprt_recording_start()");
  tprt_status status = snapshot(file);
  releaseRecording();
  return status;
}
