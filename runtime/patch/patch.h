// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The flip engine: how attach and detach change the code of many sites while
// other threads run that code.
//
// A core that runs code which another core changes may execute the old bytes,
// the new ones or, where an instruction takes several stores, bytes that nobody
// wrote. It may also hold old bytes for as long as nothing serialises it. So a
// sled is flipped by one aligned store. Everything that the store leads to is
// complete before, with a barrier (membarrier SYNC_CORE) in between. A batch
// takes these steps:
//
//   plan         what each site needs (Need), by the bytes that are there now
//   prepare      stubs, slots and islands are written; no thread can reach
//                them yet
//   synchronise  no core holds older bytes of what was prepared
//   apply        a site's action is published, then one store flips its sled
//   synchronise  no core runs an old sled any more
//
// Stubs are made for the whole batch, and cores are synchronised, before the
// first site is planned. Then the sites are walked through in passes:
//
// Pass::First: each site is planned. A site that needs a slot or an island has
// it prepared, and waits. Any other site is applied at once, because it needs
// nothing that another site waits for.
//
// Pass::Prepared: comes only if some site waits, after the islands were made
// and the cores synchronised. Each waiting site is planned again, because bytes
// are read right before each store, and is then applied.
//
// A detach prepares nothing, so it has the first pass only. It replaces the
// action before it flips the sled back. Stubs and islands stay as they are,
// and slots lead to a stub for good, because a thread may be inside any of them
// for an unlimited time.
//
// Pitfalls. The engine never relies on what it wrote last: a uprobe, another
// patcher or MADV_DONTNEED may have changed it. The engine neither reads nor
// writes code before it has judged the code's mapping. arch/<name>/plan.h and
// docs/explanation/safety.md say which store each step makes, and which section
// of the manuals permits that store.
//
// site_plan.cpp plans one site or static branch in full. batch.cpp has the
// passes, and applies. quick_patch.* have a loop and a plan for what most sites
// need, static_branches.cpp the loops over static branches. All functions are
// called under the runtime's lock.
#ifndef TPRT_PATCH_PATCH_H
#define TPRT_PATCH_PATCH_H

#include "actions/action_list.h"
#include "actions/probe.h"
#include "base/page_memo.h"
#include "patch/static_branches.h"
#include "sites/arch.h"
#include "sites/site.h"
#include "text/stubs.h"
#include "text/text_writer.h"

namespace tprt {

struct Stretch; // quick_patch.h

// What has to be done at a site, so that it becomes what the batch wants.
enum class Need : uint8_t {
  Nothing, // On: the action is there already. Off: it is not there.
  // The action only: the sled is as wanted already, or stays on for other
  // actions.
  ActionListOnly,
  Toggle,   // The action, and one store to the sled.
  Trap,     // The same, where the store is of a breakpoint instruction.
  Slot,     // First the slot has to be written; then the same as for Toggle.
  Island,   // First the island has to be made; then the same as for Toggle.
  Refused,  // The site cannot be flipped, or its bytes are somebody else's.
  NoMemory, // There is no memory for the site's action list.
};

// What has to be done at a site or a static branch, and the facts behind that
// decision. The value of `need` says which of the members are valid. They have
// no initial values, because clearing them takes longer than the rest of the
// plan of many sites.
struct SitePlan {
  tprt_site *site;
  Need need;
  Direction to;             // Which way the sled goes, if it does.
  tprt_refusal reason;      // Why the site is Refused.
  StubRegion *region;       // The region of the site's general stub.
  StubData *data;           // With the next two: not of a static branch.
  const ActionList *before; // The action list that the stub leads to now.
  // The action list that it is to lead to; nullptr: no change.
  ActionList *actionList;
  // The stub that the sled is to lead to; kTargets: see static_branches.h.
  StubKind via;
  Ways ways;     // Valid unless Nothing, NoMemory, ActionListOnly or Refused.
  Toggle toggle; // Valid for Toggle, Slot and Island; address: also for Trap.
  Slot slot;     // Valid for Slot.
  // Valid for Toggle: the site's first byte is a uprobe's, and stays so.
  bool keepsFirst;
};

// What a sled of this form needs if nothing has to be prepared.
constexpr Need needOf(SledForm now, Direction direction) {
  switch (now) {
  case SledForm::Off:
    return direction == Direction::On ? Need::Toggle : Need::ActionListOnly;
  case SledForm::OffElse:
    return Need::Toggle;
  case SledForm::On:
    return direction == Direction::On ? Need::ActionListOnly : Need::Toggle;
  case SledForm::Stale: // The jump can only be taken away.
    return direction == Direction::On ? Need::Refused : Need::Toggle;
  case SledForm::Other:
    break;
  }
  return Need::Refused;
}

// Where a sled has to lead that is to end at `to`: to the island of this kind,
// or to `to` itself where it needs none. 0: the island is not reserved, or
// `to` is 0.
uint64_t wayTo(const tprt_site &site, const StubRegion *region, StubKind kind,
               uint64_t to);
// Where a site's sled or slot has to lead that is to end at the stub of this
// kind, and where it may lead now, for the site's other stubs. Each is the
// island, made or not, if the stub has one, else the stub. 0: there is no such
// stub.
Ways waysOf(const tprt_site &site, const StubRegion *region, StubKind via);
// Where a sled may lead that is to be read or taken off: to any stub.
Ways anyWaysOf(const tprt_site &site, const StubRegion *region);

// Which bytes of the aligned word a store changes: all that the site changes,
// even where plan.toggle has the same byte on and off. What is in memory may be
// the jump to another stub of the site.
uint64_t maskFor(const SitePlan &plan);

// Makes a plan's store to its sled. TPRT_REFUSAL_NONE, or why it is not made.
tprt_refusal store(const SitePlan &plan, TextWriter &writer);

// Whether the site's sled leads to one of the site's stubs now. The site's
// module is loaded, and the caller keeps it loaded until this returns.
bool isFlipped(const tprt_site &site, PageMemo &memo);

// Consecutive sites of one module in a batch.
struct Group {
  Module *module;
  size_t begin, end;
  TextWriter writer;
  BranchSet branches;
  // Why none of them can be attached.
  tprt_refusal forAll = TPRT_REFUSAL_NONE;
};

enum class Pass : uint8_t { First, Prepared };

// What a pass has prepared for a plan: nothing is left to prepare, or the sled
// is flipped in the next pass, or not at all.
enum class Prepared : uint8_t { Ready, Waits, Refused };

// How far a batch came.
enum class Flipped : uint8_t {
  All, // Each site is on, off or refused.
  // The batch ended at a site for whose actions there was no memory.
  NoMemory,
  NotSynchronised, // membarrier failed; errno says why.
};

// Puts a probe on the sites in the probe's list, or takes it off them.
struct Batch {
  // Replaces a refused site in the probe's list. The positions of the others
  // stay as they are until the end.
  static constexpr uint32_t kDropped = UINT32_MAX;

