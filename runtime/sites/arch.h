// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The port to the processor: all that the core asks of an architecture, and the
// functions of the runtime that the architecture's trampolines call. It has
// four parts: arch_sled.h, arch_code.h, arch_stub.h and arch_frame.h. Others
// include this header, because plan.h defines inline functions of all parts.
// arch/<processor>/ implements it, in files of the same names for every
// processor:
//   page.h       the size of pages
//   plan.h       which store flips a sled, inline, and whether a system call
//                keeps wide vector registers; included at the end here
//   systemcall.h a system call by one instruction; included at the end here
//   sled.cpp     the rest of planning, and what records may say
//   nops.cpp         nops of other compilers
//   code_patch.*     sites in code without sleds
//   stub.cpp         stubs that lead to a trampoline
//   atomics.cpp      single instructions that C++ cannot express
//   fault_pc.cpp   where a fault in a stub is shown
//   frame.h, trampoline.S, vectors.cpp, stub_frames.cpp   what a hit runs
//   vfork.S          vfork(), which notes that a thread runs its child
// AArch64 has more:
//   veneer.h         the way from a sled to a stub that is out of reach
// x86-64 has more:
//   trap.*           breakpoints, for sleds that no store can turn into a jump
//                    (kHasTraps)
//   trampolines.*    an executable may have a copy of the trampolines, which
//                    its stubs reach by a shorter way than the library's
//   stub.h           what the files of stubs share
//   countstub.cpp, recordstub.cpp   stubs that count or record in place
//   displaced.cpp    copies of displaced instructions
//   save.inc         the part of trampoline.S that keeps registers
//   points.inc       the part of trampoline.S for points and static branches
//   red_zone.inc     the same for sites where data may lie below the stack
//                    pointer
//   callers.*        the functions that call a hit's function
//   mcount_call.cpp  calls of profilers while they are off
//   slow.S           what the executable's copy can do without
//   notes.inc        the end of the .S files
//
// Unless a comment says otherwise, functions are called on any thread, under
// the runtime's lock. None of them takes a lock or makes a system call.
#ifndef TPRT_SITES_ARCH_H
#define TPRT_SITES_ARCH_H

#include "base/small_alloc.h" // for traps: allocateSmall()
#include "sites/arch_code.h"
#include "sites/arch_frame.h"
#include "sites/arch_sled.h"
#include "sites/arch_stub.h"

// Marks a function that reads or writes the program's code. Other threads may
// run that code at the same time. This race is intended, and ThreadSanitizer
// keeps no state for code.
#ifdef TPRT_THREAD_SANITIZER
#define TPRT_CODE_ACCESS __attribute__((disable_sanitizer_instrumentation))
#else
#define TPRT_CODE_ACCESS
#endif

namespace tprt {

// Also declared in base/os_process.h and base/os_signal.h.
int *programErrno();
uint64_t addressInCLibrary();

// --- single instructions ---------------------------------------------------
// Called in hits, on any thread, without the lock: async-signal-safe. Callers:
// hit.cpp, counters.cpp and clock.cpp.

// Adds 1 to *counter in one instruction, so that a signal on this thread comes
// before or after the whole addition. Returns the new value, or a later one.
uint64_t addOne(uint64_t *counter);

// Stores `wanted` in *word if *word is `expected`, in one step as far as
// signals on this thread matter. False: *word has another value.
bool exchangeOn(uint64_t *word, uint64_t expected, uint64_t wanted);

// Stores zero into `count` words, by general registers alone.
void clearWords(uint64_t *words, size_t count);

// Reads the processor's constant-rate counter. Inline in plan.h, because a
// handler that times calls does little else.
uint64_t readTicks();

// Calls work(), which may make system calls, and preserves all vector
// registers: for a hit that has not saved them. Inline in plan.h, like
// systemCallsKeepVectors(), which says whether system calls preserve them
// anyway.
template <class Work> void keepVectorsIn(Work work);

// Stores the lowest 64 bits of the first `count` vector registers, at most 8.
// Inline in plan.h, like the number of registers that a result may be in
// (kResultIntegers, kResultVectors), and the number of words from the stack
// pointer at an entry to the arguments in memory (kWordsBeforeArguments).
void readVectors(uint64_t *to, unsigned count);
// The second integer register of a result, which a function's record may
// exclude (TPRT_LIVE_ONE).
uint64_t secondResultIn(const tprt_regs &regs);
// Also in plan.h: what runtime/stacks/ needs to know of unwind tables and of
// the frames of signals (kStackColumn to kSignalExpression); framePointerIn(),
// the frame pointer that a hit has saved, if kHitsHaveFramePointer; and
// withoutSignature(), a return address as the function returns to it.
// The argument registers at a point, and the register after them. Inline in
// plan.h.
const uint64_t *wordsInRegisters(const tprt_regs *regs);
// A general register at a single instruction, as tprt_regs_expand() tells it,
// by the number that DWARF gives it: below kGeneralRegisters. Inline in plan.h.
uint64_t registerAtInstruction(const tprt_regs &regs, unsigned number);
// Calls work(), which only loads and stores, so that a load that faults raises
// no signal: it undoes all that work() has done. Returns false if work() was
// undone, which may also have other reasons. Inline in plan.h. Called only if
// haveTransactions() is true.
template <class Work> bool inTransaction(Work work);
bool haveTransactions();

// --- what the architecture calls ---------------------------------------------

// Makes libtprt the handler of the breakpoint instruction's signal. Returns
// TPRT_REFUSAL_NONE, or the reason why that is impossible. Called by trap.cpp,
// under the lock; defined in patch/traps.cpp.
tprt_refusal takeTraps();

// The functions that a hit calls if the trampoline's short way is not enough.
// Defined in hits/hit.cpp. Called inside hits, on any thread:
// async-signal-safe.
//
// Delivers a hit. The address of its registers is the hit's position on the
// stack. Returns the function to run in place of the site's function, or
// nullptr. The caller preserves all of the program's registers. It loads the
// registers that *regs contains from *regs.
const void *deliver(const StubData *data, tprt_regs *regs);
// Ends the critical section at `position`, whose handler has returned,
// whichever thread's block shows the critical section. If the calling thread's
// guard is still that of this critical section, trampolines end the critical
// section themselves and do not call this function.
void endSection(uint64_t position);
// Counts a hit whose only action is to count.
void countOnly(const StubData *data);

} // namespace tprt

#include "plan.h"       // the architecture's
#include "systemcall.h" // the same

#endif
