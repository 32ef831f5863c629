// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The flip engine: how attach and detach change the code of many sites while
// other threads run that code.
//
// A core that runs code which another core changes may execute the old bytes,
// the new ones or, where an instruction takes several stores, bytes that nobody
// wrote. It may also hold old bytes for as long as nothing serialises it. So a
// sled is flipped by one aligned store, all that the store leads to is complete
// before, and a barrier (membarrier SYNC_CORE) stands between. A batch takes
// these steps:
//
//   plan         what each site needs (Need), by the bytes that are there now
//   prepare      stubs, slots and landings are written; no thread can reach
//                them yet
//   synchronise  no core holds older bytes of what was prepared
//   apply        a site's action is published, then one store flips its sled
//   synchronise  no core runs an old sled any more
//
// Stubs are made for the whole batch, and cores are synchronised, before the
// first site is planned. Then the sites are walked through in passes:
//
//   Pass::First     each site is planned. One that needs a slot or a landing is
//                   prepared and waits; any other is applied at once, as it
//                   needs nothing that another site waits for.
//   Pass::Prepared  only if some site waits, after landings were made and cores
//                   synchronised. Each site is planned again, because bytes are
//                   read right before each store, and applied.
//
// A detach prepares nothing, so that it has the first pass alone. It replaces
// the action before it flips the sled back. Stubs and landings stay as they are
// and slots lead to a stub for good: a thread may be inside any of them for as
// long as it likes.
//
// Pitfalls. What was written last does not count: a uprobe, another patcher or
// MADV_DONTNEED may have changed it. Code is neither read nor written before
// its mapping was judged. Which store each step makes, and which section of the
// manuals permits it, is said in arch/<name>/plan.h and docs/safety.md.
//
// siteplan.cpp plans one site in full, batch.cpp has the passes and applies,
// quickflip.cpp is a loop of its own for what most sites need. All under the
// runtime's lock.
#ifndef TPRT_CORE_FLIP_H
#define TPRT_CORE_FLIP_H

#include "core/arch.h"
#include "core/chain.h"
#include "core/plain/site.h"
#include "core/probe.h"
#include "core/stubs.h"
#include "core/textwriter.h"

namespace tprt {

// What a site needs so that it is as the batch wants it.
enum class Need : uint8_t {
  Nothing,   // the action is there already, or was not there
  ChainOnly, // the action alone: the sled is as wanted, or stays on for others
  Toggle,    // the action, and one store to the sled
  Trap,      // the same, where that store is of a breakpoint instruction
  Slot,      // first its slot is to be written, then as Toggle
  Landing,   // first its landing is to be made, then as Toggle
  Refused,   // it cannot be flipped, or is somebody else's
  NoMemory,  // for its list of actions
  Unknown,   // only from the quick plan: the full one knows
};

// What is to be done at a site, and what that was decided from. `need` says
// which of the members mean anything.
struct SitePlan {
  tprt_site *site = nullptr;
  Need need = Need::Nothing;
  tprt_refusal reason = TPRT_REFUSAL_NONE; // why it is Refused
  StubRegion *region = nullptr;            // of its usual stub
  StubData *data = nullptr;
  const Chain *before = nullptr; // what its stub leads to
  Chain *chain = nullptr;        // what it is to lead to; nullptr: no change
  uint64_t counter = 0;          // its counting stub; 0: none
  StubKind via = kUsual;         // the stub that the sled is to lead to
  Ways ways = {};
  Toggle toggle = {}; // Toggle, Slot, Landing
  Slot slot = {};     // Slot
};

// What a sled of this form needs, if nothing is to be prepared.
constexpr Need needOf(SledForm now, Direction direction) {
  switch (now) {
  case SledForm::Off:
    return direction == Direction::On ? Need::Toggle : Need::ChainOnly;
  case SledForm::On:
    return direction == Direction::On ? Need::ChainOnly : Need::Toggle;
  case SledForm::Stale: // it can only be taken away
    return direction == Direction::On ? Need::Refused : Need::Toggle;
  case SledForm::Other:
    break;
  }
  return Need::Refused;
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

enum class Pass : uint8_t { First, Prepared };

// How far a batch came.
enum class Flipped : uint8_t {
  All,             // each site is on, off or refused
  NoMemory,        // it ended at a site for whose actions there was no memory
  NotSynchronised, // membarrier failed; errno says why
};

// Puts a probe on the sites it lists, or takes it off them.
struct Batch {
  // In the probe's list, in place of a site that was refused. Positions stay
  // until the end.
  static constexpr uint32_t kDropped = UINT32_MAX;

  tprt_probe *probe;
  Direction direction;
  tprt_result *result; // what attach tells its caller; nullptr for Off
  size_t first = 0;    // of the probe's list, to its end
  Array<Group> groups{};
  size_t waiting = 0;  // sites that were prepared in the first pass
  unsigned noRoom = 0; // landings for which there was no room
  bool outOfMemory = false;
  ChainCache cache{};

  // Groups the sites, and looks what their code is mapped as. False: no memory.
  bool open();
  // Prepares the stubs of all sites and synchronises. On alone. False:
  // membarrier failed, and nothing may be written.
  bool prepareStubs();
  // The other steps.
  Flipped flip();

  // Plan. The full one, of any site; reads code and its own cache alone, except
  // that it may reserve address space for landings.
  SitePlan planOf(size_t position, const Group &group);
  // Whether the quick plan may be asked about this group.
  bool isUsual(const Group &group) const;

  // One site in full: plans it, then prepares or applies it.
  void take(size_t position, Group &group, Pass pass);

private:
  void walk(Pass pass);
  bool close();

  // siteplan.cpp
  tprt_refusal conditionOf(const tprt_site &site, const Group &group) const;
  bool counts() const;
  void reserveLandings(const SitePlan &plan);
  void planSled(SitePlan &plan, const TextWriter &writer);
  void planTrapped(SitePlan &plan, tprt_refusal reason) const;

  // batch.cpp
  enum class Prepared : uint8_t { Ready, Waits, Refused };
  Prepared prepare(SitePlan &plan, TextWriter &writer, Pass pass);
  void apply(size_t position, SitePlan &plan, TextWriter &writer);
  void refuse(size_t position, const SitePlan &plan);
};

// The passes' loop over a group, see quickflip.h.
template <Direction direction>
void takeAll(Batch &batch, Group &group, Pass pass);

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
