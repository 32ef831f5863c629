// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The steps by which attach and detach change code, for a batch of any number
// of sites. They come in this order:
//
//   1. stubs are made: complete, executable, reachable from nowhere; then
//      membarrier SYNC_CORE: no core holds what was there before
//   2. slots get their jump to the stub, and landings (landings.h) theirs: no
//      thread can reach them
//   3. membarrier SYNC_CORE: no core holds old bytes of them
//   4. each sled is toggled by one aligned store, which leads to slot, landing
//      or stub; through /proc/self/mem byte by byte, by way of instructions
//      without effect
//   5. membarrier SYNC_CORE: no core runs the old sled any more
//
// (1 the first time alone; 2 and 3 then, and when a site changes between its
// two stubs, by one aligned store each.) Detach is 4 and 5 backwards, after the
// chain was replaced. Stubs and landings stay as they are, and a slot leads to
// one of the two: a thread may be inside either for as long as it likes. What
// permits each store is said in arch/<name>/plan.h. All under the lock.
//
// What a site's bytes are decides, right before each store, what is done
// (Task), not what was written there last. Where they may not be read or
// written, by what the page is mapped as now, nothing is.
#ifndef TPRT_CORE_FLIP_H
#define TPRT_CORE_FLIP_H

#include "core/arch.h"
#include "core/chain.h"
#include "core/plain/site.h"
#include "core/probe.h"
#include "core/textwriter.h"

namespace tprt {

struct StubRegion; // stubs.h

// What there is to do at a sled.
enum class Task : uint8_t {
  Nothing, // it is as wanted
  Flip,
  Leave, // the bytes are somebody else's
};
inline Task taskFor(SledForm now, bool on) {
  if (now == SledForm::Other || (now == SledForm::Stale && on))
    return Task::Leave;
  if (now == SledForm::Stale)
    return Task::Flip;
  return now == (on ? SledForm::Off : SledForm::On) ? Task::Flip
                                                    : Task::Nothing;
}

// Where the stubs of a site are led to by its sled or slot: to a landing where
// it has one, made or not. 0: there is none.
struct StubWays {
  uint64_t usual, counter;
};
StubWays waysOf(const tprt_site &site, const StubRegion *region);

// The sled's own five bytes of a word that is toggled.
inline uint64_t maskOf(const Toggle &toggle, uint64_t sled) {
  return ((uint64_t{1} << 40) - 1) << (sled - toggle.address) * 8;
}

// The last page that was looked at: many sites lie in one.
struct PageMemo {
  uint64_t page = UINT64_MAX;
  bool isReadable = false;

  bool has(uint64_t address);
};
// Whether a site's sled leads to one of its stubs now. Of a module that is
// loaded, and held until this returns.
bool isFlipped(const tprt_site &site, PageMemo &memo);

// Consecutive sites of one module in a batch.
struct Group {
  Module *module;
  size_t begin, end;
  TextWriter writer;
  tprt_refusal forAll = TPRT_REFUSAL_NONE; // why none of them can be attached
};

// Puts a probe on the sites it lists, or takes it off them.
struct Batch {
  // In the probe's list, in place of a site that was refused. Positions stay
  // until the end.
  static constexpr uint32_t kDropped = UINT32_MAX;
  tprt_probe *probe;
  tprt_result *result; // what to fill in; nullptr: off
  size_t first = 0;    // of the probe's list, to its end
  Array<Group> groups{};
  bool memory = true;
  // Some sites wait for step 3, as their slots were just written; their group
  // is to be changed again, which leaves the others alone.
  bool deferred = false;
  bool again = false;
  unsigned noRoom = 0; // landings for which there was no room
  ChainCache cache{};

  // Groups the sites. False: no memory.
  bool open();
  // Steps 2 and 4, of all groups or of one.
  void change();
  void change(Group &group);
  // Step 5. False: it failed.
  bool close();

  void drop(size_t position, tprt_refusal reason);

  // Between two passes of change(): what landings the first one asked for.
  void makeLandings();

private:
  struct Stretch;
  struct Plan;
  template <bool on> void changeAll(Group &group);
  template <bool on>
  bool changeQuickly(Stretch &stretch, size_t position, uint32_t at,
                     TextWriter &writer);
  void changeOne(size_t position, Group &group);
  tprt_refusal plan(Plan &plan, const TextWriter &writer);
  tprt_refusal planByTrap(Plan &plan, tprt_refusal reason);
  void reserveWays(const Plan &plan);
  bool prepare(const Plan &plan, TextWriter &writer);
  void apply(const Plan &plan, TextWriter &writer);
  bool writeSlot(size_t position, tprt_site &site, const Ways &ways,
                 TextWriter &writer);
  void refuse(size_t position, tprt_refusal reason);
};

// Publishes what the site's stub leads to. A thread that still finds the old
// chain, or is on its way through code for it, does what one of the two says;
// with the empty chain trampolines do nothing.
inline void publish(StubData &data, tprt_site &site, const Chain *before,
                    Chain *chain) {
  __atomic_store_n(&data.chain, chain, __ATOMIC_RELEASE);
  exchangeReferences(before, chain);
  if (chain != emptyChain())
    leadTo(data, site, chain->mode);
}

} // namespace tprt

#endif
