// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes the calls of caller.S, and checks which registers are unchanged after
// the call.
#include "calls.h"

#include <sys/auxv.h>

extern "C" void stress_call_scalable(const stress::CallState *In,
                                     stress::CallState *Out, const void *);
extern "C" void stress_call_streaming(const stress::CallState *In,
                                      stress::CallState *Out, const void *);
extern "C" uint64_t stress_vector_bytes(int Streaming);

namespace stress {
namespace {

bool isPoint(const StressFunction &Function) {
  return Function.event() == TPRT_KIND_POINT;
}

// At a point, at a tail call, and for other conventions, every register is
// live. In these cases sleds.S uses no register as scratch, and so does not mix
// in the word from the stack.
bool isWhole(const StressFunction &Function) {
  return Function.event() == TPRT_KIND_TAIL_EXIT || isPoint(Function) ||
         Function.Needs & TPRT_NEEDS_OTHER;
}

uint64_t mixOf(const CallState &In, bool Whole) {
  uint64_t Mix = In.X[0];
  for (int I : {1, 2, 3, 4, 5, 6, 7, 8, 15, 18})
    Mix = (Mix << 7 | Mix >> 57) ^ In.X[I];
  return Whole ? Mix : (Mix << 7 | Mix >> 57) ^ In.Stack[0];
}

// The registers that a callee preserves (AAPCS64, 6.1.1 and 6.1.2), and those
// that are also live at the sled.
void compareGeneral(const StressFunction &Function, const CallState &In,
                    const CallState &Out) {
  const bool Whole = isWhole(Function);
  const bool Exits = Function.event() == TPRT_KIND_EXIT;
  compare("result", Out.X[0], mixOf(In, Whole));
  for (int I = 1; I < 8; ++I)
    compare("argument register", Out.X[I], In.X[I]);
  if (!Exits) {
    compare("x8", Out.X[8], In.X[8]);
    compare("x15", Out.X[15], In.X[15]);
  }
  if (Whole) {
    for (int I = 9; I < 16; ++I)
      compare("scratch register that is live", Out.X[I], In.X[I]);
    if (!isPoint(Function)) {
      if (Function.event() != TPRT_KIND_TAIL_EXIT)
        compare("x16", Out.X[16], In.X[16]);
      compare("x17", Out.X[17], In.X[17]);
      compare("flags", Out.Nzcv, In.Nzcv);
    }
  }
  for (int I = 18; I < 30; ++I)
    compare("callee-saved register", Out.X[I], In.X[I]);
  for (int I = 0; I < CALL_STACK_WORDS; ++I)
    compare("caller's frame", Out.Stack[I], In.Stack[I]);
}

void compareVectors(const StressFunction &Function, const CallState &In,
                    const CallState &Out) {
  const bool Other = Function.Needs & TPRT_NEEDS_OTHER || isPoint(Function);
  for (int I = 0; I < 32; ++I) {
    if (I < 16 || Other)
      compare("low half of a vector", Out.Vector[I][0], In.Vector[I][0]);
    if (I < 8 || Other)
      compare("high half of a vector", Out.Vector[I][1], In.Vector[I][1]);
  }
}

void compareScalable(const StressFunction &Function, const CallState &In,
                     const CallState &Out) {
  const bool Streaming = Function.Needs & TPRT_NEEDS_STREAMING;
  const uint64_t Bytes = stress_vector_bytes(Streaming);
  for (int I = 0; I < 32; ++I)
    for (unsigned J = 0; J < 8 && J < Bytes / 8; ++J)
      compare("scalable vector", Out.Vector[I][J], In.Vector[I][J]);
  compare("predicates",
          static_cast<uint64_t>(memcmp(In.Predicate, Out.Predicate, 2 * Bytes)),
          0);
  auto *First = reinterpret_cast<const uint8_t *>(Out.Predicate) + 2 * Bytes;
  for (unsigned I = 0; !Streaming && I < Bytes / 8; ++I)
    compare("ffr", First[I], 0xff);
}

} // namespace

bool canCall(const StressFunction &Function) {
  if (Function.Needs & TPRT_NEEDS_STREAMING)
    return getauxval(AT_HWCAP2) & uint64_t{1} << 23; // HWCAP2_SME
  if (Function.Needs & TPRT_NEEDS_SCALABLE)
    return getauxval(AT_HWCAP) & uint64_t{1} << 22; // HWCAP_SVE
  return true;
}

void makeCall(const StressFunction &Function, const CallState &In,
              CallState &Out) {
  memset(&Out, 0, sizeof(Out)); // a short vector does not change the rest
  (Function.Needs & TPRT_NEEDS_STREAMING ? stress_call_streaming
   : Function.Needs & TPRT_NEEDS_SCALABLE
       ? stress_call_scalable
       : stress_call_128)(&In, &Out, Function.Entry);
}

void compareStates(const StressFunction &Function, const CallState &In,
                   const CallState &Out) {
  compareGeneral(Function, In, Out);
  if (Function.Needs & (TPRT_NEEDS_SCALABLE | TPRT_NEEDS_STREAMING))
    compareScalable(Function, In, Out);
  else
    compareVectors(Function, In, Out);
}

} // namespace stress
