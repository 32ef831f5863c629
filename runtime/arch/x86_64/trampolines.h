// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The trampolines: the code that the stub of a hit jumps to or calls. A process
// may have two copies of this code: libtprt.so's own and the executable's. The
// reason: the loader places the library too far from a position-independent
// executable for a direct jump. So tp-clang and the CMake package add
// tprt_near.o, a second copy of trampoline.S, to each executable that they
// link. A stub uses a copy within its reach. If no copy is within reach, the
// stub uses an indirect jump or call to the library's own copy. Called under
// the lock.
#ifndef TPRT_ARCH_TRAMPOLINES_H
#define TPRT_ARCH_TRAMPOLINES_H

#include <stdint.h>

namespace tprt {

// Which registers are live at the site. The order is the same as in
// trampoline.S.
enum Trampoline {
  kEntryOne,
  kEntryThree,
  kEntryArguments,
  kEntryThreeVectors,
  kEntry,
  kExitOne,
  kExit,
  kFull,
  kInner,
  kBelow,
  kPoint,
  kBranchCount,
  kTrampolines
};

// The data that the code of a copy reads. The offset of __tprt_self from a
// thread's thread pointer.
struct TrampolineContext {
  int64_t self; // offset of __tprt_self from a thread's thread pointer
  void (*slowHit)();
  void (*endSection)(uint64_t position); // sites/arch.h
  int64_t errnoAt; // The offset of errno from a thread's thread pointer.
  void (*slowCount)();
  void (*slowBelow)(); // for kBelow, whose frame is at higher addresses
  void (*wideHit)();   // nullptr means that slowHit keeps all state by itself
};

// The description of a copy. Read-only. Each distance is relative to its own
// field. If it is not TRAMPOLINES_VERSION, the other fields must not be read.
struct Trampolines {
  uint32_t version; // TRAMPOLINES_VERSION; with another version, the other
                    // fields must not be read
  int32_t context;
  int32_t code[kTrampolines]; // The trampolines, in ascending order.
  int32_t end;                // The end of the last trampoline.
};

uint64_t ownTrampoline(Trampoline which);
// An address in the executable's copy, or in this library's own.
uint64_t nearTrampoline();
// The trampoline, in any copy, that contains the address; kTrampolines if there
// is none.
Trampoline trampolineAt(uint64_t address);
// The trampoline of a copy that a direct jump or call, ending at `from`,
// reaches. 0 means that no copy is within reach.
uint64_t trampolineWithin(Trampoline which, uint64_t from);

// Determines what "all vector state" is (vectors.cpp).
void initialiseVectors();
// Whether moves can keep that state (slow.S). Valid after initialiseVectors().
bool canMoveVectors();

} // namespace tprt

#endif
