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

// Is at a function that reads or writes the program's code. Other threads
// run that code meanwhile, on purpose, and ThreadSanitizer keeps no state for
// it.
#ifdef TPRT_THREAD_SANITIZER
#define TPRT_CODE_ACCESS __attribute__((disable_sanitizer_instrumentation))
#else
#define TPRT_CODE_ACCESS
#endif

namespace tprt {

// See base/os_process.h and base/os_signal.h, which have them as well.
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

// Reads the processor's counter that runs at a constant rate. Inline in plan.h,
// because a handler that times calls takes little more than that.
uint64_t readTicks();

// Calls work(), which may make system calls, and keeps all vector registers
// around it: for a hit that has not saved them. Inline in plan.h, like
// systemCallsKeepVectors(), which says whether system calls keep them anyway.
template <class Work> void keepVectorsIn(Work work);

// --- sleds -----------------------------------------------------------------
// Callers: the flip engine; also patchable_entries.cpp, sled_table.cpp and
// loader_walk.cpp, for what modules and their records contain.

// What the bytes at a sled are now. These bytes count, and not what libtprt
// wrote last: a uprobe that is removed, MADV_DONTNEED or another patcher may
// have put other bytes there.
enum class SledForm : uint8_t {
  Off, // One of the forms without effect that this sled can have.
  // A call of a profiler is made although it is to be skipped, or is skipped
  // although it is to be made.
  OffElse,
  On, // Our jump to a stub of this site.
  // Our jump, but the jump in its slot was given back. Only flipping the sled
  // off is possible.
  Stale,
  Other, // Bytes of somebody else: a breakpoint, another patcher.
};

// Which way a batch turns its sleds.
enum class Direction : uint8_t { On, Off };

// Where a sled is to lead, through its slot if it has one: the address of the
// site's stub, or of the island (jump_islands.h) in front of that stub.
struct Ways {
  uint64_t wanted;
  // The same for the site's other stubs, to which the sled may lead now; 0:
  // there is no such stub.
  uint64_t others[2] = {};
  // Where the sled leads to a veneer (below): the stub that the veneer leads
  // to; 0: there is no veneer on the way.
  uint64_t behindVeneer = 0;
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
// site's module. Returns TPRT_REFUSAL_NONE, or the reason why this sled can
// never be flipped to lead there, whatever its bytes are.
inline tprt_refusal planToggle(const tprt_site &site, uint64_t origin,
                               const Ways &ways, Toggle *toggle);

// The memory that planning a site reads and that flipping it writes: the sled,
// the slot, and the rest of the aligned words that these lie in. It begins at
// most kReachedBefore bytes before the sled's start. Where planToggle() finds
// no refusal, it ends at most kReachedBehind bytes after the sled's start.
constexpr uint64_t kReachedBefore = 136, kReachedBehind = 16;
inline Extent extentOf(const tprt_site &site, uint64_t origin);

// The stores of a flip for a writer that promises no store of more than one
// byte (storesWords() in text_writer.h). They are made one after the other.
// After any number of them the sled is one instruction of its own length, which
// has no effect where it is. Returns the number of steps, or 0 where there
// is no such sequence.
struct Step {
  uint64_t address, value;
  uint8_t bytes;
};
constexpr size_t kMaxSteps = 6;
size_t planSteps(const tprt_site &site, Direction direction,
                 const Toggle &toggle, Step *steps);

// A slot is the jump to the stub for a sled that is too short to reach the
// stub: it lies in front of the function, or after a `ret`. SlotState says
// what is there now.
enum class SlotState : uint8_t {
  // The jump to the stub, or the shape has no slot.
  Written,
  // Bytes that no thread can reach before the sled is flipped. The jump can be
  // written in any order.
  Unused,
  // The jump to another stub of the site. A thread may be about to execute it,
  // since long ago, so one store exchanges the whole aligned word.
  InUse,
  // As InUse, but the jump lies across two words, so that no single store can
  // change it. It stays as it is.
  Final,
  // The words of a veneer that no thread can reach before the sled is flipped.
  // They can be written in any order.
  UnusedVeneer,
};
// The store that a slot needs; `bytes` is 0 where it is Written or Final.
struct Slot {
  uint64_t address;
  // Little-endian. Of a veneer: the stub that it is to lead to.
  uint64_t code;
  uint64_t was; // Where the state is InUse: the whole word as it is now.
  uint8_t bytes;
  SlotState state;
};
// Plans the store that makes the slot jump to the wanted one of these stubs.
tprt_refusal planSlot(const tprt_site &site, uint64_t origin, const Ways &ways,
                      Slot *slot);
// The same for a slot whose bytes are still the compiler's. False: they are
// not, or the site has no slot.
inline bool planFirstSlot(const tprt_site &site, uint64_t origin, uint64_t stub,
                          Slot *slot);
// Whether the slot already jumps to `stub`, or the site has no slot.
inline bool isSlotWritten(const tprt_site &site, uint64_t origin,
                          uint64_t stub);

// A veneer is the slot of a processor whose jumps reach less than the address
// space. It lies before the function, and leads to a stub at any address. A hit
// comes back through it as well, because the way back is as far. Only where
// kHasVeneers (plan.h). hasVeneer() says whether the site has room for one, and
// veneerOf() where. wordsOfVeneer() fills in the kVeneerWords words that are
// stored there; `stub` is where the veneer leads. isVeneerWritten() compares
// them with what is in memory. stubOfVeneer() gives the stub of a veneer if
// these words are one, and else 0.
inline bool hasVeneer(const tprt_site &site);
inline uint64_t veneerOf(const tprt_site &site, uint64_t origin);
inline void wordsOfVeneer(const tprt_site &site, uint64_t origin, uint64_t stub,
                          uint32_t *words);
inline bool isVeneerWritten(const tprt_site &site, uint64_t origin,
                            uint64_t stub);
inline uint64_t stubOfVeneer(const uint32_t *words);
// Writes what a far stub goes on to: kWayBackBytes of code, which will run at
// `address`, and which lead back through the site's veneer.
void writeWayBack(uint8_t *out, uint64_t address, const tprt_site &site);

// Whether a breakpoint instruction may be used where planToggle() gave this
// refusal. The handler of the breakpoint's signal lets the thread go on at the
// stub.
inline bool mayNeedTrap(tprt_refusal reason) {
  return reason == TPRT_REFUSAL_SHAPE || reason == TPRT_REFUSAL_ALIGNMENT ||
         reason == TPRT_REFUSAL_ROOM;
}
// The form of a sled by its bytes and the table of traps.
SledForm formByTrap(const tprt_site &site);
// These fill *toggle, and are called only where kHasTraps (plan.h). startTrap()
// is for a site that is Off and will be flipped on. planTrap() is for a site
// that a batch takes off, whether the site is On or Off.
tprt_refusal startTrap(const tprt_site &site, uint64_t stub, Toggle *toggle);
void planTrap(const tprt_site &site, Toggle *toggle);
// Called after the stores of each batch.
void finishTraps();
// Whether the table of traps says that this site is on by a trap.
// Async-signal-safe.
bool isTrapped(const tprt_site &site);
// What the signal's handler asks (TrapResponses in os_signal.h); `context` is a
// ucontext_t. Called in a signal handler on any thread, without the lock:
// async-signal-safe.
bool resumeTrap(void *context);
void resumeLostTrap(void *context);
bool repeatTrap(void *context);

// A uprobe or a breakpoint that is removed writes the file's first byte back
// over our jump. The bytes that are left must be a nop as long as the sled. So
// some shapes need certain values in the lowest bits of the jump's
// displacement: `mask` says in which bits, `value` is their value. With mask 0
// any displacement will do. Where bits are fixed, the sled leads to an island
// (jump_islands.h) at a distance with these bits, because a stub cannot be put
// at every such distance.
struct FixedBits {
  uint32_t value, mask;
  bool operator==(const FixedBits &) const = default;
};
inline FixedBits fixedBitsOf(const tprt_site &site);
// The jump of a pun (text/pun_islands.h): where it begins, the bits of its
// distance that are the next instructions', at which of the distance's bytes
// these begin (CodeSite::starts), and whether it jumps through a word.
struct PunJump {
  uint64_t at;
  FixedBits bits;
  uint8_t starts;
  bool isByWord;
};
// Where such a jump leads with this distance, or where its word is.
inline uint64_t punAt(const PunJump &jump, uint32_t distance);
// Whether fixedBitsOf() fixes any bits; cheaper, for a loop.
inline bool needsIsland(const tprt_site &site);
// Where the jump of a sled at `sled` leads with this displacement.
inline uint64_t islandAt(uint64_t sled, uint32_t displacement);
// Writes an island to `out`: a jump of kIslandBytes (plan.h) that runs at
// `address` and leads to `stub`.
inline void writeIsland(uint8_t *out, uint64_t address, uint64_t stub);

// Where an island or a slot with these bytes leads, if it is at `address`; 0:
// the bytes are no such jump.
inline uint64_t targetOfIsland(const uint8_t *code, uint64_t address);

// nullptr, or what is wrong with a record of this kind. The caller has checked
// that the resolved addresses lie in the module's code.
const char *recordFault(const tprt_record &record, uint64_t sled,
                        uint64_t function);

// The shape of another compiler's nop. No table contains it. The nop is `size`
// bytes long, at least 5, and its first five bytes become the jump. nopOf() has
// these bytes.
constexpr unsigned TPRT_SHAPE_PATCHABLE = 7;
// The shape of a site in code without sleds (sites/code_site.h). No table
// contains it. codeOf() says what is there.
constexpr unsigned TPRT_SHAPE_CODE = 6;
// Writes a copy of the instruction at such a site to `out`, and a jump to what
// follows it. The copy will run at `address`, and takes at most
// kDisplacedBytes. With `runsOn` the copy continues with the instructions after
// it (CodeSite::runBytes). False: there is no room for that, or from there,
// what an instruction refers to is out of reach; then nothing was written.
constexpr size_t kDisplacedBytes = 32;
inline bool isPun(const tprt_site &site) {
  return site.shape() == TPRT_SHAPE_CODE && codeOf(site).means == Means::Pun;
}
// Whether the copy of its instruction continues with those after it.
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
// Whether it is a call of a profiler (elf/mcount_calls.h).
inline bool isProfilerCall(const tprt_site &site) {
  return site.shape() == TPRT_SHAPE_CODE &&
         codeOf(site).profiler != Profiler::None;
}
bool writeDisplaced(uint8_t *out, uint64_t address, const tprt_site &site,
                    bool runsOn);
// How far after the site's instruction the program would be where a thread is
// `inside` bytes after the beginning of that copy. Where CodeSite::pushes
// stand in front, that is after these. Async-signal-safe.
size_t behindInstruction(const tprt_site &site, size_t inside);
// Whether such a site is an entry in front of which there are pushes
// (CodeSite::pushes). What they did is taken back before the handler.
inline bool isBehindPushes(const tprt_site &site) {
  return site.shape() == TPRT_SHAPE_CODE && codeOf(site).pushBytes;
}
// Whether a function is left there as it was entered: the stack pointer and the
// registers that callers expect back have their values again.
inline bool leavesAsEntered(const tprt_site &site) {
  return site.shape() == TPRT_SHAPE_CODE && !codeOf(site).isInside &&
         !codeOf(site).changesStack &&
         (site.event.kind == TPRT_KIND_EXIT ||
          site.event.kind == TPRT_KIND_TAIL_EXIT);
}
// Whether the function may keep data below the stack pointer there: at single
// instructions, and where CodeSite::keepsBelow says so.
inline bool keepsBelow(const tprt_site &site) {
  return site.isInstruction() ||
         (site.shape() == TPRT_SHAPE_CODE && codeOf(site).keepsBelow);
}
// The address at which the function of such a site begins.
inline uint64_t beginningOf(const tprt_site &site) {
  const CodeSite &code = codeOf(site);
  return reinterpret_cast<uint64_t>(site.sled()) - code.at + code.function;
}
// Chooses the means of an instruction for which no dead bytes are left. Called
// before the site was ever on. `origin` is that of its module.
void chooseOtherMeans(CodeSite &code, uint64_t origin);
// What such a site is under a breakpoint of somebody else's, which is in
// place of its first byte. Off: its other bytes are the instruction's. On: they
// are the jump's, and the other bytes of the store that planToggle() has
// planned make the instruction under the breakpoint whole again. Other:
// neither, or there is no breakpoint, or this site needs no such store.
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
// Whether endbr64 or bti c is there, which may be between a function's label
// and its nops.
bool isLandingPad(const uint8_t *code);

// The rights, beside the usual protection, that the code of a module is mapped
// with if the module's property notes have this entry (the architecture's
// psABI, "Program Property").
int protectionByProperty(uint32_t type, uint32_t value);

// --- stubs -----------------------------------------------------------------
// Callers: the files of stubs (stubs.cpp, stub_regions.cpp, inline_stubs.cpp)
// and jump_islands.cpp; text_writer.h calls publishCode().

// plan.h also has kPointShape, kPointSledBytes and kCodeAlignment: what the
// sled of a point looks like, and a static branch.
constexpr size_t kStubBytes = 16; // of one stub
// The stub of a single instruction (patch/overlap.h) takes kInnerStubBytes
// (plan.h). On x86-64 data may lie below the stack pointer where keepsBelow()
// holds, so the stub moves it first.
enum class InnerStub : uint8_t { General, Counting, Recording };
// By how many bytes the stack pointer is lower than at the site, where a thread
// is `inside` bytes after the beginning of a stub: a general one of any site,
// or another of an instruction. What follows a general stub in code is the copy
// of the instruction. Async-signal-safe.
int64_t stackBelow(InnerStub stub, size_t inside, const tprt_site &site);
// How far after the beginning of its general stub a hit of the site begins.
inline size_t startInStub(const tprt_site &site); // plan.h
// Whether the function's first instruction tells unwinders more of a thread
// there, in a general stub, than the site's own. The stub may have overwritten
// words below the stack pointer that the function has popped, and to which its
// unwind table may refer. If so, leavesAsEntered(). Or it has taken back
// pushes. Async-signal-safe.
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
// other. `isCode`: the region's sites are in code without sleds, so after each
// stub there is the copy of an instruction.
void writeStubHeader(uint8_t *out, uint64_t address, uint64_t data,
                     bool isCode);
// Writes the stub of `site`, which will run at `address`. The stub's data is at
// `data`, and its region's header at `header`. `wayBack` is the way back of a
// far stub; 0: the stub itself leads past the sled.
void writeStub(uint8_t *out, uint64_t address, uint64_t header, uint64_t data,
               uint64_t wayBack, const tprt_site &site);
// Whether a site can have a second stub that counts in place, without a call.
// That stub goes on to the general stub, at `general`, if its word (stubs.h) or
// the thread's state does not let it count.
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
// The word of such a stub that may count, or may not.
int32_t wordOfFullCountStub(bool may);
// The same for a stub that records its hit (actions/record_hook.h).
bool canRecordInStub(const tprt_site &site);
constexpr size_t kRecordStubBytes = 192;
void writeRecordStub(uint8_t *out, uint64_t address, uint64_t word,
                     uint64_t general, const tprt_site &site);

// Writes code that does what the function did without its sled. The code will
// run at `address` and takes at most kOriginalBytes (plan.h). `wayBack`: as in
// writeStub(). In code without sleds, a copy of the site's instruction alone
// lies kOriginalCopy bytes after its beginning; 0: it jumps to the copy after
// the general stub.
void writeOriginal(uint8_t *out, uint64_t address, uint64_t wayBack,
                   const tprt_site &site);

// publishCode(address, bytes) is called after every store to code. Once the
// cores have then synchronised (synchroniseCores() in os_text.h), all of them
// fetch what was stored.

// --- frames ----------------------------------------------------------------
// Callers: quiesce.cpp; module_list.cpp calls initialiseTrampolines().

// What a trampoline's frame says. The frame is at the position in a guard
// (hits/quiesce.h). The memory is read at any time, from kFrameBelow bytes
// below the position upwards. The kFrameAbove bytes from the position upwards
// belong to the frame as long as the critical section lasts.
struct FrameTraces {
  uint64_t data[3]; // What may be the address of the StubData; 0: nothing.
  bool returns;     // There is a return address that leads into a trampoline.
};
// While the critical section lasts, the first item of `data` that is the
// address of any stub's StubData is that of the critical section, or `returns`
// is set. `peek` is the function in os_memory.h, because the words may lead
// anywhere.
using Peek = bool (*)(uint64_t address, void *to, size_t bytes);
FrameTraces tracesIn(const uint64_t *words, Peek peek);

// The address at which a thread continues after a signal handler with this
// ucontext_t. Async-signal-safe. Caller: pc_map.cpp.
uint64_t programCounterIn(const void *context);
void setProgramCounter(void *context, uint64_t address);
// Gives the context of a thread that is in a stub, where stackBelow() says
// `below`, the registers from which an unwinder starts at the site: the stack
// pointer, and those that the stub has changed. What the latter were is kept in
// `was`. leaveSite() undoes it.
void showSite(void *context, int64_t below, uint64_t (&was)[2]);
void leaveSite(void *context, int64_t below, const uint64_t (&was)[2]);
// The end of a stub's call from which a thread in a region's header has come;
// 0: a header has no code, or that is not known.
uint64_t calledFrom(const void *context);

// --- hits for which the stack is too small -----------------------------------
// Caller: stack_overflow.cpp, in handlers of signals. On AArch64 nothing is
// known of such hits; on x86-64 callers.* read the tables.

// The unwind tables of the modules that a hit runs code of: this library, the
// program if it has trampolines, the C library, and the system's own (the
// vdso).
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
  // Where it was on the stack, in the form of a guard. 0: it had not got to
  // raising the guard.
  uint64_t position;
};
// If the thread of this ucontext_t is in a trampoline, or in what one has
// called, and could not use its stack at the address `fault`, gives the context
// the registers that the thread has when the hit is over. False: it is not in
// a hit, or not known well enough.
bool leaveHit(void *context, uint64_t fault, const UnwindTables &tables,
              Peek peek, LeftHit &left);
// The same for a thread in a stub of the site, `inside` bytes after the stub's
// beginning. `data` is that of a general stub, else nullptr.
bool leaveStub(void *context, uint64_t fault, InnerStub stub, size_t inside,
               const tprt_site &site, Peek peek, const StubData *&data);

// Called once, before the first stub is made. Finds out from the CPU what "all
// vector state" is, and fills in what trampolines read.
void initialiseTrampolines();

// --- what the architecture calls ---------------------------------------------

// Takes over the breakpoint instruction's signal. TPRT_REFUSAL_NONE, or the
// reason why that is impossible. Called by trap.cpp, under the lock; defined in
// patch/traps.cpp.
tprt_refusal takeTraps();

// What a hit calls when it needs more than the trampoline's short way. Defined
// in hits/hit.cpp. Called inside hits, on any thread: async-signal-safe.
//
// Delivers a hit. The address of its registers is the hit's position on the
// stack. Returns the function to run in place of the site's function, or
// nullptr. The caller keeps all of the program's registers, and restores from
// *regs those that are there.
const void *deliver(const StubData *data, tprt_regs *regs);
// Ends the critical section at `position`, whose handler has returned,
// whichever thread's block shows the critical section. Where the calling
// thread's guard is still that of this critical section, trampolines end the
// critical section themselves and do not call this.
void endSection(uint64_t position);
// Counts a hit whose only action is to count.
void countOnly(const StubData *data);

} // namespace tprt

#include "plan.h"       // the architecture's
#include "systemcall.h" // the same

#endif
