// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The flip engine: how attach and detach change the code of many sites while
// other threads run that code.
//
// While one core changes code, another core may execute the old bytes or the
// new bytes. If an instruction is changed by several stores, the other core may
// even execute a mix of both. A core may also hold old bytes until it is
// serialized. So a sled is flipped by one aligned store. Everything that the
// store leads to is completed first, and a barrier (membarrier SYNC_CORE)
// precedes the store. A batch has these steps:
//
//   plan what each site needs (Need), by its present bytes
//   prepare      stubs, slots and islands are written; no thread can reach
//                them yet
//   synchronise  no core holds older bytes of what was prepared
//   apply        a site's action is published, then one store flips its sled
//   synchronise no core runs an old sled any longer
//
// Stubs are made for the whole batch, and cores are synchronized, before the
// first site is planned. Then the batch visits the sites in passes:
//
// Pass::First: each site is planned. If a site needs a slot or an island, this
// is prepared, and the site waits. Any other site is applied at once, because
// it needs no barrier.
//
// Pass::Prepared: this pass runs only if some site waits, after the islands
// were made and the cores were synchronized. Each waiting site is planned
// again, because bytes are read right before each store, and is then applied.
//
// A detach prepares nothing, so it has only the first pass. A detach replaces
// the action before it flips the sled back. Stubs and islands are kept, and
// slots always lead to a stub, because a thread may be inside any of them for
// an unlimited time.
//
// Pitfalls. The engine never relies on the bytes that it wrote last: a uprobe,
// another patcher or MADV_DONTNEED may have changed them. The engine checks the
// mapping of code before it reads or writes the code. arch/<name>/plan.h and
// docs/explanation/safety.md describe the store of each step, and the section
// of the manuals that permits that store.
//
// site_plan.cpp makes the full plan of one site or static branch. batch.cpp has
// the passes, and applies plans. quick_patch.* have a faster loop and plan for
// most sites. static_branches.cpp has the loops over static branches. All
// functions are called under the runtime's lock.
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

// What the batch must do at a site.
enum class Need : uint8_t {
  Nothing, // On: the site already has the action. Off: it has no such action.
  // Only the action: the sled is already correct, or stays on for other
  // actions.
  ActionListOnly,
  Toggle,   // The action, and one store to the sled.
  Trap,     // The same as Toggle, but the store is of a breakpoint instruction.
  Slot,     // First the slot must be written; then the same as for Toggle.
  Island,   // First the island must be made; then the same as for Toggle.
  Refused,  // The site cannot be flipped, or other software has changed its
            // bytes.
  NoMemory, // There is no memory for the site's action list.
};

// What the batch must do at a site or a static branch, and the facts for that
// decision. The value of `need` determines which members are valid. The members
// have no initial values, because clearing them would take longer than the rest
// of the plan for many sites.
struct SitePlan {
  tprt_site *site;
  Need need;
  Direction to;             // The sled's new state, if the sled is flipped.
  tprt_refusal reason;      // Why the site is Refused.
  StubRegion *region;       // The region of the site's general stub.
  StubData *data;           // This and the next two: not for static branches.
  const ActionList *before; // The stub's present action list.
  // The stub's new action list; nullptr means no change.
  ActionList *actionList;
  Target via;    // What the sled must lead to.
  Ways ways;     // Valid unless Nothing, NoMemory, ActionListOnly or Refused.
  Toggle toggle; // Valid for Toggle, Slot and Island; its address also for
                 // Trap.
  Slot slot;     // Valid for Slot.
  // Valid for Toggle: the site's first byte belongs to a uprobe, and is kept.
  bool keepsFirst;
};

// What a sled of this form needs if nothing must be prepared.
constexpr Need needOf(SledForm now, Direction direction) {
  switch (now) {
  case SledForm::Off:
    return direction == Direction::On ? Need::Toggle : Need::ActionListOnly;
  case SledForm::OffElse:
    return Need::Toggle;
  case SledForm::On:
    return direction == Direction::On ? Need::ActionListOnly : Need::Toggle;
  case SledForm::Stale: // The jump can only be removed.
    return direction == Direction::On ? Need::Refused : Need::Toggle;
  case SledForm::Other:
    break;
  }
  return Need::Refused;
}

