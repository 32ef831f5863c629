// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records hits, and formats records; see tprt_point_record() in tprt/point.h.
// Runs in hits: async-signal-safe, general registers only.
//
// A record is written directly into the sink's memory. So its size must be
// known first: strings are measured before the memory is reserved, and copied
// with that length.
#include "points/arguments.h"
#include "sites/arch.h"

namespace tprt {

static_assert(sizeof(tprt_recorded_hit) == 24 &&
              sizeof(tprt_recorded_string) == 8);
static_assert(static_cast<int>(StringState::Whole) == TPRT_STRING_WHOLE &&
              static_cast<int>(StringState::Cut) == TPRT_STRING_CUT &&
              static_cast<int>(StringState::Null) == TPRT_STRING_NULL &&
              static_cast<int>(StringState::Bad) == TPRT_STRING_BAD_ADDRESS);

static size_t padded(size_t bytes) { return (bytes + 7) & ~size_t{7}; }

namespace {
// The strings of a hit, in the order of the arguments.
struct HitStrings {
  HitStrings(const tprt_descriptor &descriptor, const uint64_t *words);
  Characters strings[TPRT_MOST_ARGUMENTS];
  unsigned count = 0;
  size_t bytes = 0; // Size of the strings in the record.
};
} // namespace

// Whether a conversion may have a precision, or may show an address (%p). Most
// formats have no such character, and need not be parsed.
static bool mayBound(const char *format) {
  for (; *format; ++format) {
    if (*format == '.' || *format == 'p')
      return true;
    keepLoop();
  }
  return false;
}

HitStrings::HitStrings(const tprt_descriptor &descriptor,
                       const uint64_t *words) {
  const char *types = typesOf(descriptor);
  for (unsigned i = 0; i < descriptor.argument_count; ++i) {
    if (!detail::isStringType(types[i]))
      continue;
    StringBound bound;
    if (mayBound(formatOf(descriptor)))
      bound = boundOf(descriptor.style, formatOf(descriptor),
                      valuesOf(descriptor, words), i);
    Characters read = readCharacters(types[i], words[i], bound);
    strings[count++] = read;
    bytes += sizeof(tprt_recorded_string) + padded(read.size);
  }
}

static char *writeString(char *at, const Characters &string) {
  auto *head = reinterpret_cast<tprt_recorded_string *>(at);
  head->length = static_cast<uint32_t>(string.size);
  head->state = static_cast<uint32_t>(string.state);
  at += sizeof *head;
  size_t bytes = padded(string.size);
  if (bytes) // zeros after the last characters
    *reinterpret_cast<uint64_t *>(at + bytes - 8) = 0;
  copyBytes(at, string.begin, string.size);
  return at + bytes;
}

static void writeHit(tprt_recorded_hit &hit, const uint64_t *words,
                     const HitStrings &strings) {
  auto *to = reinterpret_cast<uint64_t *>(&hit + 1);
  for (unsigned i = 0; i < hit.descriptor->argument_count; ++i) {
    *to++ = words[i];
    keepLoop();
  }
  auto *at = reinterpret_cast<char *>(to);
  for (unsigned i = 0; i < strings.count; ++i)
    at = writeString(at, strings.strings[i]);
}

static void writeHead(tprt_recorded_hit &hit, size_t bytes, uint32_t thread,
                      uint64_t time, const tprt_descriptor *descriptor) {
  hit.bytes = static_cast<uint32_t>(bytes);
  hit.thread = thread;
  hit.time = time;
  hit.descriptor = descriptor;
}

// A separate function, so that tprt_point_record() does not save registers that
// only this code needs.
[[gnu::cold, gnu::noinline]] static void countLost(tprt_point_sink &sink) {
  __atomic_fetch_add(&sink.lost, 1, __ATOMIC_RELAXED);
}

static uint64_t timeOf(const tprt_event *event) {
  uint64_t time = tprt_event_time(event);
  return time ? time : readTicks();
}

// Records any hit.
[[gnu::noinline]] static void recordSlowly(const tprt_event *event,
                                           const tprt_regs *regs,
                                           tprt_point_sink *sink) {
  const tprt_descriptor *descriptor = descriptorOf(event);
  if (!descriptor || !sink)
    return;
  uint64_t time = timeOf(event);
  HitWords words(*descriptor, regs);
  HitStrings strings(*descriptor, words.words);
  size_t bytes = sizeof(tprt_recorded_hit) +
                 sizeof(uint64_t) * descriptor->argument_count + strings.bytes;
  auto *hit = static_cast<tprt_recorded_hit *>(sink->reserve(sink, bytes));
  if (!hit)
    return countLost(*sink);
  writeHead(*hit, bytes, threadIdInHit(), time, descriptor);
  writeHit(*hit, words.words, strings);
  sink->commit(sink, hit);
}

// A hit that tprt_point_record() records directly: the record is the time and
// the words that are in registers. This needs half the time, because only the
// sink is called, and three values are kept across that call. The events of
// such hits lie in the sites, which saves one load.
static const PointSite *plainHit(const tprt_event *event) {
  uint64_t at =
      reinterpret_cast<uint64_t>(event) - reinterpret_cast<uint64_t>(sites);
  uint64_t end = uint64_t{__atomic_load_n(&siteCount, __ATOMIC_RELAXED)} *
                 sizeof(tprt_site);
  if (at >= end || event->kind != TPRT_KIND_POINT || ownerInHit() <= 0)
    return nullptr;
  const PointSite *point = &pointSites[at / sizeof(PointSite)];
  return point->plainBytes ? point : nullptr;
}

// Finds the strings of a record.
static void findStrings(const tprt_recorded_hit &hit, Characters *strings) {
  const char *types = typesOf(*hit.descriptor);
  unsigned count = hit.descriptor->argument_count;
  const auto *at = reinterpret_cast<const char *>(&hit + 1) + 8 * count;
  for (unsigned i = 0; i < count; ++i) {
    if (!detail::isStringType(types[i]))
      continue;
    const auto *head = reinterpret_cast<const tprt_recorded_string *>(at);
    at += sizeof *head;
    strings[i] = {at, head->length, static_cast<StringState>(head->state)};
    at += padded(head->length);
  }
}

} // namespace tprt

using namespace tprt;

void tprt_point_record(const tprt_event *event, const tprt_regs *regs,
                       void *data) {
  auto *sink = static_cast<tprt_point_sink *>(data);
  const PointSite *point = plainHit(event);
  if (!sink || !point)
    return recordSlowly(event, regs, sink);
  void *room = sink->reserve(sink, point->plainBytes);
  if (!room)
    return countLost(*sink);
  auto *hit = static_cast<tprt_recorded_hit *>(room);
  writeHead(*hit, point->plainBytes, static_cast<uint32_t>(ownerInHit()),
            readTicks(), point->descriptor);
  auto *to = reinterpret_cast<uint64_t *>(hit + 1);
  const uint64_t *from = wordsInRegisters(regs);
  for (uint32_t i = 0; i < point->plainCount; ++i) {
    to[i] = point->forms[i].unused ? point->forms[i].read(from[i]) : from[i];
    keepLoop();
  }
  sink->commit(sink, hit);
}

size_t tprt_recorded_format(const tprt_recorded_hit *hit, char *out,
                            size_t room) {
  Characters strings[TPRT_MOST_ARGUMENTS];
  findStrings(*hit, strings);
  Values values =
      valuesOf(*hit->descriptor, reinterpret_cast<const uint64_t *>(hit + 1));
  values.recorded = strings;
  return formatInto(out, room, *hit->descriptor, values);
}
