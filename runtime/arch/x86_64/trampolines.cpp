// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The copies of the trampolines, and the data that their code reads; see
// trampolines.h. Called under the lock.
#include "trampolines.h"
#include "frame.h"
#include "sites/arch.h"

extern "C" {
// The first object of this name in the loader's order: the executable's if it
// has one.
extern const tprt::Trampolines __tprt_near
    __attribute__((visibility("default")));
extern const tprt::Trampolines __tprt_own __attribute__((visibility("hidden")));
__attribute__((visibility("hidden"))) void __tprt_slow_hit();
__attribute__((visibility("hidden"))) void __tprt_slow_count();
__attribute__((visibility("hidden"))) void __tprt_slow_below();
__attribute__((visibility("hidden"))) void __tprt_wide_hit();
// Read by slow.S: the offset of errno from a thread's thread pointer.
__attribute__((visibility("hidden"))) int64_t __tprt_errno_at = 0;
}

namespace tprt {

template <class To> static To follow(const int32_t &field) {
  return reinterpret_cast<To>(reinterpret_cast<uint64_t>(&field) +
                              static_cast<uint64_t>(int64_t{field}));
}

static const Trampolines *const copies[] = {&__tprt_own, &__tprt_near};

// An executable's copy finds a thread's block by an offset from the thread
// pointer. With dynamic TLS there is no such offset.
static bool isUsable(const Trampolines &copy) {
#ifdef TPRT_DYNAMIC_TLS
  return &copy == &__tprt_own;
#else
  return copy.version == TRAMPOLINES_VERSION;
#endif
}

uint64_t ownTrampoline(Trampoline which) {
  return follow<uint64_t>(__tprt_own.code[which]);
}

uint64_t nearTrampoline() {
  return isUsable(__tprt_near) ? follow<uint64_t>(__tprt_near.code[0])
                               : ownTrampoline(kEntryOne);
}

Trampoline trampolineAt(uint64_t address) {
  for (const Trampolines *copy : copies)
    if (isUsable(*copy) && address < follow<uint64_t>(copy->end))
      for (unsigned i = kTrampolines; i-- > 0;)
        if (address >= follow<uint64_t>(copy->code[i]))
          return static_cast<Trampoline>(i);
  return kTrampolines;
}

bool isTrampolineCode(uint64_t address) {
  return trampolineAt(address) != kTrampolines;
}

uint64_t trampolineWithin(Trampoline which, uint64_t from) {
  for (const Trampolines *copy : copies) {
    if (!isUsable(*copy))
      continue;
    auto code = follow<uint64_t>(copy->code[which]);
    if (fits(static_cast<int64_t>(code - from), 32))
      return code;
  }
  return 0;
}

// The offset is the same in every thread (initial-exec model; Drepper, "ELF
// Handling For Thread-Local Storage", 4.4.6). The offset is read by assembly,
// because compilers subtract it from the GOT, and GNU ld cannot relax that in a
// static program.
static int64_t selfTlsOffset() {
  int64_t offset = 0; // not used in a library of dynamic TLS
#ifndef TPRT_DYNAMIC_TLS
  __asm__("movq __tprt_self@gottpoff(%%rip), %0" : "=r"(offset));
#endif
  return offset;
}

// The offset is the same in every thread, because the C library is loaded with
// the program.
static int64_t errnoTlsOffset() {
  int64_t threadPointer;
  // The thread pointer points to itself (psABI, 3.4.2).
  __asm__("movq %%fs:0, %0" : "=r"(threadPointer));
  return reinterpret_cast<int64_t>(programErrno()) - threadPointer;
}

// Plain stores are enough: no thread executes a copy before a sled leads to it,
// and the barriers of that flip (patch/batch.h) are executed first.
void initialiseTrampolines() {
  initialiseVectors();
  __tprt_errno_at = errnoTlsOffset();
  for (const Trampolines *copy : copies)
    if (isUsable(*copy))
      *follow<TrampolineContext *>(copy->context) = {
          selfTlsOffset(),
          __tprt_slow_hit,
          endSection,
          errnoTlsOffset(),
          __tprt_slow_count,
          __tprt_slow_below,
          canMoveVectors() ? __tprt_wide_hit : nullptr};
}

} // namespace tprt
