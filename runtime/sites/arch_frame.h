// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the core asks of an architecture about the frames of hits; a part of the
// port (arch.h), and included there alone. Callers: quiesce.cpp, pc_map.cpp and
// stack_overflow.cpp; module_list.cpp calls initialiseTrampolines().
#ifndef TPRT_SITES_ARCH_FRAME_H
#define TPRT_SITES_ARCH_FRAME_H

#include "sites/arch_stub.h"
#include "sites/hit_layout.h"
#include "sites/site.h"

namespace tprt {

// What a trampoline's frame tells. The frame is at the position in a guard
// (hits/quiesce.h). Other threads read this memory at any time, from
// kFrameBelow bytes below the position upwards. The kFrameAbove bytes from the
// position upwards belong to the frame as long as the critical section lasts.
struct FrameTraces {
  uint64_t data[3]; // May be the address of the StubData; 0: is not.
  bool returns;     // There is a return address that leads into a trampoline.
};
// While the critical section lasts, one of these holds: the first item of
// `data` that is the address of any stub's StubData belongs to the critical
// section, or `returns` is set. `peek` is the function in os_memory.h, because
// the words may lead anywhere.
using Peek = bool (*)(uint64_t address, void *to, size_t bytes);
FrameTraces tracesIn(const uint64_t *words, Peek peek);

// Whether the address is in a trampoline: one that an executable contains, or,
// if executables may contain some, one of the library. This is also true of the
// return address of a call in a trampoline.
bool isTrampolineCode(uint64_t address);

// The address at which a thread continues after a signal handler with this
// ucontext_t. Async-signal-safe. Caller: pc_map.cpp.
uint64_t programCounterIn(const void *context);
void setProgramCounter(void *context, uint64_t address);
// The thread of the context is in a stub, and `below` is the result of
// stackBelow() there. Gives the context the registers from which an unwinder
// can start at the site: the stack pointer, and the registers that the stub has
// changed. `was` keeps the latter's values. leaveSite() undoes the change.
void showSite(void *context, int64_t below, uint64_t (&was)[2]);
void leaveSite(void *context, int64_t below, const uint64_t (&was)[2]);
// For a thread in a region's header: the end of the stub's call from which it
// has come. 0 if headers have no code, or if the call is not known.
uint64_t calledFrom(const void *context);

// --- hits for which the stack is too small -----------------------------------
// Caller: stack_overflow.cpp, in handlers of signals. On AArch64 nothing is
// known of such hits; on x86-64 callers.* read the tables.

// The unwind tables of the modules whose code a hit runs: this library, the
// program if it has trampolines, the C library, and the vdso.
struct UnwindTable {
  uint64_t start, end; // the module's
  uint64_t header;     // The address of its .eh_frame_hdr.
};
struct UnwindTables {
  UnwindTable all[4];
};
// An address in each of the first three.
void addressesToUnwind(uint64_t (&addresses)[3]);

// A hit that was left.
struct LeftHit {
  const StubData *data;
  // The hit's position on the stack, in the form of a guard. 0: the hit had not
  // raised the guard yet.
  uint64_t position;
};
// If the thread of this ucontext_t is in a trampoline or in a function called
// by one, and if its stack could not be used at the address `fault`: gives the
// context the registers that the thread has after the hit. Returns false if the
// thread is not in a hit, or if not enough is known about it.
bool leaveHit(void *context, uint64_t fault, const UnwindTables &tables,
              Peek peek, LeftHit &left);
// The same for a thread in a stub of the site, `inside` bytes after the stub's
// beginning. For a general stub, `data` is its StubData, otherwise nullptr.
bool leaveStub(void *context, uint64_t fault, InnerStub stub, size_t inside,
               const tprt_site &site, Peek peek, const StubData *&data);

// Called once, before the first stub is made. Finds out from the CPU what "all
// vector state" is, and fills in what trampolines read.
void initialiseTrampolines();

} // namespace tprt

#endif
