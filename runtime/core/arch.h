// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The port to the processor: all that the core asks of an architecture, and
// what the architecture's trampolines call in the core. arch/<processor>/
// implements it, in files of the same names on every processor:
//   page.h       the size of pages
//   plan.h       which store flips a sled, inline; included at the end here
//   sled.cpp     the rest of planning, and what records may say
//   foreign.cpp  nops of other compilers
//   stub.cpp     stubs; single instructions that C++ has no word for
//   frame.h, trampoline.S, vectors.cpp, frames.cpp   what a hit runs
// x86-64 has more:
//   trap.*         no store turns some of its sleds into a jump (kHasTraps)
//   trampolines.*  an executable may have a copy of the trampolines, which its
//                  stubs reach by a shorter way than the library's
//   slow.S, notes.inc   what that copy need not have; the end of both .S files
//
// All functions are called under the runtime's lock and on any thread, except
// where something else is said. None of them takes a lock, or calls the system.
#ifndef TPRT_CORE_ARCH_H
#define TPRT_CORE_ARCH_H

#include "core/memory.h" // for traps: allocateSmall()
#include "core/plain/hit.h"
#include "core/plain/segment.h"
#include "core/plain/site.h"

// A function that reads or writes the program's code, which other threads run
// meanwhile on purpose, and for which ThreadSanitizer keeps no state.
#ifdef TPRT_THREAD_SANITIZER
#define TPRT_CODE_ACCESS __attribute__((disable_sanitizer_instrumentation))
#else
#define TPRT_CODE_ACCESS
#endif

