// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The port to the processor: all that the core asks of an architecture, and the
// functions of the runtime that the architecture's trampolines call.
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

#include "base/extent.h"
#include "base/small_alloc.h" // for traps: allocateSmall()
#include "sites/hit_layout.h"
#include "sites/site.h"

// Marks a function that reads or writes the program's code. Other threads run
// that code meanwhile, on purpose, and ThreadSanitizer keeps no state for it.
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

// --- sleds -----------------------------------------------------------------
// Callers: the flip engine; also patchable_entries.cpp, sled_table.cpp and
// loader_walk.cpp, which read modules and their records.

// What the bytes at a sled are now. The form is read from these bytes, not from
// what libtprt wrote last: a removed uprobe, MADV_DONTNEED or another patcher
// may have changed them.
enum class SledForm : uint8_t {
  Off, // One of the forms without effect that this sled can have.
  // A call of a profiler is in the other off form than wanted: the call where
  // it is to be skipped, or the reverse.
  OffElse,
  On, // Our jump to a stub of this site.
  // Our jump, but the jump in its slot was given back. Only flipping the sled
  // off is possible.
  Stale,
  Other, // Other bytes: a breakpoint, or those of another patcher.
};

// Which way a batch turns its sleds.
enum class Direction : uint8_t { On, Off };

// Where a sled is to lead, through its slot if it has one: the address of the
// site's stub, or of the island (jump_islands.h) that leads to the stub.
struct Ways {
  uint64_t wanted;
  // The same for the site's other stubs, to which the sled may lead now; 0
  // where there is no such stub.
  uint64_t others[2] = {};
  // If the sled leads to a veneer (below), the stub to which the veneer leads;
  // 0 if there is no veneer on the way.
  uint64_t afterVeneer = 0;
};

// The store that flips a sled, and what is there now. The store is of 1, 2, 4
// or 8 bytes (`bytes`), naturally aligned at `address`; they are `off` when the
// sled is off and `on` when it is on.
struct Toggle {
  uint64_t address;
  uint64_t off, on;
  uint8_t bytes;
  SledForm now;
};

// Fills *toggle from the bytes that are in memory now. `origin` is that of the
// site's module. Returns TPRT_REFUSAL_NONE. If the sled can never be made to
// lead there, whatever its bytes are, returns the reason.
inline tprt_refusal planToggle(const tprt_site &site, uint64_t origin,
                               const Ways &ways, Toggle *toggle);

// The memory that planning a site reads and that flipping it writes: the sled,
// the slot, and the rest of the aligned words that these lie in. It begins at
// most kReachedBefore bytes before the sled's start. If planToggle() finds no
// refusal, this memory ends at most kReachedAfter bytes after the sled's
// start.
constexpr uint64_t kReachedBefore = 136, kReachedAfter = 16;
inline Extent extentOf(const tprt_site &site, uint64_t origin);

// The stores of a flip for a writer that promises no store of more than one
// byte (storesWords() in text_writer.h). They are made one after the other.
// After any number of these stores, the sled is one instruction of the sled's
// length, and the instruction has no effect. Returns the number of steps, or 0
// where there is no such sequence.
struct Step {
  uint64_t address, value;
  uint8_t bytes;
};
constexpr size_t kMaxSteps = 6;
size_t planSteps(const tprt_site &site, Direction direction,
                 const Toggle &toggle, Step *steps);

// If a sled is too short to reach its stub, a slot holds the jump to the stub.
// The slot lies before the function, or after a `ret`. SlotState says what is
// there now.
enum class SlotState : uint8_t {
  // The jump to the stub, or the shape has no slot.
  Written,
  // Bytes that no thread can reach before the sled is flipped. The jump can be
  // written in any order.
  Unused,
  // The jump to another stub of the site. A thread may have been about to
  // execute it for a long time, so one store exchanges the whole aligned word.
  InUse,
  // Like InUse, but the jump lies across two words, so no single store can
  // change it. The jump stays as it is.
  Final,
  // The words of a veneer that no thread can reach before the sled is flipped.
  // They can be written in any order.
  UnusedVeneer,
};
// The store that a slot needs; `bytes` is 0 if the state is Written or Final.
struct Slot {
  uint64_t address;
  // Little-endian. For a veneer: the stub to which it is to lead.
  uint64_t code;
  uint64_t was; // Where the state is InUse: the whole word as it is now.
  uint8_t bytes;
  SlotState state;
};
// Plans the store that makes the slot jump to the wanted one of these stubs.
tprt_refusal planSlot(const tprt_site &site, uint64_t origin, const Ways &ways,
                      Slot *slot);
// The same for a slot whose bytes are still the compiler's. Returns false if
// they are not, or if the site has no slot.
inline bool planFirstSlot(const tprt_site &site, uint64_t origin, uint64_t stub,
                          Slot *slot);
