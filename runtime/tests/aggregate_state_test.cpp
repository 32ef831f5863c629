// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests that a hit whose program computes with doubles changes none of the
// program's vector registers, floating-point flags and modes.
#include "aggregategroup.h"

#include <bit>
#include <cmath>

namespace {

constexpr uint32_t kAtEnd = TPRT_PROGRAM_AT_END;
constexpr uint32_t kDoubles = TPRT_PROGRAM_FLOAT_VALUE;

Operation operation(tprt_program_code Code, int32_t Number, uint8_t To = 0) {
  return {static_cast<uint8_t>(Code), To, 0, 0, Number};
}
[[maybe_unused]] uint64_t bitsOf(double Number) {
  return std::bit_cast<uint64_t>(Number);
}

// All operations of doubles, on numbers that raise each exception: invalid, by
// zero, overflow, underflow, inexact, subnormal.
Operations allOperations() {
  Operations All = {operation(TPRT_PROGRAM_FLOAT_ARGUMENT, 0, 0),
                    operation(TPRT_PROGRAM_FLOAT_ARGUMENT, 1, 1),
                    operation(TPRT_PROGRAM_STACK_ARGUMENT, 3, 5)};
  for (unsigned Code = TPRT_PROGRAM_FLOAT_ADD;
       Code <= TPRT_PROGRAM_FLOAT_LESS_EQUAL; ++Code)
    All.push_back({static_cast<uint8_t>(Code), 2, 0, 1, 0});
  for (unsigned Code = TPRT_PROGRAM_FLOAT_FROM_SIGNED;
       Code <= TPRT_PROGRAM_FLOAT_TO_SINGLE; ++Code)
    All.push_back({static_cast<uint8_t>(Code), 3, 0, 0, 0});
  All.push_back(kValue);
  return All;
}
constexpr double kTrouble[][2] = {
    {1, 3},       {1, 0},        {1e308, 1e308},   {5e-324, 0.3},
    {-1e-310, 7}, {HUGE_VAL, 0}, {-1e300, 1e-300}, {0, 0},
    {1e300, 0.1}, {-2.5, 1e-320}};

#ifdef __x86_64__
struct State {
  alignas(64) uint8_t Vectors[16][32];
  uint32_t Control;
};
constexpr uint32_t kControls[] = {
    0x1f80, // as at the start
    0x0000, // no exception is masked, nothing is raised
    0x7f80, // rounding toward zero
    0x9fc0, // denormals are zeros
    0x3f80, // rounding down
};

// Calls timed_inner with these registers, and stores what they are afterwards.
// Only the hit can change them.
void callWithState(const State &In, State &Out, bool Wide) {
  static void (*const Body)(void *) = [](void *) {};
  uint32_t Before;
  asm volatile("stmxcsr %0" : "=m"(Before));
  auto load = [&]<bool Upper>() {
    asm volatile(
        "ldmxcsr %c[control](%[in])\n\t"
        ".if %c[wide]\n\t"
        ".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n\t"
        "vmovaps 32*\\n(%[in]), %%ymm\\n\n\t.endr\n\t"
        ".else\n\t"
        ".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n\t"
        "movaps 32*\\n(%[in]), %%xmm\\n\n\t.endr\n\t"
        ".endif\n\t"
        "call *%[function]\n\t"
        ".if %c[wide]\n\t"
        ".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n\t"
        "vmovaps %%ymm\\n, 32*\\n(%[out])\n\t.endr\n\t"
        "vzeroupper\n\t"
        ".else\n\t"
        ".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n\t"
        "movaps %%xmm\\n, 32*\\n(%[out])\n\t.endr\n\t"
        ".endif\n\t"
        "stmxcsr %c[control](%[out])\n\t"
        "ldmxcsr %[before]"
        :
        : [in] "r"(&In), [out] "r"(&Out), [function] "r"(&timed_inner),
          "D"(Body), "S"(nullptr), [control] "i"(offsetof(State, Control)),
          [wide] "i"(Upper), [before] "m"(Before)
        : "rax", "rcx", "rdx", "r8", "r9", "r10", "r11", "memory", "cc", "xmm0",
          "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8",
          "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
  };
  if (Wide)
    load.operator()<true>();
  else
    load.operator()<false>();
}

void compareStates(uint32_t Flags, bool Wide) {
  Group All("timed_inner", allOperations(), Flags | kDoubles);
  State In = {}, Out = {};
  uint64_t Calls = 0;
  for (uint32_t Control : kControls)
    for (const auto &Numbers : kTrouble) {
      In.Control = Control;
      for (unsigned I = 0; I < 16; ++I)
        memset(In.Vectors[I], static_cast<int>(17 * I + 3), 32);
      memcpy(In.Vectors[0], &Numbers[0], 8);
      memcpy(In.Vectors[1], &Numbers[1], 8);
      memset(&Out, 0, sizeof Out);
      callWithState(In, Out, Wide);
      ++Calls;
      EXPECT_EQ(Out.Control, Control);
      for (unsigned I = 0; I < 16; ++I)
        EXPECT_EQ(memcmp(Out.Vectors[I], In.Vectors[I], Wide ? 32 : 16), 0)
            << I;
    }
  EXPECT_EQ(All.row("").Hits, Calls);
}
#else
struct State {
  alignas(16) uint64_t Vectors[32][2];
  uint64_t Control, Status;
};
constexpr uint32_t kControls[] = {0, 1u << 24, 2u << 22, 3u << 22};

void callWithState(const State &In, State &Out) {
  static void (*const Body)(void *) = [](void *) {};
  register const void *X0 asm("x0") = reinterpret_cast<const void *>(Body);
  register const void *X1 asm("x1") = nullptr;
  register const State *From asm("x19") = &In;
  register State *To asm("x20") = &Out;
  register uint64_t Control asm("x21"), Status asm("x22");
  asm volatile(
      "mrs x21, fpcr\n\tmrs x22, fpsr\n\t"
      "ldr x9, [x19, #512]\n\tmsr fpcr, x9\n\tldr x9, [x19, #520]\n\t"
      "msr fpsr, x9\n\t"
      ".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,"
      "25,26,27,28,29,30,31\n\tldr q\\n, [x19, #16*\\n]\n\t.endr\n\t"
      "blr %[function]\n\t"
      ".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,"
      "25,26,27,28,29,30,31\n\tstr q\\n, [x20, #16*\\n]\n\t.endr\n\t"
      "mrs x9, fpcr\n\tstr x9, [x20, #512]\n\tmrs x9, fpsr\n\t"
      "str x9, [x20, #520]\n\tmsr fpcr, x21\n\tmsr fpsr, x22"
      : "+r"(X0), "+r"(X1), "=&r"(Control), "=&r"(Status)
      : "r"(From), "r"(To), [function] "r"(&timed_inner)
      : "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12",
        "x13", "x14", "x15", "x16", "x17", "x30", "memory", "cc", "v0", "v1",
        "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12",
        "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22",
        "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31");
}

void compareStates(uint32_t Flags, bool) {
  Group All("timed_inner", allOperations(), Flags | kDoubles);
  State In = {}, Out = {};
  uint64_t Calls = 0;
  for (uint32_t Control : kControls)
    for (const auto &Numbers : kTrouble) {
      for (unsigned I = 0; I < 32; ++I)
        In.Vectors[I][0] = In.Vectors[I][1] = 17 * I + 3;
      In.Control = Control;
      In.Vectors[0][0] = bitsOf(Numbers[0]);
      In.Vectors[1][0] = bitsOf(Numbers[1]);
      memset(&Out, 0, sizeof Out);
      callWithState(In, Out);
      ++Calls;
      EXPECT_EQ(memcmp(&In, &Out, sizeof In), 0);
    }
  EXPECT_EQ(All.row("").Hits, Calls);
}
#endif

TEST(AggregateValues, HitsKeepVectorsFlagsAndModes) {
  bool Wide = false;
#ifdef __x86_64__
  Wide = __builtin_cpu_supports("avx");
#endif
  for (uint32_t Flags : {uint32_t{0}, kAtEnd}) {
    compareStates(Flags, false);
    if (Wide)
      compareStates(Flags, true);
  }
}

} // namespace
