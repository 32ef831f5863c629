// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the programs of recorded probes; see record_program.h. In hits:
// async-signal-safe, without vector registers.
//
// A program that needs no end of the call runs at the entry. Then the entry is
// recorded, and later the exit. A program that needs the end runs there, and
// the call is recorded as a whole (TPRT_TRACE_WHOLE_CALL). So a call that is
// not wanted leaves nothing in the file. Both need the thread's list of open
// calls (timing/shadow_stack.h), in which all calls are.
#include "record/record_program.h"
#include "actions/action_list.h"
#include "actions/record_hook.h"
#include "base/os_process.h"
#include "modules/module.h"
#include "programs/hit_values.h"
#include "programs/run_program.h"
#include "record/append.h"
#include "record/processes.h"
#include "record/record_component.h"
#include "record/recording.h"
#include "record/site_numbers.h"
#include "record/thread_cursor.h"
#include "record/thread_record.h"
#include "sites/arch.h"
#include "threads/thread_block.h"
#include "timing/shadow_stack.h"
#include "timing/thread_sums.h"

namespace tprt {

namespace {
struct FollowedCall {
  uint64_t stack; // See ShadowStack.
  const RecordedProbe *probe;
  uint32_t site;   // Its number in the file.
  bool isRecorded; // If the program runs at entries.
  // Whole only if the program runs at the end of calls; otherwise only the
  // site.
  KeptEntry kept;
  uint64_t inner; // The ticks of recorded calls inside it, if it runs there.
};

constexpr unsigned kWholeCallWords = 1 + sizeof(tprt_trace_whole_call) / 8;
constexpr unsigned kMostEventWords = kWholeCallWords + 2 + kMostKeyWords;
} // namespace

struct FollowedCalls {
  uint32_t generation; // Recording::generation
  // The values of the hit under way, and the event that they become.
  uint64_t keys[kKeyRoom];
  uint64_t words[kMostEventWords];
  ShadowStack<FollowedCall> open;
  // For the calls of `open`, at the same places.
  OtherArguments others[kMostOpen + 2];

