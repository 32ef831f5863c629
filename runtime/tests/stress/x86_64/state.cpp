// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes the calls of caller.S, and checks which registers are unchanged after
// the call.
#include "calls.h"

#include <cstdio>

extern "C" void stress_call_256(const stress::CallState *In,
                                stress::CallState *Out, const void *);
extern "C" void stress_call_512(const stress::CallState *In,
                                stress::CallState *Out, const void *);

namespace stress {
namespace {

uint64_t mixOf(const CallState &In) {
  uint64_t Mix = In.Rax + In.Rdi;
  for (uint64_t Word :
       {In.Rsi, In.Rdx, In.Rcx, In.R8, In.R9, In.R10, In.Stack[0]})
    Mix = (Mix << 7 | Mix >> 57) ^ Word;
  return Mix;
}

// Width is the number of 64-bit words in each vector register. Count is the
// number of vector registers that must be preserved.
void compareVectors(const CallState &In, const CallState &Out, int Count,
                    int Width) {
  for (int I = 0; I < Count; ++I)
    for (int J = 0; J < Width; ++J)
      if (In.Vector[I][J] != Out.Vector[I][J]) [[unlikely]] {
        char Name[32];
        snprintf(Name, sizeof(Name), "vector %d word %d", I, J);
        Faults::report(Name, Out.Vector[I][J], In.Vector[I][J]);
      }
}

int wordsOfVectors(const StressFunction &Function) {
  return Function.Needs & TPRT_NEEDS_VEC512   ? 8
         : Function.Needs & TPRT_NEEDS_VEC256 ? 4
                                              : 2;
}

} // namespace

bool canCall(const StressFunction &Function) {
  if (Function.Needs & TPRT_NEEDS_VEC512)
    return __builtin_cpu_supports("avx512f");
  if (Function.Needs & TPRT_NEEDS_VEC256)
    return __builtin_cpu_supports("avx2");
  return true;
}

void makeCall(const StressFunction &Function, const CallState &In,
              CallState &Out) {
  const int Words = wordsOfVectors(Function);
  (Words == 8   ? stress_call_512
   : Words == 4 ? stress_call_256
                : stress_call_128)(&In, &Out, Function.Entry);
}

void compareStates(const StressFunction &Function, const CallState &In,
                   const CallState &Out) {
  const bool Tail = Function.event() == TPRT_KIND_TAIL_EXIT;
  const bool Everything = Tail || Function.Needs & TPRT_NEEDS_OTHER;
  const unsigned Integers = Function.event() == TPRT_KIND_EXIT   ? 0
                            : Function.live() == TPRT_LIVE_ONE   ? 1
                            : Function.live() == TPRT_LIVE_THREE ? 3
                                                                 : 6;
  if (Function.event() != TPRT_KIND_ENTRY)
    compare("result", Out.Rax, In.Rax);
  else if (Function.live() ==
           TPRT_LIVE_ALL) // otherwise it reads registers that were not saved
    compare("result", Out.Rax, mixOf(In));
  const uint64_t Got[] = {Out.Rdi, Out.Rsi, Out.Rdx, Out.Rcx, Out.R8, Out.R9};
  const uint64_t Want[] = {In.Rdi, In.Rsi, In.Rdx, In.Rcx, In.R8, In.R9};
  for (unsigned I = 0; I < Integers; ++I)
    compare("argument register", Got[I], Want[I]);
  if (Function.event() == TPRT_KIND_EXIT && Function.live() == TPRT_LIVE_ALL) {
    compare("second part of the result", Out.Rdx, In.Rdx);
    compare("third part of the result", Out.Rcx, In.Rcx);
  }
  if (Function.live() == TPRT_LIVE_ALL && Function.event() != TPRT_KIND_EXIT)
    compare("r10", Out.R10, In.R10);
  if (Everything)
    compare("r11", Out.R11, In.R11);
  if (Tail)
    compare("flags", Out.Flags & 0x8d5, In.Flags & 0x8d5);
  compare("rbx", Out.Rbx, In.Rbx);
  compare("rbp", Out.Rbp, In.Rbp);
  compare("r12", Out.R12, In.R12);
  compare("r13", Out.R13, In.R13);
  compare("r14", Out.R14, In.R14);
  compare("r15", Out.R15, In.R15);
  for (int I = 0; I < CALL_STACK_WORDS; ++I)
    compare("caller's frame", Out.Stack[I], In.Stack[I]);
  if (Function.Kind & TPRT_RECORD_NO_VECTORS)
    return;
  // A function with its own convention may preserve all registers.
  const bool AllVectors =
      Function.Needs & TPRT_NEEDS_OTHER || Function.event() == TPRT_KIND_POINT;
  const int Vectors = AllVectors                           ? 16
                      : Function.event() == TPRT_KIND_EXIT ? 4
                                                           : 8;
  compareVectors(In, Out, Vectors, wordsOfVectors(Function));
}

} // namespace stress
