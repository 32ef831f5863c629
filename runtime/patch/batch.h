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
// If no store may exchange a site's instruction (needsPageExchange()), the
// site is applied without a store, and after the passes its page is exchanged
// (page_stores.cpp).
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
#ifndef TPRT_PATCH_BATCH_H
#define TPRT_PATCH_BATCH_H

#include "actions/action_list.h"
#include "actions/probe.h"
#include "patch/site_plan.h"
#include "patch/static_branches.h"
#include "text/text_writer.h"

namespace tprt {

struct Stretch; // quick_patch.h

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

// A site whose instruction is exchanged with its page, after it was applied.
struct PageStore {
  size_t position; // In the probe's list.
  StubData *data;
  const ActionList *before;
  ActionList *actionList;
  CodeWord word;
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
  // How many sites were refused, by reason.
  uint32_t refusals[TPRT_REFUSAL_MAP_COUNT + 1]{};
  ActionListCache cache{};
  BranchGroups branches{};
  Array<PageStore> pageStores{}; // In the order of the probe's list.

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
  void planSled(SitePlan &plan, const TextWriter &writer);
  void planTrapped(SitePlan &plan, tprt_refusal reason) const;

  // plan_islands.cpp
  void countPuns();
  void expectPuns();
  bool reservePunOf(const tprt_site &site, const StubRegion *region,
                    bool needsAll);
  bool reserveIslands(const SitePlan &plan);

  // batch.cpp
  Prepared prepare(SitePlan &plan, TextWriter &writer, Pass pass);
  void apply(size_t position, SitePlan &plan, TextWriter &writer);
  void refuse(size_t position, const SitePlan &plan);

  // page_stores.cpp
  tprt_refusal storeWithPage(size_t position, const SitePlan &plan);
  void exchangePages();
  void exchangePagesOf(const Mapping &mapping, const Group &group,
                       const PageStore *stores, size_t count);
  void undo(const PageStore &store, tprt_refusal reason);
};

// Replaces the action list that a site's stub leads to.
void replace(tprt_site &site, StubData &data, const ActionList *from,
             ActionList *to);

// Which bytes of the aligned word a store changes: all bytes that the site
// changes, even a byte that is equal in the two states of plan.toggle. The
// bytes in memory may be the jump to another stub of the site.
uint64_t maskFor(const SitePlan &plan);

// Makes a plan's store to its sled. Returns TPRT_REFUSAL_NONE, or the reason
// why nothing was stored.
tprt_refusal store(const SitePlan &plan, TextWriter &writer);

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
