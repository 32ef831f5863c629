// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Events with values: arguments, results, and points. In hits:
// async-signal-safe, without vector registers.
//
// The words of an event are claimed by one instruction, so their number has to
// be known before: strings of functions are read into the thread's memory
// first, and those of points are measured.
#include "record/event_values.h"
#include "actions/record_hook.h"
#include "points/arguments.h"
#include "programs/read_memory.h"
#include "record/append.h"
#include "record/blocks.h"
#include "record/recorded_probe.h"
#include "record/thread_cursor.h"
#include "record/thread_record.h"
#include "sites/arch.h"

namespace tprt {

static constexpr uint64_t kCut = uint64_t{1} << TPRT_TRACE_STRING_CUT_BIT;

static unsigned wordsOf(uint64_t bytes) {
  return 1 + static_cast<unsigned>((bytes + 7) / 8);
}

static void copyWord(uint64_t *to, uint64_t word) {
  *to = word;
  __asm__ volatile("" ::: "memory"); // no memcpy of a loop of these
}

// --- arguments and results ---------------------------------------------------

namespace {
// A value of an event: its form, and its words.
struct Captured {
  uint32_t form;
  uint64_t word; // The value, or the length of the string with its mark.
};
} // namespace

// The types of arguments are not known. A small number is shown as a number,
// and anything else as an address.
static uint32_t formOfWord(uint64_t word) {
  auto number = static_cast<int64_t>(word);
  return number >= INT32_MIN && number <= int64_t{UINT32_MAX}
             ? TPRT_TRACE_FORM_SIGNED
             : TPRT_TRACE_FORM_ADDRESS;
}

static Captured capture(ThreadRecord *thread, uint64_t word, unsigned index,
                        bool string) {
  if (!string)
    return {formOfWord(word), word};
  if (!word)
    return {TPRT_TRACE_FORM_ADDRESS, 0};
  bool cut;
  const int length =
      readString(word, kStringBytes, UINT64_MAX, thread->strings[index], cut);
  if (length < 0)
    return {TPRT_TRACE_FORM_UNREADABLE, word};
  return {TPRT_TRACE_FORM_STRING,
          static_cast<uint64_t>(length) | (cut ? kCut : 0)};
}

static unsigned wordsOf(const Captured &value) {
  return value.form == TPRT_TRACE_FORM_STRING ? wordsOf(value.word & ~kCut) : 1;
}

static uint64_t *storeText(uint64_t *to, const char *text, uint64_t bytes) {
  for (uint64_t at = 0; at < bytes; at += 8) {
    uint64_t word = 0;
    for (uint64_t i = at; i < at + 8 && i < bytes; ++i) {
      word |= uint64_t{static_cast<uint8_t>(text[i])} << 8 * (i - at);
      __asm__ volatile("" ::: "memory");
    }
    copyWord(to++, word);
  }
  return to;
}

// The integer arguments that may be in registers, by the function's record.
static unsigned mostArguments(const tprt_site &site) {
  unsigned live = site.live();
  return live == TPRT_LIVE_ONE     ? 1
         : live == TPRT_LIVE_THREE ? 3
                                   : unsigned{TPRT_ARGUMENT_REGISTERS};
}

namespace {
// The values of an event. `thread` is where strings are read to; nullptr: there
// are none.
struct CapturedEvent {
  CapturedEvent(ThreadRecord *thread, const tprt_event *event,
                const tprt_regs *regs, const tprt_recording_values &asked);
  // Stores the event, whose first word is `word`, to words that were claimed.
  void store(uint64_t *to, uint64_t word) const;

