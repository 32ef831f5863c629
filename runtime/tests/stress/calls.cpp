// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See calls.h.
#include "calls.h"

#include <atomic>
#include <cinttypes>
#include <cstdio>
#include <cstring>

extern "C" void stress_call_128(const stress::CallState *In,
                                stress::CallState *Out, const void *);
extern "C" void stress_call_256(const stress::CallState *In,
                                stress::CallState *Out, const void *);
extern "C" void stress_call_512(const stress::CallState *In,
                                stress::CallState *Out, const void *);

namespace stress {
namespace {

thread_local const CallState *Expected;

// The status flags, and those that are always set: a call may come with any.
constexpr uint64_t StatusFlags = 0x8d5, UsualFlags = 0x202;

// Relaxed: read only after the threads that count have been joined.
std::atomic<uint64_t> FaultCount;
std::atomic<bool> FirstTaken;
char FirstText[160];

uint64_t mixOf(const CallState &In) {
  uint64_t Mix = In.Rax + In.Rdi;
  for (uint64_t Word :
       {In.Rsi, In.Rdx, In.Rcx, In.R8, In.R9, In.R10, In.Stack[0]})
    Mix = (Mix << 7 | Mix >> 57) ^ Word;
  return Mix;
}

void compare(const char *Name, uint64_t Got, uint64_t Want) {
  if (Got != Want) [[unlikely]]
    Faults::report(Name, Got, Want);
}

// Width: 64-bit words of each vector register; Count: how many must survive.
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

} // namespace

void Faults::report(const char *What, uint64_t Got, uint64_t Want) {
  FaultCount.fetch_add(1, std::memory_order_relaxed);
  if (!FirstTaken.exchange(true))
    snprintf(FirstText, sizeof(FirstText),
             "%s: got %#" PRIx64 ", expected %#" PRIx64, What, Got, Want);
}
uint64_t Faults::count() { return FaultCount.load(std::memory_order_relaxed); }
const char *Faults::first() { return FirstText; }
void Faults::reset() {
  FaultCount = 0;
  FirstTaken = false;
  FirstText[0] = 0;
}

uint64_t Caller::next() {
  State ^= State << 13;
  State ^= State >> 7;
  State ^= State << 17;
  return State;
}

size_t Caller::random(size_t Limit) { return next() % Limit; }

bool canCall(const StressFunction &Function) {
  if (Function.Needs & TPRT_NEEDS_VEC512)
    return __builtin_cpu_supports("avx512f");
  if (Function.Needs & TPRT_NEEDS_VEC256)
    return __builtin_cpu_supports("avx2");
  return true;
}

void Caller::call(const StressFunction &Function) {
  CallState In, Out;
  auto *Words = reinterpret_cast<uint64_t *>(&In);
  uint64_t Word = next();
  const uint64_t Step = next() | 1;
  for (size_t I = 0; I < sizeof(In) / sizeof(*Words); ++I)
    Words[I] = Word += Step;
  In.Flags = (In.Flags & StatusFlags) | UsualFlags;

  const CallState *Outer = Expected;
  Expected = &In;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  int Vectors = 8, Width = 2;
  if (Function.Needs & TPRT_NEEDS_VEC512) {
    Width = 8;
    stress_call_512(&In, &Out, Function.Entry);
  } else if (Function.Needs & TPRT_NEEDS_VEC256) {
    Width = 4;
    stress_call_256(&In, &Out, Function.Entry);
  } else {
    stress_call_128(&In, &Out, Function.Entry);
  }
  std::atomic_signal_fence(std::memory_order_seq_cst);
  Expected = Outer;
  // What has to survive: all that the function's own code leaves alone and that
  // the event says is live.
  const bool Tail = Function.event() == TPRT_RECORD_TAIL_EXIT;
  const bool Everything = Tail || Function.Needs & TPRT_NEEDS_OTHER;
  const unsigned Integers = Function.event() == TPRT_RECORD_EXIT ? 0
                            : Function.live() == TPRT_LIVE_ONE   ? 1
                            : Function.live() == TPRT_LIVE_THREE ? 3
                                                                 : 6;
  if (Function.event() != TPRT_RECORD_ENTRY)
    compare("result", Out.Rax, In.Rax);
  else if (Function.live() ==
           TPRT_LIVE_ALL) // else it reads registers that were not kept
    compare("result", Out.Rax, mixOf(In));
  const uint64_t Got[] = {Out.Rdi, Out.Rsi, Out.Rdx, Out.Rcx, Out.R8, Out.R9};
  const uint64_t Want[] = {In.Rdi, In.Rsi, In.Rdx, In.Rcx, In.R8, In.R9};
  for (unsigned I = 0; I < Integers; ++I)
    compare("argument register", Got[I], Want[I]);
  if (Function.event() == TPRT_RECORD_EXIT &&
      Function.live() == TPRT_LIVE_ALL) {
    compare("second part of the result", Out.Rdx, In.Rdx);
    compare("third part of the result", Out.Rcx, In.Rcx);
  }
  if (Function.live() == TPRT_LIVE_ALL && Function.event() != TPRT_RECORD_EXIT)
    compare("r10", Out.R10, In.R10);
  if (Everything)
    compare("r11", Out.R11, In.R11);
  if (Tail)
    compare("flags", Out.Flags & StatusFlags, In.Flags & StatusFlags);
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
  // A convention of its own may keep all.
  if (Function.Needs & TPRT_NEEDS_OTHER)
    Vectors = 16;
  else if (Function.event() == TPRT_RECORD_EXIT)
    Vectors = 4;
  compareVectors(In, Out, Vectors, Width);
}

} // namespace stress

const stress::CallState *stress_expected() { return stress::Expected; }

void stress_fault(const char *What, uint64_t Got, uint64_t Want) {
  stress::Faults::report(What, Got, Want);
}
