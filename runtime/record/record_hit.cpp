// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a hit of a recording probe does where no stub records it, and
// tprt_record_mark(). Runs in hits, also in signal handlers: async-signal-safe,
// without vector registers, keeps errno. append.cpp has the slow path.
#include "record/record_hit.h"
#include "actions/action_list.h"
#include "actions/record_hook.h"
#include "base/os_process.h"
#include "record/append.h"
#include "record/event_values.h"
#include "record/record_program.h"
#include "record/recorded_probe.h"
#include "record/recording.h"
#include "record/site_numbers.h"
#include "record/thread_cursor.h"
#include "record/thread_record.h"
#include "sites/arch.h"
#include "text/inline_stubs.h"
#include "threads/thread_block.h"

namespace tprt {

// Whether the event is one word: no values, and a number that fits.
static bool isPlain(const tprt_event *event, const RecordedProbe &probe) {
  const tprt_recording_values &values = probe.values;
  return event->kind == TPRT_KIND_ENTRY  ? !values.arguments && !values.strings
         : event->kind == TPRT_KIND_EXIT ? !values.results
                                         : event->kind == TPRT_KIND_TAIL_EXIT;
}

static uint64_t eventWord(uint64_t now, uint32_t number, unsigned what) {
  return now << TPRT_TRACE_TIME_SHIFT |
         uint64_t{number} << TPRT_TRACE_SITE_SHIFT | what;
}
static bool isWide(uint32_t number) { return number >> TPRT_TRACE_SITE_BITS; }

static void recordWide(ThreadRecord &thread, uint64_t now, uint32_t number,
                       unsigned what) {
  const uint64_t words[] = {extensionWord(TPRT_TRACE_WIDE, 1, now),
                            uint64_t{what} << 32 | number};
  if (uint64_t *to = claimWords(thread, now, 2))
    storeEvent(to, words, 2);
}

static void recordOne(ThreadRecord &thread, uint64_t now,
                      const tprt_event *event, const tprt_regs *regs,
                      const RecordedProbe &probe) {
  ModuleRecord *module = recordOf(*event->site);
  if (!module)
    return loseEvent(&thread);
  unsigned what = whatOf(*module, *event->site, probe);
  if (!what)
    return;
  uint32_t number = module->firstSite + placeOf(*event->site);
  if (event->kind == TPRT_KIND_POINT) {
    uint32_t point = module->firstPoint + event->site->pointGroup;
    return recordPoint(thread, now, uint64_t{number} << 32 | point, event,
                       regs);
  }
  if (event->kind == TPRT_KIND_ENTRY) {
    if (!makeRoom(thread, now, kEntryWords))
      return;
    now = readTicks();
  }
  if (isWide(number))
    return recordWide(thread, now, number, what);
  uint64_t word = eventWord(now, number, what);
  if (!isPlain(event, probe))
    return recordValues(thread, now, word, event, regs, probe);
  if (uint64_t *to = claimWords(thread, now, 1))
    __atomic_store_n(to, word, __ATOMIC_RELEASE);
}

// --- hits --------------------------------------------------------------------

// In a copy of the process the words of all stubs are empty, so that no stub
// stores into a block of the parent. Here the thread has a block of its own.
static void letStubRecord(const tprt_event *event, const RecordedProbe &probe) {
  if (processGeneration == recording.begunIn)
    return;
  uint32_t word = wordOf(*event->site, const_cast<RecordedProbe *>(&probe));
  if (word)
    letRecord(*event->site, word);
}

// An event that interrupts the slow path has no values.
static void recordInside(ThreadRecord &thread, const tprt_event *event,
                         const RecordedProbe &probe) {
  ModuleRecord *module =
      event->kind == TPRT_KIND_POINT ? nullptr : recordOf(*event->site);
  if (!module)
    return loseEvent(nullptr);
  uint32_t number = module->firstSite + placeOf(*event->site);
  unsigned what = whatOf(*module, *event->site, probe);
  uint64_t now = readTicks();
  uint64_t word = eventWord(now, number, what);
  if (what && (isWide(number) || !appendNested(thread, now, &word, 1)))
    loseEvent(nullptr);
}

static void recordEvent(uint64_t now, const tprt_event *event,
                        const tprt_regs *regs, const RecordedProbe &probe) {
  if (!generationNow())
    return;
  ThreadRecord *thread = currentRecord();
  if (!thread)
    return loseEvent(nullptr);
  if (SlowPath path{*thread}) {
    recordOne(*thread, now, event, regs, probe);
    letStubRecord(event, probe);
  } else {
    recordInside(*thread, event, probe);
  }
}

void recordNested(const tprt_event *event, const tprt_regs *regs, void *data) {
  if (!event)
    return;
  const auto &probe = *static_cast<const RecordedProbe *>(data);
  if (probe.program)
    return loseForProgram(event);
  KeptErrno kept;
  recordEvent(readTicks(), event, regs, probe);
}

static void recordAnyEvent(const tprt_event *event, const tprt_regs *regs,
                           const RecordedProbe &probe) {
  uint64_t now = readTicks();
  KeptErrno kept;
  if (isCopiedProcess())
    noticeProcess(false);
  recordEvent(now, event, regs, probe);
}

// Everything but what recordHit() does by itself. Only this makes system calls.
[[gnu::noinline]] static void recordSlowly(const tprt_event *event,
                                           const tprt_regs *regs,
                                           const RecordedProbe &probe) {
  if (isWide(*event->site))
    keepVectorsIn([=, &probe] { recordAnyEvent(event, regs, probe); });
  else
    recordAnyEvent(event, regs, probe);
}

// An event in a thread that has room, of a site that is known. Most hits end
// here.
void recordHit(const tprt_event *event, const tprt_regs *regs, void *data) {
  const auto &probe = *static_cast<const RecordedProbe *>(data);
  if (probe.program)
    return recordByProgram(event, regs, probe);
  uint64_t now = readTicks();
  RecordCursor &cursor = __tprt_record;
  uint64_t next = __atomic_load_n(&cursor.next, __ATOMIC_RELAXED);
  if (cursor.epoch != static_cast<uint32_t>(now >> 32) || !hasRoom(next) ||
      isCopiedProcess() || recording.processGeneration != processGeneration)
    return recordSlowly(event, regs, probe);
  ModuleRecord *module = knownRecordOf(*event->site);
  uint32_t place = placeOf(*event->site);
  unsigned known = module ? module->sites[place] : 0;
  unsigned what = known & kWhatBits;
  if (!what || known >> kProbeShift != probe.number ||
      isWide(module->firstSite + place))
    return recordSlowly(event, regs, probe);
  uint64_t word = eventWord(now, module->firstSite + place, what);
  if (!isPlain(event, probe)) {
    if (!recordNumbers(next, word, event, regs, probe))
      recordSlowly(event, regs, probe);
  } else if (exchangeOn(&cursor.next, next, next + 8)) {
    __atomic_store_n(reinterpret_cast<uint64_t *>(next), word,
                     __ATOMIC_RELEASE);
  } else {
    recordSlowly(event, regs, probe);
  }
}

// A thread that has recorded nothing has no calls to end. An event that is not
// stored here is none of the program's, so it does not count as lost.
void recordUnwound(uint64_t function, uint64_t stack) {
  KeptErrno kept;
  if (isCopiedProcess())
    noticeProcess(false);
  ThreadRecord *thread = generationNow() ? currentRecord() : nullptr;
  if (thread && thread->generation == recording.generation) {
    uint64_t now = readTicks();
    const uint64_t words[] = {extensionWord(TPRT_TRACE_UNWOUND, 1, now),
                              function};
    // A signal handler that interrupted the slow path leaves it for good: what
    // is kept for its end would be stored much later. On another stack than the
    // slow path's, the handler cannot be told from one that continues there.
    auto here = reinterpret_cast<uint64_t>(__builtin_frame_address(0));
    uint64_t interrupted = thread->busy.where();
    if (here < interrupted && interrupted < stack)
      thread->busy.end();
    append(*thread, now, words, 2);
  }
}

} // namespace tprt

using namespace tprt;

void tprt_record_mark(uint64_t id) {
  if (!generationNow())
    return;
  KeptErrno kept;
  if (isCopiedProcess())
    noticeProcess(false);
  ThreadRecord *thread = currentRecord();
  uint64_t now = readTicks();
  const uint64_t words[] = {extensionWord(TPRT_TRACE_MARK, 1, now), id};
  if (!thread || !append(*thread, now, words, 2))
    loseEvent(nullptr);
}
