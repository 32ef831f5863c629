// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The registers of a call of sleds.S, and the functions and bytes for this
// processor that the tests use.
#pragma once

#include "layout.h"
#include "tprt/tprt.h"

#include <cstddef>
#include <cstdint>

namespace stress {

// Every register a call may use, in the order of layout.h.
struct alignas(64) CallState {
  uint64_t Rax, Rbx, Rcx, Rdx, Rsi, Rdi, Rbp, R8, R9, R10, R11, R12, R13, R14,
      R15, Flags;
  uint64_t Vector[16][8];
  uint64_t Stack[CALL_STACK_WORDS];

  uint64_t &firstArgument() { return Rdi; }
  uint64_t firstArgument() const { return Rdi; }
  uint64_t secondArgument() const { return Rsi; }
  uint64_t result() const { return Rax; }
  // The second part of the result that is in a register.
  uint64_t secondResult() const { return Rdx; }
  // Keeps only the status flags that a program may have.
  void makeFlagsValid() { Flags = (Flags & 0x8d5) | 0x202; }
  bool hasCalleeSavedOf(const CallState &Other) const {
    return Rbx == Other.Rbx && Rbp == Other.Rbp && R12 == Other.R12 &&
           R13 == Other.R13 && R14 == Other.R14 && R15 == Other.R15;
  }
};
static_assert(offsetof(CallState, R15) == CALL_R15 &&
              offsetof(CallState, Flags) == CALL_FLAGS);
static_assert(offsetof(CallState, Vector) == CALL_VECTOR);
static_assert(offsetof(CallState, Stack) == CALL_STACK);
static_assert(sizeof(CallState) == CALL_SIZE);
static_assert(SLED_PLAIN == TPRT_SHAPE_PLAIN &&
              SLED_SHORT == TPRT_SHAPE_SHORT && SLED_LONG == TPRT_SHAPE_LONG &&
              SLED_RET == TPRT_SHAPE_RET);
static_assert(SLED_EXIT == TPRT_KIND_EXIT && SLED_TAIL == TPRT_KIND_TAIL_EXIT &&
              SLED_POINT == TPRT_KIND_POINT);
static_assert(SLED_LIVE_ONE == TPRT_LIVE_ONE << 2 &&
              SLED_LIVE_THREE == TPRT_LIVE_THREE << 2);
static_assert(SLED_LIVE_ARGUMENTS == TPRT_LIVE_ARGUMENTS << 2 &&
              SLED_NO_VECTORS == TPRT_RECORD_NO_VECTORS);
static_assert(SLED_NEEDS_VEC256 == TPRT_NEEDS_VEC256 &&
              SLED_NEEDS_VEC512 == TPRT_NEEDS_VEC512);
static_assert(SLED_NEEDS_OTHER == TPRT_NEEDS_OTHER &&
              SLED_OPAQUE == TPRT_RECORD_OPAQUE &&
              SLED_NOTE_VERSION == TPRT_TABLE_VERSION);

inline uint64_t &firstArgumentOf(tprt_regs &Regs) { return Regs.rdi; }
inline uint64_t &resultOf(tprt_regs &Regs) { return Regs.rax; }

// The groups that are toggled: the functions of one shape and event.
struct Group {
  const char *Name, *Glob;
  size_t Sites;
};
inline constexpr Group Groups[] = {
    {"Short", "stress_short_*", 128}, {"Long", "stress_long_*", 128},
    {"Ret", "stress_ret_*", 64},      {"Exit", "stress_exit_*", 64},
    {"Tail", "stress_tail_*", 64},    {"Trap", "stress_trap_*", 160},
    {"Point", "point_*", 98}};
// These groups are toggled only with all actions mixed.
inline constexpr Group OtherGroups[] = {{"Other", "stress_other_*", 64},
                                        {"Live", "stress_live_*", 128}};

// Single functions. The number in a name is the offset of the label in its
// cache line.
inline constexpr const char *OpaqueEntries[] = {"stress_opaque_short_8",
                                                "stress_opaque_long_8"};
inline constexpr const char *OpaqueExit = "stress_opaque_ret_12";
inline constexpr const char *PlainEntries[] = {
    "stress_short_plain_4", "stress_short_plain_12", "stress_long_plain_20"};

// Addresses at which an unexpected byte causes a refusal.
struct OddByte {
  const char *Name, *Function; // no other test has attached to it before
  int Offset;                  // from the entry label
  uint8_t Byte;
};
inline constexpr OddByte OddBytes[] = {
    {"BreakpointAtAShortSled", "stress_short_plain_40", 0, 0xcc},
    {"BreakpointAtALongSled", "stress_long_plain_40", 0, 0xcc},
    {"OtherSecondByteAtAShortSled", "stress_short_plain_40", 1, 0x91},
    {"OtherLastByteAtALongSled", "stress_long_plain_40", 4, 0x01},
    {"OtherBytesInASlot", "stress_short_plain_40", -3, 0x90},
    {"BreakpointAtAPlainSled", "stress_trap_two_40", 0, 0xcc},
    {"OtherSecondByteAtAPlainSled", "stress_trap_two_40", 1, 0xf4}};

} // namespace stress
