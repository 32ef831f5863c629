// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests what tprt/point.h has for handlers of points, with hits made by hand:
// arguments, text, lines and records. The texts of formats are tested in
// pointformat_test.cpp.
#include "optional/points/descriptor.h"
#include "tprt/point.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <functional>
#include <string>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <vector>

using namespace tprt;

namespace {

// A point's site with a descriptor, and the registers of a hit.
class Hit {
public:
  Hit(uint8_t style, const std::string &types, const std::string &format,
      std::vector<uint64_t> words)
      : memory(1024), words(std::move(words)) {
    char *at = reinterpret_cast<char *>(memory.data());
    tprt_descriptor head{};
    head.version = TPRT_DESCRIPTOR_VERSION;
    head.style = style;
    head.argument_count = static_cast<uint8_t>(types.size());
    head.name_bytes = 5;
    head.format_bytes = static_cast<uint16_t>(format.size() + 1);
    head.file_bytes = 4;
    std::string whole(reinterpret_cast<char *>(&head), sizeof head);
    whole += types + '\0' + "name" + '\0' + format + '\0' + "a.c" + '\0';
    EXPECT_LE(whole.size(), memory.size() * 8);
    memcpy(at, whole.data(), whole.size());
    places[kPlace].set(*reinterpret_cast<tprt_descriptor *>(at));
    site.event = {&site, TPRT_KIND_POINT, 0};
    if (siteCount <= kPlace)
      siteCount = kPlace + 1;
    before = pointSites;
    pointSites = places;
    setRegisters();
  }
  ~Hit() { pointSites = before; }
  Hit(const Hit &) = delete;
  Hit &operator=(const Hit &) = delete;

  const tprt_event *event() const { return &site.event; }
  // A site of the first page that no module has.
  static constexpr size_t kPlace = 100;
  tprt_site &site = reserveSites() ? sites[kPlace] : *sites;
  tprt_regs regs{};

private:
  void setRegisters() {
#if defined(__x86_64__)
    uint64_t *first = &regs.rdi;
#else
    uint64_t *first = regs.x;
#endif
    for (size_t i = 0; i < words.size() && i < TPRT_ARGUMENT_REGISTERS; ++i)
      first[i] = words[i];
    if (words.size() > TPRT_ARGUMENT_REGISTERS)
      first[TPRT_ARGUMENT_REGISTERS] =
          reinterpret_cast<uint64_t>(&words[TPRT_ARGUMENT_REGISTERS]);
  }

  std::vector<uint64_t> memory;
  std::vector<uint64_t> words;
  PointSite places[kPlace + 1] = {};
  PointSite *before;
};

uint64_t word(const void *address) {
  return reinterpret_cast<uint64_t>(address);
}

uint64_t bitsOf(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

std::string textOf(const Hit &hit) {
  char out[4096];
  size_t size = tprt_point_format(hit.event(), &hit.regs, out, sizeof out);
  EXPECT_EQ(strlen(out), size);
  return out;
}

// A pair of sockets that keeps each write apart.
struct Pair {
  Pair() {
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, ends), 0);
  }
  ~Pair() {
    close(ends[0]);
    closeReader();
  }
  void closeReader() {
    if (ends[1] >= 0)
      close(ends[1]);
    ends[1] = -1;
  }
  // What one write wrote; "": nothing.
  std::string read() {
    char out[8192];
    ssize_t bytes = ::read(ends[1], out, sizeof out);
    return {out, bytes < 0 ? 0 : static_cast<size_t>(bytes)};
  }
  int ends[2];
};

std::string lineOf(const Hit &hit) {
  Pair pair;
  tprt_point_output output = TPRT_POINT_OUTPUT(pair.ends[0]);
  tprt_point_print(hit.event(), &hit.regs, &output);
  EXPECT_EQ(output.lost, 0u);
  std::string line = pair.read();
  EXPECT_EQ(pair.read(), "");
  return line;
}

// A line without its time and thread.
std::string behindThread(const std::string &line) {
  return line.substr(line.find(' ', line.find(' ') + 1) + 1);
}

} // namespace

