// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans one call of a profiler (mcount_calls.h). Such a site has three forms
// where others have two, and its action list says which:
//
//   on        some action has hits: a jump to the stub, by one of the means
//   skipped   the only actions skip the call: a harmless instruction
//   made      there is no action: the call, as the program had it
//
// One store leads from each form to each other one (arch/<name>/calls.cpp).
// Called under the lock.
#include "patch/skip_mcount.h"
#include "patch/overlap.h"
#include "patch/patch.h"

namespace tprt {

bool suitsCall(const tprt_site &site, const tprt_action &action) {
  const CodeSite &code = codeOf(site);
  if (action.kind == TPRT_ACTION_SKIP)
    return code.profiler != Profiler::None;
  if (!code.isInside)
    return true;
  // Inside its function, a function can't be replaced. In front of a call of
  // __cyg_profile_func_enter or _exit there are that call's arguments.
  return action.kind != TPRT_ACTION_REDIRECT &&
         code.profiler != Profiler::Enter && code.profiler != Profiler::Exit;
}

void Batch::planCall(SitePlan &plan, const TextWriter &writer) {
  tprt_site &site = *plan.site;
  const bool on = direction == Direction::On;
  site.setSkipped(plan.actionList->skips);
  auto refuse = [&](tprt_refusal reason) {
    plan.need = Need::Refused;
    plan.reason = reason;
  };
  // Another site's jump may end in the call's bytes.
  tprt_refusal beside = on ? takeCode(site) : TPRT_REFUSAL_NONE;
  if (beside != TPRT_REFUSAL_NONE)
    return refuse(beside);
  if (plan.actionList->hits) {
    // Where an action has hits, others neither come nor go by a store.
    if (on && probe->action.kind != TPRT_ACTION_SKIP)
      planSled(plan, writer);
    return;
  }
  uint64_t origin = writer.module->origin;
  tprt_refusal refusal = writer.judge(extentOf(site, origin));
  if (refusal != TPRT_REFUSAL_NONE)
    return refuse(refusal);
  plan.ways = anyWaysOf(site, plan.region);
  refusal = planCallOff(site, origin, plan.ways, &plan.toggle);
  if (!on && mayNeedTrap(refusal))
    return planTrapped(plan, refusal);
  if (refusal != TPRT_REFUSAL_NONE)
    return refuse(refusal);
  plan.need = needOf(plan.toggle.now, Direction::Off);
  if (plan.need == Need::Refused)
    plan.reason = TPRT_REFUSAL_BYTES;
}

} // namespace tprt
