// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread begins and ends: what becomes of its part of the recording. In hits:
// async-signal-safe, without vector registers.
#include "record/thread_end.h"
#include "actions/record_hook.h"
#include "base/os_process.h"
#include "base/os_thread.h"
#include "record/append.h"
#include "record/block_handover.h"
#include "record/blocks.h"
#include "record/recording.h"
#include "record/thread_cursor.h"
#include "record/thread_record.h"
#include "sites/arch.h"

namespace tprt {

// A block with less room is not handed on.
static constexpr uint64_t kLeastHanded = 1024;

void beginThreadRecord(void *state) {
  ThreadRecord *thread = static_cast<ThreadRecordState *>(state)->record;
  __tprt_record.next = 0;
  __tprt_record.epoch = kNoEpoch;
  if (!thread)
    return;
  // The block's last thread ended without endThreadRecord().
  if (generationNow() && isOfNow(*thread) && thread->block && !thread->left)
    leaveBlock(thread->block, kBlockWords * 8);
  thread->callsStale = true;
  thread->generation = thread->forks = 0;
  thread->cursor = nullptr;
}

static void endInBlock(ThreadRecord &thread) {
  storeName(thread);
  const uint64_t now = readTicks();
  const uint64_t word = extensionWord(TPRT_TRACE_THREAD_END, 0, now);
  append(thread, now, &word, 1);
  uint64_t next = moveCursor(0);
  if (!thread.block || thread.left)
    return;
  if (roomAt(next) >= kLeastHanded && handOn(next))
    thread.left = true;
  else
    leaveBlock(thread.block, usedOf(thread.block, next));
}

void endThreadRecord(void *state) {
  ThreadRecord *thread = static_cast<ThreadRecordState *>(state)->record;
  if (!thread)
    return;
  if (generationNow() && isOfNow(*thread) && thread->block && !thread->left) {
    endInBlock(*thread);
    leaveHeld(*thread, true);
  }
  thread->generation = 0;
  thread->block = nullptr;
  __atomic_store_n(&thread->cursor, nullptr, __ATOMIC_SEQ_CST);
  while (__atomic_load_n(&thread->visitors, __ATOMIC_SEQ_CST))
    yieldThread(); // They read and write a number or two.
  __tprt_record.next = 0;
  __tprt_record.epoch = kNoEpoch;
}

} // namespace tprt