TEST(Point, ArgumentsHaveTheirTypes) {
  int object;
  Hit hit(0, "ijdpzb", "%d%u%f%p%s%d",
          {~uint64_t{4}, 7, bitsOf(1.5), word(&object), word("text"), 1});
  ASSERT_EQ(tprt_point_argument_count(hit.event()), 6u);
  tprt_argument a[6];
  for (unsigned i = 0; i < 6; ++i)
    EXPECT_EQ(tprt_point_argument(hit.event(), &hit.regs, i, &a[i]), 1);
  EXPECT_EQ(a[0].type, TPRT_ARGUMENT_INT);
  EXPECT_EQ(a[0].value.i, -5);
  EXPECT_EQ(a[1].value.u, 7u);
  EXPECT_EQ(a[2].value.d, 1.5);
  EXPECT_EQ(a[3].value.p, &object);
  EXPECT_EQ(std::string(a[4].value.s, a[4].length), "text");
  EXPECT_EQ(a[5].value.i, 1);
  EXPECT_EQ(a[5].length, 0u);
  EXPECT_EQ(tprt_point_argument(hit.event(), &hit.regs, 6, &a[0]), 0);
  EXPECT_EQ(a[0].type, 0);
}

// The bits of a word beyond its type's size are whatever the register held.
TEST(Point, BitsBeyondATypesSizeDoNotCount) {
  struct {
    char type;
    uint64_t word;
    int64_t value;
    const char *printf, *text, *inBraces;
  } cases[] = {
      {'b', 0xab00, 0, "%d", "0", "false"},
      {'b', 0xab01, 1, "%d", "1", "true"},
      {'c', 0xab41, 'A', "%c", "A", "A"},
      {'a', 0xabfe, -2, "%d", "-2", "-2"},
      {'h', 0xabfe, 254, "%d", "254", "254"},
      {'s', 0xabfffe, -2, "%d", "-2", "-2"},
      {'t', 0xabfffe, 65534, "%d", "65534", "65534"},
      {'i', 0xabfffffffe, -2, "%ld", "-2", "-2"},
      {'j', 0xabfffffffe, 4294967294, "%lu", "4294967294", "4294967294"},
  };
  for (const auto &one : cases) {
    uint64_t word = one.word | uint64_t{0xdead} << 48;
    std::string type(1, one.type);
    tprt_argument argument;
    Hit printf(0, type, one.printf, {word});
    EXPECT_EQ(tprt_point_argument(printf.event(), &printf.regs, 0, &argument),
              1);
    EXPECT_EQ(argument.value.i, one.value) << type;
    EXPECT_EQ(textOf(printf), one.text) << type;
    EXPECT_EQ(textOf({1, type, "{}", {word}}), one.inBraces) << type;
    EXPECT_EQ(textOf({0, type, "%lx", {word}}),
              textOf({0, "l", "%lx", {static_cast<uint64_t>(one.value)}}))
        << type;
  }
  // A precision, whose upper bits count neither.
  const uint64_t three = uint64_t{0xdead} << 32 | 3;
  EXPECT_EQ(textOf({0, "iz", "%.*s", {three, word("abcdef")}}), "abc");
}

TEST(Point, TwelveArgumentsArrive) {
  std::vector<uint64_t> words;
  for (uint64_t i = 1; i <= TPRT_MOST_ARGUMENTS; ++i)
    words.push_back(i);
  Hit hit(1, "iiiiiiiiiiii", "{}{}{}{}{}{}{}{}{}{}{}{}", words);
  EXPECT_EQ(textOf(hit), "123456789101112");
  tprt_argument last;
  EXPECT_EQ(tprt_point_argument(hit.event(), &hit.regs, 11, &last), 1);
  EXPECT_EQ(last.value.i, 12);
}

TEST(Point, AStringArgumentIsBoundedByItsPrecision) {
  const char letters[] = {'a', 'b', 'c', 'd'};
  tprt_argument string;
  Hit printf(0, "iiz", "%d %.*s", {1, 3, word(letters)});
  tprt_point_argument(printf.event(), &printf.regs, 2, &string);
  EXPECT_EQ(string.length, 3u);
  Hit braces(1, "zi", "{1} {0:.2}", {word(letters), 1});
  tprt_point_argument(braces.event(), &braces.regs, 0, &string);
  EXPECT_EQ(string.length, 2u);
  // The longer of two uses.
  Hit twice(1, "z", "{0:.2} {0:.4}", {word(letters)});
  tprt_point_argument(twice.event(), &twice.regs, 0, &string);
  EXPECT_EQ(string.length, 4u);
  Hit null(0, "z", "%s", {0});
  tprt_point_argument(null.event(), &null.regs, 0, &string);
  EXPECT_EQ(string.value.s, nullptr);
}