// Whether the slot already jumps to `stub`, or the site has no slot.
inline bool isSlotWritten(const tprt_site &site, uint64_t origin,
                          uint64_t stub);

// A veneer is the slot on a processor whose jumps do not reach the whole
// address space. The veneer lies before the function, and leads to a stub at
// any address. A hit also returns through the veneer, because the way back is
// equally far. Only where kHasVeneers (plan.h). hasVeneer() says whether the
// site has room for one, and veneerOf() where. wordsOfVeneer() fills in the
// kVeneerWords words that are stored there; `stub` is where the veneer leads.
// isVeneerWritten() compares them with what is in memory. If these words are a
// veneer, stubOfVeneer() returns its stub, otherwise 0.
inline bool hasVeneer(const tprt_site &site);
inline uint64_t veneerOf(const tprt_site &site, uint64_t origin);
inline void wordsOfVeneer(const tprt_site &site, uint64_t origin, uint64_t stub,
                          uint32_t *words);
inline bool isVeneerWritten(const tprt_site &site, uint64_t origin,
                            uint64_t stub);
inline uint64_t stubOfVeneer(const uint32_t *words);
// Writes the way back of a far stub: kWayBackBytes of code that will run at
// `address` and lead back through the site's veneer.
void writeWayBack(uint8_t *out, uint64_t address, const tprt_site &site);

// Whether a breakpoint instruction may be used after planToggle() gave this
// refusal. The handler of the breakpoint's signal lets the thread continue at
// the stub.
inline bool mayNeedTrap(tprt_refusal reason) {
  return reason == TPRT_REFUSAL_SHAPE || reason == TPRT_REFUSAL_ALIGNMENT ||
         reason == TPRT_REFUSAL_ROOM;
}
// The form of a sled by its bytes and the table of traps.
SledForm formByTrap(const tprt_site &site);
// These fill *toggle, and are called only where kHasTraps (plan.h). startTrap()
// is for a site that is Off and will be flipped on. planTrap() is for a site
// that a batch turns off, whether the site is On or Off.
tprt_refusal startTrap(const tprt_site &site, uint64_t stub, Toggle *toggle);
void planTrap(const tprt_site &site, Toggle *toggle);
// Called after the stores of each batch.
void finishTraps();
// Whether the table of traps says that this site is on by a trap.
// Async-signal-safe.
bool isTrapped(const tprt_site &site);
// The functions that the signal's handler calls (TrapResponses in os_signal.h);
// `context` is a ucontext_t. Called in a signal handler on any thread, without
// the lock: async-signal-safe.
bool resumeTrap(void *context);
void resumeLostTrap(void *context);
bool repeatTrap(void *context);

// When a uprobe or a breakpoint is removed, the file's first byte is written
// back over our jump. The resulting bytes must be a nop as long as the sled. So
// some shapes need certain values in the lowest bits of the jump's
// displacement: `mask` selects the bits, and `value` is their value. With mask
// 0, any displacement will do. If bits are fixed, the sled leads to an island
// (jump_islands.h) at a distance with these bits, because a stub cannot be put
// at every such distance.
struct FixedBits {
  uint32_t value, mask;
  bool operator==(const FixedBits &) const = default;
};
inline FixedBits fixedBitsOf(const tprt_site &site);
// The jump of a pun (text/pun_islands.h): where it begins, which bits of its
// distance belong to the next instructions, at which bytes of the distance
// these instructions begin (CodeSite::starts), and whether the jump goes
// through a word.
struct PunJump {
  uint64_t at;
  FixedBits bits;
  uint8_t starts;
  bool isByWord;
};
// Where such a jump leads with this distance, or where its word lies.
inline uint64_t punAt(const PunJump &jump, uint32_t distance);
// Whether fixedBitsOf() fixes any bits; cheaper, for loops.
inline bool needsIsland(const tprt_site &site);
// Where the jump of a sled at `sled` leads with this displacement.
inline uint64_t islandAt(uint64_t sled, uint32_t displacement);
// Writes an island to `out`: a jump of kIslandBytes (plan.h) that runs at
// `address` and leads to `stub`.
inline void writeIsland(uint8_t *out, uint64_t address, uint64_t stub);

// Where an island or a slot with these bytes at `address` leads; 0 if the bytes
// are no such jump.
inline uint64_t targetOfIsland(const uint8_t *code, uint64_t address);

// Returns nullptr, or the fault of a record of this kind. The caller has
// checked that the resolved addresses lie in the module's code.
const char *recordFault(const tprt_record &record, uint64_t sled,
                        uint64_t function);

