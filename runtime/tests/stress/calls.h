// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of the hand-made functions of sleds.S with every register filled, and
// the check that each of them came through. Thread-safe and async-signal-safe:
// nothing here allocates, and the expectation is per thread and nests.
#pragma once

#include "layout.h"
#include "tprt/tprt.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace stress {

// Every register a call may use, in the order of layout.h.
struct alignas(64) CallState {
  uint64_t Rax, Rbx, Rcx, Rdx, Rsi, Rdi, Rbp, R8, R9, R10, R11, R12, R13, R14,
      R15, Flags;
  uint64_t Vector[16][8];
  uint64_t Stack[CALL_STACK_WORDS];
};
static_assert(offsetof(CallState, R15) == CALL_R15 &&
              offsetof(CallState, Flags) == CALL_FLAGS);
static_assert(offsetof(CallState, Vector) == CALL_VECTOR);
static_assert(offsetof(CallState, Stack) == CALL_STACK);
static_assert(sizeof(CallState) == CALL_SIZE);
static_assert(SLED_SHORT == TPRT_SHAPE_SHORT && SLED_LONG == TPRT_SHAPE_LONG &&
              SLED_RET == TPRT_SHAPE_RET);
static_assert(SLED_EXIT == TPRT_RECORD_EXIT &&
              SLED_TAIL == TPRT_RECORD_TAIL_EXIT);
static_assert(SLED_LIVE_ONE == TPRT_LIVE_ONE << 2 &&
              SLED_LIVE_THREE == TPRT_LIVE_THREE << 2);
static_assert(SLED_LIVE_ARGUMENTS == TPRT_LIVE_ARGUMENTS << 2 &&
              SLED_NO_VECTORS == TPRT_RECORD_NO_VECTORS);
static_assert(SLED_NEEDS_VEC256 == TPRT_NEEDS_VEC256 &&
              SLED_NEEDS_VEC512 == TPRT_NEEDS_VEC512);
static_assert(SLED_NEEDS_OTHER == TPRT_NEEDS_OTHER &&
              SLED_OPAQUE == TPRT_RECORD_OPAQUE &&
              SLED_NOTE_VERSION == TPRT_TABLE_VERSION);

// One entry of the table that sleds.S makes.
struct StressFunction {
  const void *Entry;
  uint8_t Offset, Shape, LandingPad, Needs;
  uint8_t Kind; // of the record, but for the shape
  uint8_t Unused[3];
  unsigned event() const { return TPRT_RECORD_EVENT(Kind); }
  unsigned live() const { return TPRT_RECORD_LIVE(Kind); }
};
static_assert(sizeof(StressFunction) == 16);

extern "C" const StressFunction stress_functions[], stress_functions_end[];

// The functions linked into this program.
inline std::span<const StressFunction> functions() {
  return {stress_functions, stress_functions_end};
}

// What went wrong, over all threads; 0 in a good run. Handlers and callers add
// to these, and the first fault is kept as text.
struct Faults {
  static void report(const char *What, uint64_t Got, uint64_t Expected);
  static uint64_t count();
  static const char *first();
  static void reset();
};

// Makes calls on one thread. Construct one per thread or signal handler.
class Caller {
public:
  explicit Caller(uint64_t Seed) : State(Seed | 1) {}
  // Calls Function with new random register contents and checks what comes
  // back.
  void call(const StressFunction &Function);
  // A number below Limit.
  size_t random(size_t Limit);

private:
  uint64_t next();
  uint64_t State;
};

// Whether this machine can run functions that pass vectors of such width.
bool canCall(const StressFunction &Function);

} // namespace stress

// For the handlers, which are C without vector registers: what the call under
// way on this thread passed, NULL outside of one; and where it returns to.
extern "C" const stress::CallState *stress_expected();
extern "C" void stress_fault(const char *What, uint64_t Got, uint64_t Expected);
