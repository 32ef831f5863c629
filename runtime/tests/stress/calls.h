// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls the handmade functions of sleds.S with every register filled, and
// checks each register after the call. Thread-safe and async-signal-safe:
// nothing here allocates memory. The expected values of a call are kept per
// thread and may be nested.
#pragma once

#include "state.h"
#include "tprt/tprt.h"

#include <cstdint>
#include <span>

namespace stress {

// One entry of the table in sleds.S.
struct StressFunction {
  const void *Entry;
  uint8_t Offset, Shape, LandingPad, Needs;
  uint8_t Kind; // the traits of the record without the shape
  uint8_t Unused[3];
  unsigned event() const { return TPRT_RECORD_KIND(Kind); }
  unsigned live() const { return TPRT_RECORD_LIVE(Kind); }
};
static_assert(sizeof(StressFunction) == 16);

extern "C" const StressFunction stress_functions[], stress_functions_end[];

// The functions linked into this program.
inline std::span<const StressFunction> functions() {
  return {stress_functions, stress_functions_end};
}

// The numbers of faults on all threads; 0 in a successful run. Handlers and
// callers add to them, and the first fault is kept as text.
struct Faults {
  static void report(const char *What, uint64_t Got, uint64_t Expected);
  static uint64_t count();
  static const char *first();
  static void reset();
};

// Reports a fault if the two values differ.
inline void compare(const char *What, uint64_t Got, uint64_t Want) {
  if (Got != Want) [[unlikely]]
    Faults::report(What, Got, Want);
}

// Makes calls on one thread. Construct one for each thread or signal handler.
class Caller {
public:
  explicit Caller(uint64_t Seed) : State(Seed | 1) {}
  // Calls Function with new random register contents and checks the registers
  // afterwards.
  void call(const StressFunction &Function);
  // A number below Limit.
  size_t random(size_t Limit);

private:
  uint64_t next();
  uint64_t State;
};

// Makes one call without any check. Of each vector register only the first 128
// bits are passed.
extern "C" void stress_call_128(const CallState *In, CallState *Out,
                                const void *Function);

// These three are in the processor's own file:
//  - whether this machine can run functions that pass vectors of this width;
//  - a call with all the registers that are live in Function;
//  - the check of all registers that Function's own code does not change and
//    that its event describes as live.
bool canCall(const StressFunction &Function);
void makeCall(const StressFunction &Function, const CallState &In,
              CallState &Out);
void compareStates(const StressFunction &Function, const CallState &In,
                   const CallState &Out);

} // namespace stress

// For the handlers, which are C without vector registers: the registers that
// this thread's current call passed, or NULL outside of a call; and the return
// address of that call.
extern "C" const stress::CallState *stress_expected();
extern "C" void stress_fault(const char *What, uint64_t Got, uint64_t Expected);
