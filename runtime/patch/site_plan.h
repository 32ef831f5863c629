// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plan of one site or static branch: what a batch must do there, by the
// site's present bytes; see batch.h. Making a plan stores nothing to code. Used
// under the lock.
#ifndef TPRT_PATCH_SITE_PLAN_H
#define TPRT_PATCH_SITE_PLAN_H

#include "actions/action_list.h"
#include "base/page_memo.h"
#include "sites/arch.h"
#include "sites/site.h"
#include "text/stub_regions.h"

namespace tprt {

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
// no island. Returns 0 if the island is not reserved, or if `to` is 0.
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

// Whether the site's sled leads to one of the site's stubs now. The site's
// module is loaded, and the caller keeps the module loaded until this function
// returns.
bool isFlipped(const tprt_site &site, PageMemo &memo);

} // namespace tprt

#endif