  ThreadRecord *thread;
  unsigned count = 1, words = 2; // The event, and the head of its values.
  uint64_t forms = 0;
  Captured values[TPRT_ARGUMENT_REGISTERS];
};
} // namespace

CapturedEvent::CapturedEvent(ThreadRecord *thread, const tprt_event *event,
                             const tprt_regs *regs,
                             const tprt_recording_values &asked)
    : thread(thread) {
  if (event->kind == TPRT_KIND_EXIT) {
    values[0] = capture(thread, tprt_regs_result(regs), 0, false);
  } else {
    unsigned most = mostArguments(*event->site);
    unsigned strings = asked.strings ? 32 - __builtin_clz(asked.strings) : 0;
    count = asked.arguments > strings ? asked.arguments : strings;
    count = count < most ? count : most;
    for (unsigned i = 0; i < count; ++i) {
      bool string = asked.strings >> i & 1;
      values[i] = {TPRT_TRACE_FORM_NONE, 0};
      if (string || i < asked.arguments)
        values[i] = capture(thread, tprt_regs_argument(regs, i), i, string);
    }
  }
  for (unsigned i = 0; i < count; ++i) {
    forms |= uint64_t{values[i].form} << TPRT_TRACE_FORM_BITS * i;
    words += values[i].form == TPRT_TRACE_FORM_NONE ? 0 : wordsOf(values[i]);
  }
}

void CapturedEvent::store(uint64_t *to, uint64_t word) const {
  __atomic_store_n(to, extensionWord(TPRT_TRACE_RESERVED, words - 1, 0),
                   __ATOMIC_RELEASE);
  to[1] = extensionWord(TPRT_TRACE_VALUES, words - 2, forms);
  uint64_t *at = to + 2;
  for (unsigned i = 0; i < count; ++i) {
    if (values[i].form == TPRT_TRACE_FORM_NONE)
      continue;
    copyWord(at++, values[i].word);
    if (values[i].form == TPRT_TRACE_FORM_STRING)
      at = storeText(at, thread->strings[i], values[i].word & ~kCut);
  }
  __atomic_store_n(to, word, __ATOMIC_RELEASE);
}

void recordValues(ThreadRecord &thread, uint64_t now, uint64_t word,
                  const tprt_event *event, const tprt_regs *regs,
                  const RecordedProbe &probe) {
  const CapturedEvent values(&thread, event, regs, probe.values);
  if (uint64_t *to = claimWords(thread, now, values.words))
    values.store(to, word);
}

bool recordNumbers(uint64_t next, uint64_t word, const tprt_event *event,
                   const tprt_regs *regs, const RecordedProbe &probe) {
  if (event->kind == TPRT_KIND_POINT || probe.values.strings)
    return false;
  const CapturedEvent values(nullptr, event, regs, probe.values);
  uint64_t bytes = values.words * 8;
  if (roomAt(next) < bytes ||
      !exchangeOn(&__tprt_record.next, next, next + bytes))
    return false;
  values.store(reinterpret_cast<uint64_t *>(next), word);
  return true;
}

// --- points ------------------------------------------------------------------

static Characters readString(const tprt_descriptor &descriptor,
                             const uint64_t *words, unsigned index) {
  StringBound bound = boundOf(descriptor.style, formatOf(descriptor),
                              valuesOf(descriptor, words), index);
  return shownCharacters(
      readCharacters(typesOf(descriptor)[index], words[index], bound));
}

void recordPoint(ThreadRecord &thread, uint64_t now, uint64_t numbers,
                 const tprt_event *event, const tprt_regs *regs) {
  const tprt_descriptor &descriptor = descriptorOf(*event->site);
  HitWords words(descriptor, regs);
  Characters strings[TPRT_MOST_ARGUMENTS];
  const char *types = typesOf(descriptor);
  unsigned total = 2; // the head, and the number
  for (unsigned i = 0; i < descriptor.argument_count; ++i) {
    bool isString = detail::isStringType(types[i]);
    if (isString)
      strings[i] = readString(descriptor, words.words, i);
    total += isString ? wordsOf(strings[i].size) : 1;
  }
  uint64_t *to = claimWords(thread, now, total);
  if (!to)
    return;
  __atomic_store_n(to, extensionWord(TPRT_TRACE_RESERVED, total - 1, 0),
                   __ATOMIC_RELEASE);
  to[1] = numbers;
  uint64_t *at = to + 2;
  for (unsigned i = 0; i < descriptor.argument_count; ++i) {
    if (!detail::isStringType(types[i])) {
      copyWord(at++, words.words[i]);
      continue;
    }
    copyWord(at++, strings[i].size |
                       (strings[i].state == StringState::Cut ? kCut : 0));
    at = storeText(at, strings[i].begin, strings[i].size);
  }
  __atomic_store_n(to, extensionWord(TPRT_TRACE_POINT, total - 1, now),
                   __ATOMIC_RELEASE);
}

} // namespace tprt