namespace tprt {

// --- single instructions ---------------------------------------------------
// In hits, on any thread: async-signal-safe, without the lock. Callers:
// hit.cpp, counters.cpp and clock.cpp.

// *counter += 1 as one instruction: whole with respect to signals on this
// thread. Returns the new value, or a later one.
uint64_t addOne(uint64_t *counter);

// The processor's counter of constant rate.
uint64_t readTicks();

// --- sleds -----------------------------------------------------------------
// Callers: the flip engine; foreign.cpp, table.cpp and walkmodules.cpp for what
// modules and their records say.

// What the bytes at a sled say now. They decide, not what was written last: a
// uprobe that goes, MADV_DONTNEED, or another patcher gives bytes back.
enum class SledForm : uint8_t {
  Off,   // one of the forms without effect that this sled can have
  On,    // a jump of ours to a stub of this site
  Stale, // our jump, to a slot that was given back: it can be taken away
  Other, // somebody else's: a breakpoint, another patcher's
};

// Which way a batch turns its sleds.
enum class Direction : uint8_t { On, Off };

// Where a sled is to lead, by way of its slot where it has one: the address of
// the site's stub, or of the landing (landings.h) in front of that stub.
struct Ways {
  uint64_t wanted;
  uint64_t other; // the same of the site's second stub; 0: it has none
};

// The store that flips a sled: `bytes` (1, 2, 4 or 8, naturally aligned at
// `address`) that hold `off` when disabled and `on` when enabled; and what is
// there now.
struct Toggle {
  uint64_t address;
  uint64_t off, on;
  uint8_t bytes;
  SledForm now;
};

// Fills *toggle from the bytes in memory now; TPRT_REFUSAL_NONE, or why this
// sled can never be flipped to lead there, whatever its bytes are. `origin` is
// its module's.
inline tprt_refusal planToggle(const tprt_site &site, uint64_t origin,
                               const Ways &ways, Toggle *toggle);

// The memory from which a site's plan is read, and to which it is written: its
// sled, its slot, and what of an aligned word is around either. That is never
// more than kReachedBefore bytes in front of the sled, and, where planToggle()
// finds no reason against, kReachedBehind from its start on.
constexpr uint64_t kReachedBefore = 136, kReachedBehind = 16;
inline Extent extentOf(const tprt_site &site, uint64_t origin);

// The same for a writer that promises no store of more than a byte: the stores
// that flip the sled one after the other. Whichever of them were done, there is
// one instruction of the sled's length, without effect where it stands. Returns
// how many; 0 where there is no such way.
struct Step {
  uint64_t address, value;
  uint8_t bytes;
};
constexpr size_t kMaxSteps = 6;
size_t planSteps(const tprt_site &site, Direction direction,
                 const Toggle &toggle, Step *steps);

// A slot is what jumps to the stub in the place of a short sled: the bytes in
// front of the function, or what stands behind a ret. This says what is there.
enum class SlotState : uint8_t {
  // The jump to the stub, or the shape has no slot.
  Written,
  // Nothing that a thread can reach before the sled is flipped. The jump is
  // written in any order.
  Unused,
  // The jump to the site's other stub. A thread may have been on its way there
  // for long, so the whole aligned word is exchanged by one store.
  InUse,
  // The same across two words, which no single store changes. It stays.
  Final,
};
// The store that a slot needs; `bytes` is 0 where it is Written or Final.
struct Slot {
  uint64_t address;
  uint64_t code; // little-endian
  uint64_t was;  // InUse: the whole word as it is now
  uint8_t bytes;
  SlotState state;
};
// `other`: the address of the site's other stub, or 0.
tprt_refusal planSlot(const tprt_site &site, uint64_t origin, uint64_t stub,
                      uint64_t other, Slot *slot);
// The same for a slot that is as the compiler left it. False: it is not, or
// there is none.
inline bool planFirstSlot(const tprt_site &site, uint64_t origin, uint64_t stub,
                          Slot *slot);
// Whether it has none, or that jump is there already.
inline bool isSlotWritten(const tprt_site &site, uint64_t origin,
                          uint64_t stub);

// The same where planToggle() gave one of these reasons: a breakpoint
// instruction, whose signal's handler lets the thread go on at the stub.
inline bool mayNeedTrap(tprt_refusal reason) {
  return reason == TPRT_REFUSAL_SHAPE || reason == TPRT_REFUSAL_ALIGNMENT;
}
// What the sled's bytes, and the table of traps, say now.
SledForm formByTrap(const tprt_site &site);
// Fills *toggle. startTrap() is for a site that is Off and will be flipped on;
// planTrap() for one that a batch takes off, whether it is On or Off.
// settleTraps() comes after the stores of each batch. All where kHasTraps
// (plan.h).
tprt_refusal startTrap(const tprt_site &site, uint64_t stub, Toggle *toggle);
void planTrap(const tprt_site &site, Toggle *toggle);
void settleTraps();
// Whether the table of traps says that a site is on by one. Async-signal-safe.
bool isTrapped(const tprt_site &site);
// What the signal's handler asks (TrapResponses in os.h), with a ucontext_t. In
// a signal handler on any thread, without the lock: async-signal-safe.
bool resumeTrap(void *context);
void resumeLostTrap(void *context);
bool repeatTrap(void *context);

// A uprobe or a breakpoint that goes writes the file's first byte back over our
// jump. What is left must be a nop as long as the sled. Where that asks for
// certain bytes in the jump's displacement, this says for which bits (`mask`,
// the lowest ones) and their value; mask 0: any displacement will do. The sled
// then leads to a landing (landings.h) at a distance with these bits, as no
// stub can be put at any distance one likes.
struct FixedBits {
  uint32_t value, mask;
  bool operator==(const FixedBits &) const = default;
};
inline FixedBits fixedBitsOf(const tprt_site &site);
// Whether fixedBitsOf() has any: a single look, for a loop.
inline bool needsLanding(const tprt_site &site);
// Where a sled's jump of that displacement leads.
inline uint64_t landingAt(uint64_t sled, uint32_t displacement);
// kLandingBytes (plan.h): a jump from `address` to `stub`.
inline void writeLanding(uint8_t *out, uint64_t address, uint64_t stub);

// nullptr, or what is wrong with a record of this kind. The resolved addresses
// have been checked to lie in the module's code.
const char *recordFault(const tprt_record &record, uint64_t sled,
                        uint64_t function);

// A nop of another compiler's, `size` bytes long, 5 or more, whose first five
// become the jump; nopOf() has them. In no table.
constexpr unsigned TPRT_SHAPE_FOREIGN = 7;
extern const unsigned kForeignBytes; // readable code that readForeign() needs
// Fills shape and size of a site from the code at its sled.
void readForeign(tprt_site &site);
// endbr64, bti c: what may stand between a function's label and its nops.
bool isLandingPad(const uint8_t *code);

// What the code of a module is mapped with beside the usual protection, if its
// property notes have this entry (psABI of the architecture, "Program
// Property").
int protectionByProperty(uint32_t type, uint32_t value);

// --- stubs -----------------------------------------------------------------
// Callers: stubs.cpp and landings.cpp; textwriter.h of publishCode().

constexpr size_t kStubBytes = 16; // of one stub
extern const int64_t kStubReach;  // greatest distance from sled or slot to stub

// struct StubData {chain, ...}: what a stub and its trampoline read at each
// hit. Written by attach and detach with single stores; never unmapped.
//   const Chain *chain;  what the trampoline calls; never null
// siteOf(data) is its site, initialiseData(data, site) fills it but for the
// chain. leadTo(data, site, mode) comes after the store of a chain that is not
// empty, and gets its mode: for what else a stub reads to find its way.

// Writes a region's header of kStubHeaderBytes, to run at `address`; its stubs'
// data words start at `data`, one after the other.
void writeStubHeader(uint8_t *out, uint64_t address, uint64_t data);
// Writes the stub of `site` with its data at `data`, to run at `address`, in
// the region whose header is at `header`.
void writeStub(uint8_t *out, uint64_t address, uint64_t header, uint64_t data,
               const tprt_site &site);
// Whether a site can have a second stub that counts in place, without a call,
// and goes on to the usual one, at `usual`, where its word (stubs.h) or
// the thread does not let it.
bool canCountInStub(const tprt_site &site);
constexpr size_t kCountStubBytes = 32;
void writeCountStub(uint8_t *out, uint64_t address, uint64_t word,
                    uint64_t usual, const tprt_site &site);

// Writes code that does what the function did without its sled, to run at
// `address`; at most kStubBytes.
void writeOriginal(uint8_t *out, uint64_t address, const tprt_site &site);

// publishCode(address, bytes) makes code that was stored there what all cores
// fetch once they have synchronised (synchroniseCores() in os.h). Called after
// every store.

// --- frames ----------------------------------------------------------------
// Callers: stays.cpp; modules.cpp of initialiseTrampolines().

// A trampoline's frame at the position that a guard tells (core/stays.h), as
// memory read at any time: from kFrameBelow bytes below it up. From the
// position up, kFrameAbove bytes are the frame's as long as the stay lasts.
struct FrameTraces {
  uint64_t data[3]; // what may be the address of the StubData; 0: nothing
  bool returns;     // something may return to a trampoline
};
// While the stay lasts its StubData is the first one that is any stub's at all,
// or `returns` is set. `peek` is that of os.h: the words may lead anywhere.
using Peek = bool (*)(uint64_t address, void *to, size_t bytes);
FrameTraces tracesIn(const uint64_t *words, Peek peek);

// Once, before the first stub: looks at the CPU (what "all vector state" is),
// and fills in what trampolines read.
void initialiseTrampolines();

// --- what the architecture calls ---------------------------------------------

// Makes the breakpoint instruction's signal ours: NONE, or why it can't be.
// trap.cpp, under the lock. core/traps.cpp has it.
tprt_refusal takeTraps();

// When a hit needs more than the trampolines' short way; core/hit.cpp has both.
// Inside hits, on any thread: async-signal-safe.
//
// Delivers a hit, whose position on the stack is where its registers are.
// Returns the function to run in place of the site's, or nullptr. The caller
// keeps all of the program's registers, and restores those in *regs from there.
const void *deliver(const StubData *data, tprt_regs *regs);
// Ends the stay at `position`, whose handler has returned, whichever thread
// shows it. Trampolines do so themselves where a thread's guard is that of this
// stay.
void endStay(uint64_t position);
// Counts a hit whose only action is to count.
void countOnly(const StubData *data);

} // namespace tprt

#include "plan.h" // the architecture's

#endif
