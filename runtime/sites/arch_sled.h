// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the core asks of an architecture about sleds; a part of the port
// (arch.h), and included there alone. Callers: the files of patch/; also
// patchable_entries.cpp, sled_table.cpp and loader_walk.cpp, which read modules
// and their records.
#ifndef TPRT_SITES_ARCH_SLED_H
#define TPRT_SITES_ARCH_SLED_H

#include "base/extent.h"
#include "sites/site.h"

namespace tprt {

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
         reason == TPRT_REFUSAL_ROOM || reason == TPRT_REFUSAL_MAP_COUNT;
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

} // namespace tprt

#endif
