// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The registers of a call of sleds.S, and the functions and bytes for this
// processor that the tests use.
#pragma once

#include "layout.h"
#include "tprt/tprt.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace stress {

// Every register a call may use, in the order of layout.h.
struct alignas(64) CallState {
  uint64_t X[31], Nzcv, Vector[32][8], Predicate[72], Stack[CALL_STACK_WORDS];

  uint64_t &firstArgument() { return X[0]; }
  uint64_t firstArgument() const { return X[0]; }
  uint64_t secondArgument() const { return X[1]; }
  uint64_t result() const { return X[0]; }
  uint64_t secondResult() const { return X[1]; }
  // Keeps only the status flags that a program may have.
  void makeFlagsValid() { Nzcv &= 0xf0000000; }
  bool hasCalleeSavedOf(const CallState &Other) const {
    return !memcmp(X + 19, Other.X + 19, 11 * sizeof(*X));
  }
};
static_assert(offsetof(CallState, X) == CALL_X &&
              offsetof(CallState, Nzcv) == CALL_NZCV);
static_assert(offsetof(CallState, Vector) == CALL_VECTOR &&
              offsetof(CallState, Predicate) == CALL_PREDICATE);
static_assert(offsetof(CallState, Stack) == CALL_STACK);
static_assert(sizeof(CallState) == CALL_SIZE);
static_assert(SLED_WORD == TPRT_SHAPE_WORD && SLED_EXIT == TPRT_KIND_EXIT &&
              SLED_TAIL == TPRT_KIND_TAIL_EXIT &&
              SLED_POINT == TPRT_KIND_POINT);
static_assert(SLED_NEEDS_SCALABLE == TPRT_NEEDS_SCALABLE &&
              SLED_NEEDS_STREAMING == TPRT_NEEDS_STREAMING);
static_assert(SLED_NEEDS_OTHER == TPRT_NEEDS_OTHER &&
              SLED_OPAQUE == TPRT_RECORD_OPAQUE &&
              SLED_NOTE_VERSION == TPRT_TABLE_VERSION);

inline uint64_t &firstArgumentOf(tprt_regs &Regs) { return Regs.x[0]; }
inline uint64_t &resultOf(tprt_regs &Regs) { return Regs.x[0]; }

// The groups that are toggled: the functions of one shape and event.
struct Group {
  const char *Name, *Glob;
  size_t Sites;
};
inline constexpr Group Groups[] = {{"Entry", "stress_entry_*", 64},
                                   {"Exit", "stress_exit_*", 32},
                                   {"Tail", "stress_tail_*", 16},
                                   {"Point", "point_*", 34}};
// These groups are toggled only with all actions mixed.
inline constexpr Group OtherGroups[] = {{"Other", "stress_other_*", 16}};

// Single functions, at offsets from one site to the next.
inline constexpr const char *OpaqueEntries[] = {"stress_opaque_entry_8",
                                                "stress_opaque_bti_8"};
inline constexpr const char *OpaqueExit = "stress_opaque_exit_12";
inline constexpr const char *PlainEntries[] = {
    "stress_entry_plain_4", "stress_entry_plain_12", "stress_entry_bti_20"};

// Addresses at which an unexpected byte causes a refusal.
struct OddByte {
  const char *Name, *Function; // no other test has attached to it before
  int Offset;                  // from the entry label
  uint8_t Byte;
};
inline constexpr OddByte OddBytes[] = {
    {"OtherFirstByte", "stress_entry_plain_40", 0, 0x3f},  // yield
    {"OtherLastByte", "stress_entry_plain_40", 3, 0x54},   // no hint at all
    {"AfterALandingPad", "stress_entry_bti_40", 4, 0x9f}}; // sev

} // namespace stress
