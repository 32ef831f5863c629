// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the records that tprt_point_record() makes of hits.
#include "pointhit.h"

#include <sys/mman.h>
#include <sys/syscall.h>

using namespace test;

namespace {
struct Sink {
  tprt_point_sink sink{[](tprt_point_sink *of, size_t bytes) -> void * {
                         auto *self = static_cast<Sink *>(of->data);
                         self->memory.assign(bytes / 8 + 1, kUntouched);
                         return bytes > self->room ? nullptr
                                                   : self->memory.data();
                       },
                       [](tprt_point_sink *of, tprt_recorded_hit *hit) {
                         static_cast<Sink *>(of->data)->hit = hit;
                       },
                       this, 0};
  static constexpr uint64_t kUntouched = 0x5555555555555555;
  size_t room = 100000;
  std::vector<uint64_t> memory;
  tprt_recorded_hit *hit = nullptr;

  tprt_recorded_hit *record(const Hit &of) {
    tprt_point_record(of.event(), &of.regs, &sink);
    return hit;
  }
};

std::string recordedText(const tprt_recorded_hit *hit) {
  char out[8192];
  tprt_recorded_format(hit, out, sizeof out);
  return out;
}
} // namespace

TEST(PointRecord, WordsFollowTheHead) {
  Hit hit(0, "id", "%d %f", {5, bitsOf(0.5)});
  Sink sink;
  const tprt_recorded_hit *recorded = sink.record(hit);
  ASSERT_NE(recorded, nullptr);
  EXPECT_EQ(recorded->bytes, 24u + 16);
  EXPECT_EQ(recorded->thread, syscall(SYS_gettid));
  EXPECT_NE(recorded->time, 0u);
  EXPECT_EQ(recorded->descriptor, &descriptorOf(hit.site));
  EXPECT_EQ(sink.memory[3], 5u);
  EXPECT_EQ(sink.memory[4], bitsOf(0.5));
  EXPECT_EQ(sink.memory[5], Sink::kUntouched);
  EXPECT_EQ(recordedText(recorded), "5 0.500000");
}

// A few words are recorded directly from the registers, unless the event is a
// copy, like the dispatcher's events.
TEST(PointRecord, ACopyOfTheEventMakesTheSameRecord) {
  for (size_t count = 0; count <= TPRT_MOST_ARGUMENTS; ++count) {
    std::vector<uint64_t> words;
    for (uint64_t i = 0; i < count; ++i)
      words.push_back(100 + i);
    Hit hit(1, std::string(count, 'l'), "{}", words);
    tprt_event copy = *hit.event();
    Sink direct, copied;
    direct.record(hit);
    tprt_point_record(&copy, &hit.regs, &copied.sink);
    ASSERT_NE(direct.hit, nullptr);
    ASSERT_NE(copied.hit, nullptr);
    EXPECT_NE(direct.memory[1], 0u);
    direct.memory[1] = copied.memory[1]; // the time
    EXPECT_EQ(direct.memory, copied.memory) << count;
    EXPECT_EQ(direct.hit->bytes, 24 + 8 * count);
  }
}

TEST(PointRecord, StringsAreCopied) {
  char text[] = "a text";
  tprt_characters view = {"0123456789", 8};
  Hit hit(0, "zivz", "%s %d %s %s", {word(text), 5, word(&view), 0});
  Sink sink;
  const tprt_recorded_hit *recorded = sink.record(hit);
  EXPECT_EQ(recorded->bytes, 24u + 4 * 8 + 2 * (8 + 8) + 8);
  EXPECT_EQ(sink.memory[3], word(text));
  const auto *first =
      reinterpret_cast<const tprt_recorded_string *>(&sink.memory[7]);
  EXPECT_EQ(first->length, 6u);
  EXPECT_EQ(first->state, unsigned{TPRT_STRING_WHOLE});
  EXPECT_EQ(memcmp(&sink.memory[8], "a text\0\0", 8), 0);
  EXPECT_EQ(sink.memory[recorded->bytes / 8], Sink::kUntouched);
  std::string before = textOf(hit);
  strcpy(text, "other");
  view = {nullptr, 0};
  EXPECT_EQ(recordedText(recorded), before);
  EXPECT_EQ(before, "a text 5 01234567 (null)");
}