TEST(Point, TextIsCutAtTheRoom) {
  Hit hit(0, "i", "value %d", {12345});
  char out[9] = "????????";
  EXPECT_EQ(tprt_point_format(hit.event(), &hit.regs, out, 8), 11u);
  EXPECT_STREQ(out, "value 1");
  EXPECT_EQ(tprt_point_format(hit.event(), &hit.regs, nullptr, 0), 11u);
}

TEST(Point, AFunctionsHitHasNoText) {
  Hit hit(0, "i", "value %d", {12345});
  tprt_event event = *hit.event();
  event.kind = TPRT_KIND_ENTRY;
  char out[8] = "x";
  EXPECT_EQ(tprt_point_format(&event, &hit.regs, out, sizeof out), 0u);
  EXPECT_STREQ(out, "");
  EXPECT_EQ(tprt_point_argument_count(&event), 0u);
}

static constexpr uint64_t kDay = 86'400'000'000;
static uint64_t microsecondsOfDay() {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (static_cast<uint64_t>(now.tv_sec) * 1'000'000 +
          static_cast<uint64_t>(now.tv_nsec) / 1000) %
         kDay;
}

TEST(PointPrint, ALineHasTimeThreadNameAndText) {
  Hit hit(0, "iz", "id=%d path=%s", {5, word("/x")});
  uint64_t before = microsecondsOfDay();
  std::string line = lineOf(hit);
  uint64_t after = microsecondsOfDay();
  EXPECT_EQ(behindThread(line), "name: id=5 path=/x\n");
  unsigned hours, minutes, seconds, micros, thread;
  ASSERT_EQ(sscanf(line.c_str(), "%2u:%2u:%2u.%6u %u ", &hours, &minutes,
                   &seconds, &micros, &thread),
            5);
  EXPECT_EQ(line.find(' '), 15u);
  EXPECT_EQ(thread, syscall(SYS_gettid));
  uint64_t printed = (hours * 60 + minutes) * 60 + seconds;
  printed = printed * 1'000'000 + micros;
  // Midnight may be between the two.
  EXPECT_LE((printed + kDay - before) % kDay, (after + kDay - before) % kDay);
}

TEST(PointPrint, AHitIsOneLine) {
  EXPECT_EQ(behindThread(lineOf({0, "z", "%s\r\n", {word("a\nb\rc")}})),
            "name: a b c\n");
  EXPECT_EQ(behindThread(lineOf({0, "", "\n", {}})), "name: \n");
}

TEST(PointPrint, ALongLineIsCut) {
  Hit hit(0, "i", "%5000d", {1});
  std::string line = lineOf(hit);
  EXPECT_EQ(line.size(), size_t{TPRT_LINE_LIMIT});
  EXPECT_EQ(line.substr(line.size() - 5), " ...\n");
  size_t head = line.find("name: ") + 6;
  std::string most = std::to_string(TPRT_LINE_LIMIT - 1 - head);
  Hit fits(0, "i", "%" + most + "d", {1});
  line = lineOf(fits);
  EXPECT_EQ(line.size(), size_t{TPRT_LINE_LIMIT});
  EXPECT_EQ(line.substr(line.size() - 3), " 1\n");
}

TEST(PointPrint, AFailedWriteIsCountedAndSendsNoSignal) {
  Hit hit(0, "", "text", {});
  int pipeEnds[2];
  ASSERT_EQ(pipe(pipeEnds), 0);
  close(pipeEnds[0]);
  tprt_point_output output = TPRT_POINT_OUTPUT(pipeEnds[1]);
  errno = 77;
  tprt_point_print(hit.event(), &hit.regs, &output); // SIGPIPE would end this
  tprt_point_print(hit.event(), &hit.regs, &output);
  EXPECT_EQ(output.lost, 2u);
  EXPECT_EQ(errno, 77);
  sigset_t pending;
  sigpending(&pending);
  EXPECT_FALSE(sigismember(&pending, SIGPIPE));
  close(pipeEnds[1]);
  tprt_point_print(hit.event(), &hit.regs, &output);
  EXPECT_EQ(output.lost, 3u);
}

