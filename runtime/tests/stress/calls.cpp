// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See calls.h.
#include "calls.h"

#include <atomic>
#include <cinttypes>
#include <cstdio>
#include <cstring>

extern "C" void stress_call_128(const stress::CallState *In, stress::CallState *Out, const void *);
extern "C" void stress_call_256(const stress::CallState *In, stress::CallState *Out, const void *);
extern "C" void stress_call_512(const stress::CallState *In, stress::CallState *Out, const void *);

namespace stress {
namespace {

thread_local const CallState *Expected;

// Relaxed: read only after the threads that count have been joined.
std::atomic<uint64_t> FaultCount;
std::atomic<bool> FirstTaken;
char FirstText[160];

uint64_t mixOf(const CallState &In) {
  uint64_t Mix = In.Rax + In.Rdi;
  for (uint64_t Word : {In.Rsi, In.Rdx, In.Rcx, In.R8, In.R9, In.R10, In.Stack[0]})
    Mix = (Mix << 7 | Mix >> 57) ^ Word;
  return Mix;
}

void compare(const char *Name, uint64_t Got, uint64_t Want) {
  if (Got != Want) [[unlikely]]
    Faults::report(Name, Got, Want);
}

// Width: 64-bit words of each vector register; Count: how many must survive.
void compareVectors(const CallState &In, const CallState &Out, int Count, int Width) {
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
    snprintf(FirstText, sizeof(FirstText), "%s: got %#" PRIx64 ", expected %#" PRIx64, What, Got,
             Want);
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
  if (Function.Needs & TPRT_NEEDS_OTHER) { // a convention that may keep everything
    Vectors = 16;
    compare("r11", Out.R11, In.R11);
  }

  compare("result", Out.Rax, mixOf(In));
  compare("rbx", Out.Rbx, In.Rbx);
  compare("rcx", Out.Rcx, In.Rcx);
  compare("rdx", Out.Rdx, In.Rdx);
  compare("rsi", Out.Rsi, In.Rsi);
  compare("rdi", Out.Rdi, In.Rdi);
  compare("rbp", Out.Rbp, In.Rbp);
  compare("r8", Out.R8, In.R8);
  compare("r9", Out.R9, In.R9);
  compare("r10", Out.R10, In.R10);
  compare("r12", Out.R12, In.R12);
  compare("r13", Out.R13, In.R13);
  compare("r14", Out.R14, In.R14);
  compare("r15", Out.R15, In.R15);
  for (int I = 0; I < CALL_STACK_WORDS; ++I)
    compare("caller's frame", Out.Stack[I], In.Stack[I]);
  compareVectors(In, Out, Vectors, Width);
}

} // namespace stress

const stress::CallState *stress_expected() { return stress::Expected; }

void stress_fault(const char *What, uint64_t Got, uint64_t Want) {
  stress::Faults::report(What, Got, Want);
}