// The shape of another compiler's nop. No table contains it. The nop is `size`
// bytes long, at least 5, and its first five bytes become the jump. nopOf() has
// these bytes.
constexpr unsigned TPRT_SHAPE_PATCHABLE = 7;
// The shape of a site in code without sleds (sites/code_site.h). No table
// contains it. codeOf() describes it.
constexpr unsigned TPRT_SHAPE_CODE = 6;
// Writes a copy of the instruction at such a site to `out`, followed by a jump
// to the next instruction. The copy will run at `address`, and has at most
// kDisplacedBytes. With `runsOn`, the copy also contains the instructions after
// it (CodeSite::runBytes). If there is no room for that, or if an operand is
// out of reach from there, returns false and writes nothing.
constexpr size_t kDisplacedBytes = 32;
inline bool isPun(const tprt_site &site) {
  return site.shape() == TPRT_SHAPE_CODE && codeOf(site).means == Means::Pun;
}
// Whether the copy of its instruction also contains the instructions after it.
inline bool runsOn(const tprt_site &site) {
  return site.shape() == TPRT_SHAPE_CODE && codeOf(site).runsOn;
}
// Where the jump of such a site begins.
inline uint64_t jumpOf(const tprt_site &site) {
  const CodeSite &code = codeOf(site);
  return reinterpret_cast<uint64_t>(site.sled()) + changedFrom(code) - code.at;
}
inline PunJump punOf(const tprt_site &site) {
  const CodeSite &code = codeOf(site);
  return {jumpOf(site), fixedBitsOf(site), code.starts, code.isByWord};
}
// Whether the site is a call of a profiler (elf/mcount_calls.h).
inline bool isProfilerCall(const tprt_site &site) {
  return site.shape() == TPRT_SHAPE_CODE &&
         codeOf(site).profiler != Profiler::None;
}
bool writeDisplaced(uint8_t *out, uint64_t address, const tprt_site &site,
                    bool runsOn);
// For a thread `inside` bytes after the beginning of that copy: how far after
// the beginning of the site's instruction the program itself would be. If the
// site has CodeSite::pushes, the distance counts from the end of the pushes.
// Async-signal-safe.
size_t afterInstruction(const tprt_site &site, size_t inside);
// Whether such a site is an entry after pushes (CodeSite::pushes). The hit
// undoes the pushes before it calls the handler.
inline bool isAfterPushes(const tprt_site &site) {
  return site.shape() == TPRT_SHAPE_CODE && codeOf(site).pushBytes;
}
// Whether the function is left at this site as it was entered: the stack
// pointer and the callee-saved registers have their values at entry again.
inline bool leavesAsEntered(const tprt_site &site) {
  return site.shape() == TPRT_SHAPE_CODE && !codeOf(site).isInside &&
         !codeOf(site).changesStack &&
         (site.event.kind == TPRT_KIND_EXIT ||
          site.event.kind == TPRT_KIND_TAIL_EXIT);
}
// Whether the function may keep data below the stack pointer at this site: at
// single instructions, and if CodeSite::keepsBelow is set.
inline bool keepsBelow(const tprt_site &site) {
  return site.isInstruction() ||
         (site.shape() == TPRT_SHAPE_CODE && codeOf(site).keepsBelow);
}
// The address at which the function of such a site begins.
inline uint64_t beginningOf(const tprt_site &site) {
  const CodeSite &code = codeOf(site);
  return reinterpret_cast<uint64_t>(site.sled()) - code.at + code.function;
}
// Chooses the means for an instruction for which no dead bytes are left. Called
// before the site is on for the first time. `origin` is that of its module.
void chooseOtherMeans(CodeSite &code, uint64_t origin);
// The form of such a site if another program's breakpoint is in place of its
// first byte. Off: the site's other bytes are the instruction's. On: they are
// the jump's, and the other bytes of the store that planToggle() has planned
// restore the instruction under the breakpoint. Other: neither, or there is no
// breakpoint, or this site needs no such store.
SledForm formUnderBreakpoint(const tprt_site &site, uint64_t origin,
                             const Ways &ways);
// Fills *toggle, except `on`, for a call of a profiler that is to be off, in
// the form that isSkipped() says. Other refusals than planToggle()'s: a call
// may be skipped that no jump can replace.
tprt_refusal planCallOff(const tprt_site &site, uint64_t origin,
                         const Ways &ways, Toggle *toggle);

// How many readable bytes of code readPatchable() needs.
extern const unsigned kPatchableBytes;
// Fills in a site's shape and size from the code at its sled.
void readPatchable(tprt_site &site);
// Whether the code is endbr64 or bti c, which may be between a function's label
// and its nops.
bool isLandingPad(const uint8_t *code);

// The rights, in addition to the usual protection, with which a module's code
// is mapped if the module's property notes have this entry (the architecture's
// psABI, "Program Property").
int protectionByProperty(uint32_t type, uint32_t value);

