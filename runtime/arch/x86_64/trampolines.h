// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code that a hit's stub leads to, of which a process may have two copies:
// libtprt.so's own, and the executable's. The loader puts the library further
// from a position-independent executable than a direct jump reaches; so what
// links one (tp-clang, the CMake package) adds tprt_near.o, which is
// trampoline.S once more. Stubs lead to the copy that they reach, indirectly to
// our own where they reach none. Under the lock.
#ifndef TPRT_ARCH_TRAMPOLINES_H
#define TPRT_ARCH_TRAMPOLINES_H

#include <stdint.h>

namespace tprt {

// By what is live at the site, in the order of trampoline.S.
enum Trampoline {
  kEntryOne,
  kEntryThree,
  kEntryArguments,
  kEntryThreeVectors,
  kEntry,
  kExitOne,
  kExit,
  kFull,
  kTrampolines
};

// What a copy's code reads.
struct TrampolineContext {
  int64_t self; // offset of __tprt_self from a thread's thread pointer
  void (*slowHit)();
  void (*endStay)(uint64_t position); // core/hit.h
  int64_t errnoAt; // offset of errno from a thread's thread pointer
};

// A copy. Read-only; distances are from their own field.
struct Trampolines {
  uint32_t version; // TRAMPOLINES_VERSION, else the rest is not to be read
  int32_t context;
  int32_t code[kTrampolines]; // one after the other, ascending
  int32_t end;                // of the last one
};

uint64_t ownTrampoline(Trampoline which);
// Whether this is in a copy's code. A call's return address is.
bool isTrampolineCode(uint64_t address);
// That of a copy which a direct jump or call ending at `from` reaches; 0: none.
uint64_t trampolineWithin(Trampoline which, uint64_t from);

// What "all vector state" is (vectors.cpp).
void initialiseVectors();

} // namespace tprt

#endif