TEST(PointRecord, StringsAreBounded) {
  std::string large(3000, 'x');
  const auto *bad = reinterpret_cast<const char *>(0x10);
  for (const char *format : {"%.*s %s %s", "%.*s %.1500s %.2000s"}) {
    Hit hit(0, "izzz", format,
            {4, word("abcdefghijkl"), word(large.c_str()), word(bad)});
    Sink sink;
    const tprt_recorded_hit *recorded = sink.record(hit);
    EXPECT_EQ(recorded->bytes, 24u + 32 + 16 + (8 + 1024) + 8);
    EXPECT_EQ(recordedText(recorded), textOf(hit));
    EXPECT_EQ(recordedText(recorded), "abcd " +
                                          std::string(TPRT_STRING_LIMIT, 'x') +
                                          "... (bad address)");
  }
}

TEST(PointRecord, BitsBeyondATypesSizeDoNotCount) {
  const uint64_t garbage = uint64_t{0xdead} << 40;
  Hit hit(1, "bcahstij", "{}{}{}{}{}{}{}{}",
          std::vector<uint64_t>(8, garbage | '0'));
  Sink sink;
  const tprt_recorded_hit *recorded = sink.record(hit);
  for (unsigned i = 0; i < 8; ++i)
    EXPECT_EQ(sink.memory[3 + i], uint64_t{'0'}) << i;
  EXPECT_EQ(recordedText(recorded), "true0484848484848");
  Hit minus(1, "asi", "{}{}{}", {garbage | 0xff, garbage | 0xffff, ~garbage});
  recorded = sink.record(minus);
  for (unsigned i = 0; i < 3; ++i)
    EXPECT_EQ(sink.memory[3 + i], ~uint64_t{0}) << i;
  EXPECT_EQ(recordedText(recorded), "-1-1-1");
}

// %p shows the address, so the characters may lack a NUL.
TEST(PointRecord, CharactersShownAsAnAddressAreNotRead) {
  size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  auto *pages =
      static_cast<char *>(mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(pages, MAP_FAILED);
  ASSERT_EQ(mprotect(pages + page, page, PROT_NONE), 0);
  char *end = pages + page - 4;
  memcpy(end, "abcd", 4);
  Hit hit(0, "zz", "%p %.4s", {word(end), word(end)});
  Sink sink;
  const tprt_recorded_hit *recorded = sink.record(hit);
  EXPECT_EQ(recordedText(recorded), textOf(hit));
  EXPECT_EQ(recorded->bytes, 24u + 16 + 8 + 16);
  tprt_argument argument;
  tprt_point_argument(hit.event(), &hit.regs, 0, &argument);
  EXPECT_EQ(argument.value.s, end);
  EXPECT_EQ(argument.length, 0u);
  munmap(pages, 2 * page);
}

TEST(PointRecord, EachUseOfARecordedStringHasItsOwnBound) {
  Hit hit(1, "z", "{0:.2} {0:>6.4} {0:?}", {word("abcdefgh")});
  Sink sink;
  EXPECT_EQ(recordedText(sink.record(hit)), "ab   abcd \"abcdefgh\"");
}

TEST(PointRecord, WithoutRoomTheHitIsCounted) {
  Hit hit(0, "i", "%d", {5});
  Sink sink;
  sink.room = 8;
  EXPECT_EQ(sink.record(hit), nullptr);
  EXPECT_EQ(sink.sink.lost, 1u);
}

TEST(PointRecord, TheTimeIsTheHitsOwn) {
  Hit hit(0, "i", "%d", {5});
  struct {
    tprt_event event;
    uint64_t time;
  } timed = {*hit.event(), 4711};
  timed.event.flags |= TPRT_EVENT_TIMED;
  Sink sink;
  tprt_point_record(&timed.event, &hit.regs, &sink.sink);
  ASSERT_NE(sink.hit, nullptr);
  EXPECT_EQ(sink.hit->time, 4711u);
}