  OtherArguments &othersOf(const FollowedCall &call) {
    return others[&call - open.calls];
  }
};

// nullptr: no memory.
static FollowedCalls *callsOf(ThreadRecord &thread) {
  FollowedCalls *calls = thread.calls;
  if (!calls) {
    calls = static_cast<FollowedCalls *>(reserveInHit(sizeof(FollowedCalls)));
    if (!calls)
      return nullptr;
    __atomic_store_n(&thread.calls, calls, __ATOMIC_RELEASE);
  }
  if (calls->generation != recording.generation || thread.callsStale) {
    calls->open.init();
    calls->generation = recording.generation;
    thread.callsStale = false;
  }
  return calls;
}

// --- events ------------------------------------------------------------------

static uint64_t *addWord(uint64_t *end, uint64_t word) {
  *end = word;
  __asm__ volatile("" ::: "memory"); // no memcpy of a loop of these
  return end + 1;
}

// The program's keys, as the file has values: a word of forms, the number of
// the list, and the values.
static uint64_t *addValues(uint64_t *to, uint32_t list, const uint64_t *keys,
                           size_t keyWords) {
  constexpr unsigned kKindBits = (1 << kKeyLengthShift) - 1;
  constexpr uint64_t kCut = uint64_t{1} << TPRT_TRACE_STRING_CUT_BIT;
  uint64_t *const head = to;
  uint64_t *end = addWord(head + 1, list);
  uint64_t forms = 0;
  unsigned shift = 0;
  for (size_t i = 0; i < keyWords; shift += TPRT_TRACE_FORM_BITS) {
    const uint64_t key = keys[i++], length = lengthOfKey(key);
    uint64_t form = TPRT_TRACE_FORM_NONE;
    size_t words = 0;
    switch (key & kKindBits) {
    case TPRT_PROGRAM_KEY_NUMBER:
      form = TPRT_TRACE_FORM_SIGNED;
      words = 1;
      break;
    case TPRT_PROGRAM_KEY_TEXT:
    case TPRT_PROGRAM_KEY_CUT_TEXT:
      form = TPRT_TRACE_FORM_STRING;
      words = (length + 7) / 8;
      end = addWord(
          end,
          length | ((key & kKindBits) == TPRT_PROGRAM_KEY_TEXT ? 0 : kCut));
      break;
    case TPRT_PROGRAM_KEY_STACK_FRAMES:
      form = TPRT_TRACE_FORM_STACK;
      words = length;
      end = addWord(end, key >> kKeyLengthShift);
      break;
    default:
      break;
    }
    forms |= form << shift;
    for (const size_t stop = i + words; i < stop; ++i)
      end = addWord(end, keys[i]);
  }
  addWord(head, extensionWord(TPRT_TRACE_COMPUTED,
                              static_cast<uint64_t>(end - head - 1), forms));
  return end;
}

// False: the event is lost, and was counted.
static bool storeWords(ThreadRecord &thread, uint64_t now,
                       const uint64_t *words, const uint64_t *end) {
  KeptErrno kept;
  const auto count = static_cast<unsigned>(end - words);
  if (SlowPath path{thread}) {
    uint64_t *to = claimWords(thread, now, count);
    if (to)
      storeEvent(to, words, count);
    return to;
  }
  if (appendNested(thread, now, words, count))
    return true;
  loseEvent(nullptr);
  return false;
}

// False: the entry is lost, and was counted.
static bool hasRoomForEntry(ThreadRecord &thread) {
  KeptErrno kept;
  SlowPath path{thread};
  return !path || makeRoom(thread, readTicks(), kEntryWords);
}

// Stores an event of one word, or of two if the site's number needs it, with
// the values that were computed.
static bool storeEventOf(ThreadRecord &thread, FollowedCalls &calls,
                         uint64_t now, uint32_t site, unsigned what,
                         const RecordedProbe &probe, size_t keyWords) {
  uint64_t *end = calls.words;
  if (site >> TPRT_TRACE_SITE_BITS) {
    end = addWord(end, extensionWord(TPRT_TRACE_WIDE, 1, now));
    end = addWord(end, uint64_t{what} << 32 | site);
  } else {
    end = addWord(end, now << TPRT_TRACE_TIME_SHIFT |
                           uint64_t{site} << TPRT_TRACE_SITE_SHIFT | what);
  }
  if (keyWords)
    end = addValues(end, probe.list, calls.keys, keyWords);
  return storeWords(thread, now, calls.words, end);
}

// --- programs ----------------------------------------------------------------

HitLimit recordedLimit;

// A recorded call of a program that may stop is the last one, or not.
static void finish(const RecordedProbe &probe, uint32_t lastAt) {
  if (probe.program->stops)
    recordedLimit.finish(lastAt);
}

// Whether the call is wanted. `keyWords`: of the values in calls.keys.
// `lastAt`: for finish().
static bool wants(const RecordedProbe &probe, const HitValues &hit,
                  FollowedCalls &calls, size_t &keyWords, uint32_t &lastAt) {
  ProgramResult result;
  result.keys = calls.keys;
  if (probe.program->stops && recordedLimit.isOver())
    return false;
  const Outcome outcome = runProgram(*probe.program, hit, result);
  if (outcome == Outcome::Unread)
    __atomic_fetch_add(&recording.header().unread, 1, __ATOMIC_RELAXED);
  if (outcome != Outcome::Counts ||
      (probe.program->stops && !recordedLimit.takes(result.lastAt)))
    return false;
  lastAt = result.lastAt;
  keyWords = result.keyWords;
  return true;
}

// The innermost call has ended. `result` is nullptr if it has none.
static void close(ThreadRecord &thread, FollowedCalls &calls, uint64_t now,
                  tprt_trace_call_end how, const CallResult *result,
                  StackPlace place) {
  FollowedCall &call = *calls.open.top;
  calls.open.setTop(calls.open.top - 1);
  if (!call.probe->program->isAtEnd())
    return;
  const HitValues hit =
      valuesAtEnd(call.kept, calls.othersOf(call),
                  how == TPRT_TRACE_CALL_LEFT ? kLeft : now, result, place);
  size_t keyWords;
  uint32_t lastAt;
  uint64_t ofCaller = call.inner;
  if (wants(*call.probe, hit, calls, keyWords, lastAt)) {
    uint64_t *end =
        addWord(calls.words,
                extensionWord(TPRT_TRACE_WHOLE_CALL, kWholeCallWords - 1, now));
    end = addWord(end, uint64_t{how} << 32 | call.site);
    end = addWord(end, call.kept.start);
    end = addWord(end, call.inner);
    if (keyWords)
      end = addValues(end, call.probe->list, calls.keys, keyWords);
    if (storeWords(thread, now, calls.words, end))
      ofCaller = now > call.kept.start ? now - call.kept.start : 0;
    finish(*call.probe, lastAt);
  }
  if (calls.open.depth())
    calls.open.top->inner += ofCaller;
}

static uint64_t stackOf(const tprt_regs *regs) {
  return reinterpret_cast<uint64_t>(tprt_regs_stack(regs));
}

static void enter(ThreadRecord &thread, FollowedCalls &calls,
                  const tprt_event *event, const tprt_regs *regs,
                  const RecordedProbe &probe) {
  const tprt_site &site = *event->site;
  ModuleRecord *module = recordOf(site);
  if (!module)
    return loseEvent(&thread);
  const unsigned what = whatOf(*module, site, probe);
  const bool isAtEnd = probe.program->isAtEnd();
  // Without an exit, the end of the call is not seen.
  if (!what || (isAtEnd && what != TPRT_TRACE_ENTRY))
    return;
  const uint64_t stack = stackOf(regs);
  calls.open.cutLeft(stack, [&] {
    close(thread, calls, readTicks(), TPRT_TRACE_CALL_LEFT, nullptr, {});
  });
  if (what == TPRT_TRACE_ENTRY && calls.open.isFull())
    return loseEvent(&thread);
  const uint32_t number = module->firstSite + placeOf(site);
  bool isRecorded = false;
  if (!isAtEnd) {
    OtherArguments others;
    size_t keyWords;
    uint32_t lastAt;
    if (wants(probe, valuesAtEntry(*probe.program, event, regs, others), calls,
              keyWords, lastAt)) {
      isRecorded = hasRoomForEntry(thread) &&
                   storeEventOf(thread, calls, readTicks(), number, what, probe,
                                keyWords);
      finish(probe, lastAt);
    }
  }
  if (what != TPRT_TRACE_ENTRY)
    return;
  FollowedCall *call = calls.open.top + 1;
  call->stack = stack;
  call->probe = &probe;
  call->kept.entry = &site;
  call->site = number;
  call->isRecorded = isRecorded;
  if (isAtEnd) {
    call->inner = 0;
    call->kept.keep(*probe.program, event, regs, calls.othersOf(*call));
  }
  calls.open.setTop(call);
}

// The call began on another thread.
static void disown(uint64_t stack) {
  for (Thread *t = firstThread(); t; t = t->next)
    if (ThreadRecord *record = __atomic_load_n(&recordIn(t), __ATOMIC_ACQUIRE))
      if (FollowedCalls *calls =
              __atomic_load_n(&record->calls, __ATOMIC_ACQUIRE))
        calls->open.disown(stack);
}

static void leave(ThreadRecord &thread, FollowedCalls &calls,
                  const tprt_event *event, const tprt_regs *regs,
                  const RecordedProbe &probe) {
  const uint64_t now = readTicks(), stack = stackOf(regs);
  const tprt_site &site = *event->site;
  if (calls.open.wasLeftOut(stack))
    return;
  auto isIts = [&](const FollowedCall &call) {
    return functionOf(*call.kept.entry) == functionOf(site);
  };
  // Another probe at this site has ended the call.
  const FollowedCall &last = calls.open.top[1];
  if (last.stack == stack && last.probe != &probe && isIts(last))
    return;
  const FollowedCall *call = calls.open.cutInside(stack, isIts, [&] {
    close(thread, calls, now, TPRT_TRACE_CALL_LEFT, nullptr, {});
  });
  if (!call)
    return disown(stack);
  CallResult result;
  readResult(*call->probe->program, event, regs, result);
  const bool returns = event->kind == TPRT_KIND_EXIT;
  const bool isRecorded = call->isRecorded;
  close(thread, calls, now,
        returns ? TPRT_TRACE_CALL_RETURNED : TPRT_TRACE_CALL_TAIL,
        returns ? &result : nullptr, {event, regs});
  if (!isRecorded)
    return;
  if (ModuleRecord *module = recordOf(site))
    storeEventOf(thread, calls, now, module->firstSite + placeOf(site),
                 TPRT_TRACE_EXIT, probe, 0);
  else
    loseEvent(&thread);
}

// A single instruction, or a point.
static void visit(ThreadRecord &thread, FollowedCalls &calls,
                  const tprt_event *event, const tprt_regs *regs,
                  const RecordedProbe &probe) {
  const tprt_site &site = *event->site;
  ModuleRecord *module = recordOf(site);
  if (!module)
    return loseEvent(&thread);
  const unsigned what = whatOf(*module, site, probe);
  OtherArguments others;
  size_t keyWords;
  uint32_t lastAt;
  if (!what || !wants(probe, valuesAtEntry(*probe.program, event, regs, others),
                      calls, keyWords, lastAt))
    return;
  storeEventOf(thread, calls, readTicks(), module->firstSite + placeOf(site),
               what, probe, keyWords);
  finish(probe, lastAt);
}

static bool isVisit(const tprt_event *event) {
  return event->kind == TPRT_KIND_INSTRUCTION || event->kind == TPRT_KIND_POINT;
}

static void follow(const tprt_event *event, const tprt_regs *regs,
                   const RecordedProbe &probe) {
  if (isCopiedProcess()) {
    KeptErrno kept;
    noticeProcess(false);
  }
  if (!generationNow())
    return;
  ThreadRecord *thread = currentRecord();
  FollowedCalls *calls = thread ? callsOf(*thread) : nullptr;
  if (!calls)
    return loseForProgram(event);
  if (event->kind == TPRT_KIND_ENTRY)
    enter(*thread, *calls, event, regs, probe);
  else if (event->kind == TPRT_KIND_EXIT || event->kind == TPRT_KIND_TAIL_EXIT)
    leave(*thread, *calls, event, regs, probe);
  else if (isVisit(event))
    visit(*thread, *calls, event, regs, probe);
}

void recordByProgram(const tprt_event *event, const tprt_regs *regs,
                     const RecordedProbe &probe) {
  if (isWide(*event->site))
    keepVectorsIn([=, &probe] { follow(event, regs, probe); });
  else
    follow(event, regs, probe);
}

void loseForProgram(const tprt_event *event) {
  if ((event->kind == TPRT_KIND_ENTRY || isVisit(event)) && generationNow())
    loseEvent(nullptr);
}

} // namespace tprt
