// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests what hits read of vector registers, of the arguments in memory and of
// the second result register, with the functions of timed.S: at entries and at
// the end of calls, by the fast path and by the slow path, and next to handlers
// that use vector registers.
#include "aggregategroup.h"
#include "sites/arch.h"

#include <bit>
#include <cfenv>
#include <cmath>
#include <csignal>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <thread>

namespace {

constexpr uint32_t kAtEnd = TPRT_PROGRAM_AT_END;
constexpr uint32_t kDoubles = TPRT_PROGRAM_FLOAT_VALUE;

Operation operation(tprt_program_code Code, int32_t Number, uint8_t To = 0) {
  return {static_cast<uint8_t>(Code), To, 0, 0, Number};
}
uint64_t bitsOf(double Number) { return std::bit_cast<uint64_t>(Number); }
double doubleOf(int64_t Bits) { return std::bit_cast<double>(Bits); }

// --- arguments ---------------------------------------------------------------

// Calls timed_inner with all vector argument registers and eight words in
// memory: the integer registers are full.
struct Eight {
  double Of[8];
  uint64_t Words[8];
};
void callWithEight(const Eight &With, void (*Body)(void *) = [](void *) {}) {
  using Word = uint64_t;
  const auto &D = With.Of;
  const auto &W = With.Words;
#ifdef __x86_64__
  using Wide = void (*)(void (*)(void *), void *, Word, Word, Word, Word,
                        double, double, double, double, double, double, double,
                        double, Word, Word, Word, Word, Word, Word, Word, Word);
  reinterpret_cast<Wide>(&timed_inner)(
      Body, nullptr, 0, 0, 0, 0, D[0], D[1], D[2], D[3], D[4], D[5], D[6], D[7],
      W[0], W[1], W[2], W[3], W[4], W[5], W[6], W[7]);
#else
  using Wide =
      void (*)(void (*)(void *), void *, Word, Word, Word, Word, Word, Word,
               double, double, double, double, double, double, double, double,
               Word, Word, Word, Word, Word, Word, Word, Word);
  reinterpret_cast<Wide>(&timed_inner)(
      Body, nullptr, 0, 0, 0, 0, 0, 0, D[0], D[1], D[2], D[3], D[4], D[5], D[6],
      D[7], W[0], W[1], W[2], W[3], W[4], W[5], W[6], W[7]);
#endif
}
constexpr Eight kEight = {{1.5, -2.25, 0.0, -0.0, 1e308, 5e-324, HUGE_VAL, 7},
                          {11, 12, 13, 14, 15, 16, 17, uint64_t{1} << 63}};

// A handler that changes all vector registers that a caller does not need.
void useVectors(const tprt_event *, const tprt_regs *, void *) {
#ifdef __x86_64__
  asm volatile("pcmpeqd %%xmm0, %%xmm0\n\tmovaps %%xmm0, %%xmm1\n\t"
               "movaps %%xmm0, %%xmm2\n\tmovaps %%xmm0, %%xmm3\n\t"
               "movaps %%xmm0, %%xmm4\n\tmovaps %%xmm0, %%xmm5\n\t"
               "movaps %%xmm0, %%xmm6\n\tmovaps %%xmm0, %%xmm7" ::
                   : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6",
                     "xmm7");
#else
  asm volatile("movi v0.2d, #-1\n\tmovi v1.2d, #-1\n\tmovi v2.2d, #-1\n\t"
               "movi v3.2d, #-1\n\tmovi v4.2d, #-1\n\tmovi v5.2d, #-1\n\t"
               "movi v6.2d, #-1\n\tmovi v7.2d, #-1" ::
                   : "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7");
#endif
}

// Another handler at timed_inner, before those of groups that are made later.
class OtherHandler {
public:
  OtherHandler() {
    tprt_selector Selector = {};
    Selector.function = "timed_inner";
    Selector.kinds = TPRT_KIND_SET_ALL;
    tprt_action Action = {};
    Action.handler = useVectors;
    tprt_result Result = {};
    EXPECT_EQ(tprt_probe_attach(&Selector, &Action, &Probe, &Result),
              TPRT_STATUS_OK);
  }
  ~OtherHandler() { EXPECT_EQ(tprt_probe_detach(Probe, -1), TPRT_STATUS_OK); }

private:
  tprt_probe *Probe = nullptr;
};

// Checks a program that reads one value of each call of kEight.
template <class Call>
void expectArgument(tprt_program_code Code, int32_t Number, uint32_t Flags,
                    uint64_t Expected, Call Make) {
  Group All("timed_inner", {operation(Code, Number), kKey}, Flags);
  Make();
  Rows Found = All.rows();
  ASSERT_EQ(Found.size(), 1u);
  EXPECT_EQ(Found.begin()->first, number(Expected))
      << Code << ' ' << Number << ' ' << Flags;
  EXPECT_EQ(Found.begin()->second.Hits, 1u);
}

template <class Call> void expectArguments(Call Make) {
  for (uint32_t Flags : {uint32_t{0}, kAtEnd})
    for (int32_t I = 0; I < 8; ++I) {
      expectArgument(TPRT_PROGRAM_FLOAT_ARGUMENT, I, Flags,
                     bitsOf(kEight.Of[I]), Make);
      expectArgument(TPRT_PROGRAM_STACK_ARGUMENT, I, Flags, kEight.Words[I],
                     Make);
    }
}

TEST(AggregateValues, ArgumentsAreThoseOfTheEntry) {
  // The body changes the registers.
  expectArguments([] {
    callWithEight(kEight,
                  [](void *) { useVectors(nullptr, nullptr, nullptr); });
  });
}

TEST(AggregateValues, ArgumentsAreKnownAtAThreadsFirstHit) {
  expectArguments([] { std::thread([] { callWithEight(kEight); }).join(); });
}

#ifdef __aarch64__
// The slow path of a thread's first hit ends streaming mode, which clears all
// vectors (Arm ARM, B1.4.6).
TEST(AggregateValues, ArgumentsAreKnownInStreamingMode) {
  constexpr unsigned long kSme = 1 << 23; // HWCAP2_SME
  if (!(getauxval(AT_HWCAP2) & kSme))
    GTEST_SKIP() << "this processor has no streaming mode";
  Group All("timed_inner", {operation(TPRT_PROGRAM_FLOAT_ARGUMENT, 0), kKey},
            kAtEnd);
  std::thread([] {
    static void (*const Body)(void *) = [](void *) {};
    for (int I = 0; I < 2; ++I) {
      register const void *X0 asm("x0") = reinterpret_cast<const void *>(Body);
      register const void *X1 asm("x1") = nullptr;
      asm volatile(
          ".arch_extension sme\n\tsmstart sm\n\tfmov d0, %2\n\tblr %3\n\t"
          "smstop sm"
          : "+r"(X0), "+r"(X1)
          : "r"(bitsOf(1.25)), "r"(&timed_inner)
          : "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12",
            "x13", "x14", "x15", "x16", "x17", "x30", "memory", "cc", "v0",
            "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11",
            "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20",
            "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29",
            "v30", "v31");
    }
  }).join();
  EXPECT_EQ(All.row(number(bitsOf(1.25))).Hits, 2u);
}
#endif

TEST(AggregateValues, ArgumentsAreKnownNextToHandlersThatUseVectors) {
  OtherHandler Other;
  expectArguments([] { callWithEight(kEight); });
  expectArguments([] { std::thread([] { callWithEight(kEight); }).join(); });
}

TEST(AggregateValues, CallsInCallsHaveTheirOwnArguments) {
  Group All("timed_inner",
            {operation(TPRT_PROGRAM_FLOAT_ARGUMENT, 1), kKey,
             operation(TPRT_PROGRAM_STACK_ARGUMENT, 2), kKey},
            kAtEnd);
  callWithEight({{0, 1}, {0, 0, 1}}, [](void *) {
    callWithEight({{0, 2}, {0, 0, 2}},
                  [](void *) { callWithEight({{0, 3}, {0, 0, 3}}); });
    callWithEight({{0, 4}, {0, 0, 4}});
  });
  EXPECT_EQ(All.rows().size(), 4u);
  for (unsigned I = 1; I <= 4; ++I)
    EXPECT_EQ(All.row(number(bitsOf(I)) + number(I)).Hits, 1u);
}

TEST(AggregateValues, ProgramsOfOneGroupReadTheirOwn) {
  Group All("timed_inner", {operation(TPRT_PROGRAM_FLOAT_ARGUMENT, 7), kKey},
            kAtEnd);
  EXPECT_EQ(All.add("timed_outer", {operation(TPRT_PROGRAM_ARGUMENT, 1), kKey},
                    kAtEnd),
            TPRT_STATUS_OK);
  callWith(timed_outer, 5, [] { callWithEight(kEight); });
  EXPECT_EQ(All.row(number(bitsOf(7))).Hits, 1u);
  EXPECT_EQ(All.row(number(5)).Hits, 1u);
}

// At the end of a thread's stack there are no words of arguments.
TEST(AggregateValues, WordsBeyondTheStackAreUnknown) {
  const auto Page = static_cast<size_t>(getpagesize());
  auto *Stack =
      static_cast<char *>(mmap(nullptr, 17 * Page, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  // Nothing else may be mapped there meanwhile. But an emulator reads pages
  // without permissions.
#ifdef __x86_64__
  mprotect(Stack + 16 * Page, Page, PROT_NONE);
#else
  munmap(Stack + 16 * Page, Page);
#endif
  for (uint32_t Flags : {uint32_t{0}, kAtEnd})
    // How many words there are up to the end.
    for (uint64_t Words = 0; Words <= 10; Words += 2) {
      Operations Code;
      for (int32_t I = 0; I < 4; ++I) {
        Code.push_back(operation(TPRT_PROGRAM_STACK_ARGUMENT, 2 * I + 1));
        Code.push_back(kKey);
      }
      Group All("timed_inner", Code, Flags);
      char *Top = Stack + 16 * Page - 8 * Words;
      for (uint64_t I = 0; I < Words; ++I)
        reinterpret_cast<uint64_t *>(Top)[I] = 100 + I;
      static void (*const Body)(void *) = [](void *) {};
#ifdef __x86_64__
      asm volatile("movq %%rsp, %%rbx\n\tmovq %0, %%rsp\n\tcall *%1\n\t"
                   "movq %%rbx, %%rsp" ::"r"(Top),
                   "r"(&timed_inner), "D"(Body), "S"(nullptr)
                   : "rax", "rcx", "rdx", "rbx", "r8", "r9", "r10", "r11",
                     "memory", "cc");
#else
      register void *X0 asm("x0") = reinterpret_cast<void *>(Body);
      register void *X1 asm("x1") = nullptr;
      asm volatile("mov x19, sp\n\tmov sp, %2\n\tblr %3\n\tmov sp, x19"
                   : "+r"(X0), "+r"(X1)
                   : "r"(Top), "r"(&timed_inner)
                   : "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10",
                     "x11", "x12", "x13", "x14", "x15", "x16", "x17", "x19",
                     "x30", "memory", "cc");
#endif
      std::string Expected;
      for (uint64_t I = 0; I < 4; ++I)
        Expected += 2 * I + 1 < Words ? number(100 + 2 * I + 1) : unknown();
      EXPECT_EQ(All.row(Expected).Hits, 1u) << Words << ' ' << Flags;
    }
  munmap(Stack, 17 * Page);
}

// --- results -----------------------------------------------------------------

struct Vectors {
  double Of[kResultVectors];
};
struct Integers {
  uint64_t Of[2];
};

// timed_inner returns what its body returns.
template <class T> void callReturning(T (*Body)(void *)) {
  reinterpret_cast<T (*)(T (*)(void *), void *)>(&timed_inner)(Body, nullptr);
}

template <class Call> void expectResults(Call Run) {
  for (int32_t I = 0; I < static_cast<int32_t>(kResultVectors); ++I) {
    Group All("timed_inner", {operation(TPRT_PROGRAM_FLOAT_RESULT, I), kKey},
              kAtEnd);
    Run([] {
      callReturning<Vectors>([](void *) {
        Vectors Out;
        for (unsigned J = 0; J < kResultVectors; ++J)
          Out.Of[J] = 0.5 + J;
        return Out;
      });
    });
    EXPECT_EQ(All.row(number(bitsOf(0.5 + I))).Hits, 1u) << I;
  }
  for (int32_t I = 0; I < 2; ++I) {
    Group All("timed_inner", {operation(TPRT_PROGRAM_RESULT, I), kKey}, kAtEnd);
    Run([] {
      callReturning<Integers>([](void *) { return Integers{{21, 22}}; });
    });
    EXPECT_EQ(All.row(number(21 + static_cast<uint64_t>(I))).Hits, 1u) << I;
  }
}

TEST(AggregateValues, ResultsAreInTheirRegisters) {
  expectResults([](auto Call) { Call(); });
}

TEST(AggregateValues, ResultsAreKnownNextToHandlersThatUseVectors) {
  OtherHandler Other;
  expectResults([](auto Call) { Call(); });
}

TEST(AggregateValues, ResultsAreKnownOnUnalignedStacks) {
#ifdef __x86_64__ // AArch64 faults on such a stack
  Group All("timed_inner",
            {operation(TPRT_PROGRAM_FLOAT_ARGUMENT, 0), kKey,
             operation(TPRT_PROGRAM_FLOAT_RESULT, 0), kKey},
            kAtEnd);
  static void (*const Body)(void *) = [](void *) {
    asm volatile("movq %0, %%xmm0" ::"r"(bitsOf(2.5)) : "xmm0");
  };
  // The slow path.
  asm volatile(
      "movq %%rsp, %%rbx\n\tandq $-16, %%rsp\n\tpushq %%rax\n\t"
      "movq %0, %%xmm0\n\tcall *%1\n\tmovq %%rbx, %%rsp" ::"r"(bitsOf(1.25)),
      "r"(&timed_inner), "D"(Body), "S"(nullptr)
      : "rax", "rcx", "rdx", "rbx", "r8", "r9", "r10", "r11", "xmm0", "memory",
        "cc");
  EXPECT_EQ(All.row(number(bitsOf(1.25)) + number(bitsOf(2.5))).Hits, 1u);
#endif
}

// --- rows --------------------------------------------------------------------

TEST(AggregateValues, SumsOfDoublesAreAddedAsDoubles) {
  Group All("timed_inner", {operation(TPRT_PROGRAM_FLOAT_ARGUMENT, 0), kValue},
            kDoubles);
  double Sum = 0;
  for (double Each : {-1.5, 1e16, 1.0, -0.1, 3e-3, -2e15}) {
    callWithEight({{Each}, {}});
    Sum += Each;
    Row Own = All.row("");
    EXPECT_EQ(doubleOf(Own.Sum), Sum);
  }
  callWithEight({{std::nan("")}, {}});
  Row Own = All.row("");
  EXPECT_EQ(Own.Hits, 7u);
  EXPECT_EQ(Own.Unknown, 1u);
  EXPECT_EQ(doubleOf(Own.Sum), Sum);
  EXPECT_EQ(doubleOf(Own.Least), -2e15);
  EXPECT_EQ(doubleOf(Own.Greatest), 1e16);
}

TEST(AggregateValues, DoublesBelowZeroHaveALeastAndAGreatest) {
  Group All("timed_inner", {operation(TPRT_PROGRAM_FLOAT_ARGUMENT, 0), kValue},
            kDoubles);
  callWithEight({{-1}, {}});
  callWithEight({{-2}, {}});
  std::vector<double> Found;
  AggregatePlace Place = {};
  visitAggregated(
      All.Made, &Place, false,
      [](const AggregateRow &Own, void *Data) {
        *static_cast<std::vector<double> *>(Data) = {
            doubleOf(Own.sum), doubleOf(Own.least), doubleOf(Own.greatest)};
        return true;
      },
      &Found);
  EXPECT_EQ(Found, (std::vector<double>{-3, -2, -1}));
}

TEST(AggregateValues, OneGroupHasDoublesOrNone) {
  Group Doubles("timed_inner",
                {operation(TPRT_PROGRAM_FLOAT_ARGUMENT, 0), kValue}, kDoubles);
  EXPECT_EQ(Doubles.add("timed_outer", {kNumber, kValue}),
            TPRT_STATUS_INVALID_ARGUMENT);
  EXPECT_STREQ(tprt_error_string(),
               "the values of one group are all doubles, or none is");
  Group Numbers("timed_inner", {});
  EXPECT_EQ(Numbers.add("timed_outer", {kNumber, kValue}, kDoubles),
            TPRT_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(Numbers.add("timed_outer", {kNumber, kValue}), TPRT_STATUS_OK);
}

} // namespace