// The address that a sled must jump to in order to reach `to`, which is the
// address of this target: the target's island, or `to` itself if the sled needs
// no island. Returns 0 if the
// island is not reserved, or if `to` is 0.
uint64_t wayTo(const tprt_site &site, const StubRegion *region, Target target,
               uint64_t to);
// `wanted`: the address that a site's sled or slot must jump to in order to
// reach `via`. `others`: the same addresses for the site's other targets, to
// which the sled may jump now. If a target has an island, the address is that
// of the island, even if the island is not made yet; else the address is that
// of the target. An address is 0 if there is no such target.
Ways waysOf(const tprt_site &site, const StubRegion *region, Target via);
// For a sled that is only read or turned off. The sled may lead to any stub of
// its site, so the result has the addresses for all of these stubs.
Ways anyWaysOf(const tprt_site &site, const StubRegion *region);

// Which bytes of the aligned word a store changes: all bytes that the site
// changes, even a byte that is equal in the two states of plan.toggle. The
// bytes in memory may be the jump to another stub of the site.
uint64_t maskFor(const SitePlan &plan);

// Makes a plan's store to its sled. Returns TPRT_REFUSAL_NONE, or the reason
// why nothing was stored.
tprt_refusal store(const SitePlan &plan, TextWriter &writer);

// Whether the site's sled leads to one of the site's stubs now. The site's
// module is loaded, and the caller keeps the module loaded until this function
// returns.
bool isFlipped(const tprt_site &site, PageMemo &memo);

// Consecutive sites of one module in a batch.
struct Group {
  Module *module;
  size_t begin, end;
  TextWriter writer;
  BranchSet branches;
  // The reason why no site of the group can be attached.
  tprt_refusal forAll = TPRT_REFUSAL_NONE;
};

enum class Pass : uint8_t { First, Prepared };

// The result of a pass's preparation: everything is prepared, or the sled is
// flipped in the next pass, or the site is refused.
enum class Prepared : uint8_t { Ready, Waits, Refused };

// How far a batch got.
enum class Flipped : uint8_t {
  All, // Each site is on, off or refused.
  // The batch ended at a site because there was no memory for its actions.
  NoMemory,
  NotSynchronised, // membarrier failed, and errno has the reason.
};

// Attaches a probe to the sites in its list, or detaches it from them.
struct Batch {
  // Replaces a refused site in the probe's list, so that the other sites keep
  // their positions until the end.
  static constexpr uint32_t kDropped = UINT32_MAX;

  tprt_probe *probe;
  Direction direction;
  // What attach reports to its caller; nullptr for Off.
  tprt_result *result;
  size_t first = 0; // The batch is the probe's list from here to its end.
  // For Direction::Off: the probe gets no more hits at any site.
  bool ends = true;
  Array<Group> groups{};
  size_t waiting = 0;   // How many sites were prepared in the first pass.
  unsigned noRoom = 0;  // How many islands found no free address.
  bool hasPuns = false; // beginPuns() was called.
  bool expectsPuns = false;
  size_t bareJumps = 0; // Puns with fewer islands for breakpoints.
  bool outOfMemory = false;
  ActionListCache cache{};
  BranchGroups branches{};

  // Groups the sites by module and finds out how their code is mapped. Returns
  // false if there is no memory.
  bool open();
  // Prepares the stubs of all sites and synchronizes the cores. Only for
  // Direction::On. Returns false if membarrier failed; then nothing may be
  // written.
  bool prepareStubs();
  // Runs the other steps.
  Flipped flip();

  // Makes the full plan of any site. This only reads code and the batch's own
  // cache, and may reserve address space for islands.
  SitePlan planOf(size_t position, const Group &group);
  // The same as planOf(), for a static branch.
  SitePlan planBranch(tprt_site &branch, BranchState state,
                      const TextWriter &writer);
  // Whether the quick plan may be used for the sites of this group.
  bool isUsual(const Group &group) const;

  // Makes the full plan of one site, then prepares or applies the plan.
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
  // Plans the site's action list. Returns false if the site's code needs no
  // store.
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
// reads the old action list, or runs code for the old list, executes either the
// old or the new list. With the empty action list, trampolines do nothing.
inline void publish(StubData &data, tprt_site &site, const ActionList *before,
                    ActionList *actionList) {
  __atomic_store_n(&data.actionList, actionList, __ATOMIC_RELEASE);
  exchangeReferences(before, actionList);
  if (actionList != emptyActionList())
    leadTo(data, site, actionList->mode);
}

} // namespace tprt

#endif
