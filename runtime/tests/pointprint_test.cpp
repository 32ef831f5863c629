// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the lines that tprt_point_print() writes, and the stack use of lines
// and texts.
#include "pointhit.h"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <functional>
#include <sys/syscall.h>
#include <time.h>

using namespace test;

static std::string lineOf(const Hit &hit) {
  Pair pair;
  tprt_point_output output = TPRT_POINT_OUTPUT(pair.ends[0]);
  tprt_point_print(hit.event(), &hit.regs, &output);
  EXPECT_EQ(output.lost, 0u);
  std::string line = pair.read();
  EXPECT_EQ(pair.read(), "");
  return line;
}

// A line without its time and thread.
static std::string textAfterThread(const std::string &line) {
  return line.substr(line.find(' ', line.find(' ') + 1) + 1);
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
  EXPECT_EQ(textAfterThread(line), "name: id=5 path=/x\n");
  unsigned hours, minutes, seconds, micros, thread;
  ASSERT_EQ(sscanf(line.c_str(), "%2u:%2u:%2u.%6u %u ", &hours, &minutes,
                   &seconds, &micros, &thread),
            5);
  EXPECT_EQ(line.find(' '), 15u);
  EXPECT_EQ(thread, syscall(SYS_gettid));
  uint64_t printed = (hours * 60 + minutes) * 60 + seconds;
  printed = printed * 1'000'000 + micros;
  // Midnight may be between the two times.
  EXPECT_LE((printed + kDay - before) % kDay, (after + kDay - before) % kDay);
}

TEST(PointPrint, AHitIsOneLine) {
  EXPECT_EQ(textAfterThread(lineOf({0, "z", "%s\r\n", {word("a\nb\rc")}})),
            "name: a b c\n");
  EXPECT_EQ(textAfterThread(lineOf({0, "", "\n", {}})), "name: \n");
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
                                                     // process
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

// --- stack -------------------------------------------------------------------

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||     \
    __has_feature(undefined_behavior_sanitizer)
#define SANITIZED 1
#endif
#endif

namespace {
std::function<void()> onSmallStack;
char *belowHandler;

// The bytes of stack that a function uses, measured by its changes to a painted
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

// The limits are those in tprt/point.h. Large numbers, small numbers and the
// shortest text need the most stack.
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
    // The first calls resolve the addresses of called functions: glibc's
    // resolver needs about 3 kB if the processor has AVX-512.
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