  tprt_probe *probe;
  Direction direction;
  // What attach reports to its caller; nullptr for Off.
  tprt_result *result;
  size_t first = 0; // The batch is the probe's list from here to its end.
  // Direction::Off: the probe is to get no more hits anywhere.
  bool ends = true;
  Array<Group> groups{};
  size_t waiting = 0;   // How many sites were prepared in the first pass.
  unsigned noRoom = 0;  // How many islands got no room.
  bool hasPuns = false; // beginPuns() was called.
  bool expectsPuns = false;
  size_t bareJumps = 0; // Puns with fewer islands for breakpoints.
  bool outOfMemory = false;
  ActionListCache cache{};
  BranchGroups branches{};

  // Groups the sites by module and finds out how their code is mapped. False:
  // no memory.
  bool open();
  // Prepares the stubs of all sites and synchronises. Only for Direction::On.
  // False: membarrier failed, and nothing may be written.
  bool prepareStubs();
  // Runs the other steps.
  Flipped flip();

  // Plans any site in full. It only reads code and the batch's own cache,
  // except that it may reserve address space for islands.
  SitePlan planOf(size_t position, const Group &group);
  // The same of a static branch.
  SitePlan planBranch(tprt_site &branch, BranchState state,
                      const TextWriter &writer);
  // Whether the quick plan may be asked about the sites of this group.
  bool isUsual(const Group &group) const;

  // Plans one site in full, then prepares or applies it.
  void take(size_t position, Group &group, Pass pass);

private:
  void walk(Pass pass);
  void preferOneByte(); // one_byte.cpp
  void takeOneBytes();
  bool close();

  // static_branches.cpp
  void prepareBranches();
  void prepareBranchesOf(Group &group);
  void applyBranches();
  bool applyBranchesOf(Group &group, bool isAllOn);
  Prepared takeBranch(Stretch *near, Group &group, tprt_site &branch,
                      BranchState state, Pass pass, bool stores,
                      tprt_refusal &refusal);
  Prepared takeBranchInFull(Group &group, tprt_site &branch, BranchState state,
                            Pass pass, bool stores, tprt_refusal &refusal);

  // site_plan.cpp
  tprt_refusal conditionOf(const tprt_site &site, const Group &group) const;
  // Plans the site's action list. False: no store to its code is to be planned.
  bool planActionList(SitePlan &plan, const Group &group);
  bool counts() const;
  StubKind stubFor(const SitePlan &plan) const;
  void countPuns();
  void expectPuns();
  void reservePunOf(const tprt_site &site, const StubRegion *region,
                    bool needsAll);
  void reserveIslands(const SitePlan &plan);
  void planSled(SitePlan &plan, const TextWriter &writer);
  void planTrapped(SitePlan &plan, tprt_refusal reason) const;

  // batch.cpp
  Prepared prepare(SitePlan &plan, TextWriter &writer, Pass pass);
  void apply(size_t position, SitePlan &plan, TextWriter &writer);
  void refuse(size_t position, const SitePlan &plan);
};

// The loop of a pass over a group: see quick_patch.h.
template <Direction direction>
void takeAll(Batch &batch, Group &group, Pass pass);

// Publishes the action list that the site's stub leads to. A thread that still
// reads the old action list, or is on its way through code for it, does what
// the old or the new action list says. With the empty action list, trampolines
// do nothing.
inline void publish(StubData &data, tprt_site &site, const ActionList *before,
                    ActionList *actionList) {
  __atomic_store_n(&data.actionList, actionList, __ATOMIC_RELEASE);
  exchangeReferences(before, actionList);
  if (actionList != emptyActionList())
    leadTo(data, site, actionList->mode);
}

} // namespace tprt

#endif