TEST(PointPrint, APendingSignalOfTheProgramStays) {
  Hit hit(0, "", "text", {});
  int pipeEnds[2];
  ASSERT_EQ(pipe(pipeEnds), 0);
  close(pipeEnds[0]);
  sigset_t one, before, pending;
  sigemptyset(&one);
  sigaddset(&one, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &one, &before);
  raise(SIGPIPE);
  tprt_point_output output = TPRT_POINT_OUTPUT(pipeEnds[1]);
  tprt_point_print(hit.event(), &hit.regs, &output);
  sigpending(&pending);
  EXPECT_TRUE(sigismember(&pending, SIGPIPE));
  int signal;
  sigwait(&one, &signal);
  sigpending(&pending);
  EXPECT_FALSE(sigismember(&pending, SIGPIPE));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  close(pipeEnds[1]);
}

TEST(PointPrint, AFullPipeLosesTheLineAndWaitsForNobody) {
  Hit hit(0, "", "text", {});
  int pipeEnds[2];
  ASSERT_EQ(pipe2(pipeEnds, O_NONBLOCK), 0);
  char block[4096] = {};
  while (write(pipeEnds[1], block, sizeof block) > 0)
    ;
  tprt_point_output output = TPRT_POINT_OUTPUT(pipeEnds[1]);
  tprt_point_print(hit.event(), &hit.regs, &output);
  EXPECT_EQ(output.lost, 1u);
  close(pipeEnds[0]);
  close(pipeEnds[1]);
}

// --- stack
// ---------------------------------------------------------------------

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||     \
    __has_feature(undefined_behavior_sanitizer)
#define SANITIZED 1
#endif
#endif

namespace {
std::function<void()> onSmallStack;
char *belowHandler;

// The bytes of stack that a function takes, by what it changes of a painted
// alternate stack.
size_t stackOf(std::function<void()> function) {
  constexpr size_t kBytes = 65536;
  constexpr char kPaint = 0x5a;
  std::vector<char> memory(kBytes, kPaint);
  stack_t stack{}, before;
  stack.ss_sp = memory.data();
  stack.ss_size = kBytes;
  sigaltstack(&stack, &before);
  struct sigaction action{}, old;
  action.sa_handler = [](int) {
    belowHandler = static_cast<char *>(__builtin_frame_address(0));
    onSmallStack();
  };
  action.sa_flags = SA_ONSTACK;
  sigaction(SIGUSR1, &action, &old);
  onSmallStack = std::move(function);
  raise(SIGUSR1);
  sigaction(SIGUSR1, &old, nullptr);
  sigaltstack(&before, nullptr);
  size_t untouched = 0;
  while (memory[untouched] == kPaint)
    ++untouched;
  return static_cast<size_t>(belowHandler - memory.data()) - untouched;
}
} // namespace

// As tprt/point.h says. Large numbers, small ones and the shortest text take
// most.
TEST(PointStack, LinesAndTextsTakeFewKilobytes) {
#ifdef SANITIZED
  GTEST_SKIP() << "sanitizers make frames larger";
#endif
  const std::vector<uint64_t> words = {bitsOf(-5e-324), bitsOf(1.7e308),
                                       bitsOf(-2.2250738585072011e-308)};
  Pair pair;
  tprt_point_output output = TPRT_POINT_OUTPUT(pair.ends[0]);
  static char out[8192];
  const char *const formats[] = {"%.1074f %a %-1100.900e", "{:.1074f} {} {}"};
  for (uint8_t style : {TPRT_POINT_STYLE_PRINTF, TPRT_POINT_STYLE_BRACES}) {
    Hit hit(style, "ddd", formats[style], words);
    // The first calls look up the addresses of what they call: glibc's resolver
    // takes some 3 kB where the processor has AVX-512.
    tprt_point_print(hit.event(), &hit.regs, &output);
    tprt_point_format(hit.event(), &hit.regs, out, sizeof out);
    EXPECT_LE(
        stackOf([&] { tprt_point_print(hit.event(), &hit.regs, &output); }),
        2560u);
    EXPECT_LE(stackOf([&] {
                tprt_point_format(hit.event(), &hit.regs, out, sizeof out);
              }),
              2048u);
  }
  EXPECT_EQ(output.lost, 0u);
}

// --- records
// -------------------------------------------------------------------

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

// Few words are recorded straight from the registers, unless the event is a
// copy, as the dispatcher's are.
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