// --- stubs -----------------------------------------------------------------
// Callers: the files of stubs (stubs.cpp, stub_regions.cpp, inline_stubs.cpp)
// and jump_islands.cpp; text_writer.h calls publishCode().

// plan.h also has kPointShape, kPointSledBytes and kCodeAlignment, which
// describe a point's sled and a static branch.
constexpr size_t kStubBytes = 16; // of one stub
// The stub of a single instruction (patch/overlap.h) has kInnerStubBytes
// (plan.h). On x86-64 data may lie below the stack pointer where keepsBelow()
// holds, so the stub moves it first.
enum class InnerStub : uint8_t { General, Counting, Recording };
// For a thread `inside` bytes after the beginning of a stub: by how many bytes
// its stack pointer is lower than at the site. The stub is the general stub of
// any site, or another stub of an instruction. In uninstrumented code, the copy
// of the instruction follows the general stub. Async-signal-safe.
int64_t stackBelow(InnerStub stub, size_t inside, const tprt_site &site);
// How far after the beginning of its general stub a hit of the site begins.
inline size_t startInStub(const tprt_site &site); // plan.h
// For a thread in a general stub: whether unwinding should start at the
// function's first instruction instead of the site's own. There are two
// reasons. The stub may have overwritten words below the stack pointer that the
// function has popped, and to which its unwind table may refer; then
// leavesAsEntered() is true. Or the stub has undone pushes. Async-signal-safe.
bool isAtBeginning(size_t inside, const tprt_site &site);
// The greatest distance from a sled or slot to its stub.
extern const int64_t kStubReach;

// struct StubData {actionList, ...} is what a stub and its trampoline read at
// each hit. Attach and detach write it with single stores. It is never
// unmapped.
//   const ActionList *actionList;  what the trampoline calls; never null
// siteOf(data) is the site that the data belongs to. initialiseData(data, site)
// fills in everything except the action list. leadTo(data, site, mode) is
// called after an action list that is not empty was stored, with that action
// list's mode. It updates whatever else the stub reads to find its trampoline.

// Writes a region's header of kStubHeaderBytes, which will run at `address`.
// The data of the region's stubs begins at `data`, one StubData after the
// other. `isCode`: the region's sites are in code without sleds, so each stub
// is followed by the copy of an instruction.
void writeStubHeader(uint8_t *out, uint64_t address, uint64_t data,
                     bool isCode);
// Writes the stub of `site`, which will run at `address`. The stub's data is at
// `data`, and its region's header at `header`. `wayBack` is the way back of a
// far stub. If it is 0, the stub itself leads past the sled.
void writeStub(uint8_t *out, uint64_t address, uint64_t header, uint64_t data,
               uint64_t wayBack, const tprt_site &site);
// Whether a site can have a second stub that counts in place, without a call.
// If its word (text/inline_stubs.h) or the thread's state does not let that
// stub count, it continues at the general stub, which is at `general`.
bool canCountInStub(const tprt_site &site);
constexpr size_t kCountStubBytes = 32;
void writeCountStub(uint8_t *out, uint64_t address, uint64_t word,
                    uint64_t general, const tprt_site &site);
// The same for a site in code without sleds, where every register and the flags
// are kept. Its word is wordOfFullCountStub(), and the site's counter is given
// as countWord() of counters.h.
bool canCountInFullStub(const tprt_site &site);
constexpr size_t kFullCountStubBytes = 64;
void writeFullCountStub(uint8_t *out, uint64_t address, uint64_t word,
                        uint64_t general, int32_t counter,
                        const tprt_site &site);
// The word of such a stub, for a stub that may count and for one that may not.
int32_t wordOfFullCountStub(bool may);
// The same for a stub that records its hit (actions/record_hook.h).
bool canRecordInStub(const tprt_site &site);
constexpr size_t kRecordStubBytes = 192;
void writeRecordStub(uint8_t *out, uint64_t address, uint64_t word,
                     uint64_t general, const tprt_site &site);

// Writes code that acts as the function does without its sled. The code will
// run at `address` and has at most kOriginalBytes (plan.h). `wayBack`: as in
// writeStub(). In code without sleds, a copy of the site's instruction alone
// lies kOriginalCopy bytes after the beginning. If kOriginalCopy is 0, the code
// jumps to the copy after the general stub.
void writeOriginal(uint8_t *out, uint64_t address, uint64_t wayBack,
                   const tprt_site &site);

// publishCode(address, bytes) is called after every store to code. Once the
// cores have then synchronised (synchroniseCores() in os_text.h), all of them
// fetch what was stored.

// --- frames ----------------------------------------------------------------
// Callers: quiesce.cpp; module_list.cpp calls initialiseTrampolines().

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
// nullptr. The caller keeps all of the program's registers, and restores those
// in *regs from there.
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
