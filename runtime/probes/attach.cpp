// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attach: selects sites, prepares and flips them as one batch (batch.h
// describes the order of writes), and reports which sites were refused and why.
// Called on any thread, but not in a handler. Acquires the lock after it has
// walked the loader's list without the lock.
#include "probes/attach.h"
#include "base/cancel.h"
#include "base/os_process.h"
#include "base/os_thread.h"
#include "base/small_alloc.h"
#include "code/code_modules.h"
#include "elf/bolt.h"
#include "elf/symbols.h"
#include "loader/choose_and_pin.h"
#include "loader/module_list.h"
#include "patch/batch.h"
#include "patch/overlap.h"
#include "patch/uprobe_thread.h"
#include "probes/api.h"
#include "probes/detach.h"
#include "probes/no_match.h"
#include "probes/pending_probes.h"
#include "probes/refresh.h"
#include "text/pc_map.h"
#include "text/stub_regions.h"
#include "threads/lock.h"
#include "threads/status.h"
#include "threads/thread_block.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

namespace tprt {

// Whether the probe's action is at the site.
static bool isOn(const tprt_site &site, const tprt_probe *probe) {
  const ActionList *actionList = actionListOf(site);
  return actionList && contains(actionList, probe);
}

// Removes the refused sites from the probe's list. If the batch was cut short,
// also removes the sites that it did not reach.
static void compact(Batch &batch, Flipped flipped) {
  tprt_probe *probe = batch.probe;
  const bool cutShort = flipped != Flipped::All;
  if (!batch.result->refused && !cutShort)
    return;
  size_t kept = batch.first;
  bool counting = !probe->baselines.empty();
  for (size_t i = kept; i < probe->sites.size(); ++i) {
    uint32_t index = probe->sites[i];
    if (index == Batch::kDropped || (cutShort && !isOn(sites[index], probe)))
      continue;
    probe->sites[kept] = index;
    if (counting)
      probe->baselines[kept] = probe->baselines[i];
    ++kept;
  }
  probe->sites.resize(kept);
}

// What the message says of the sites that were refused for other reasons than
// the first one: how many there are, and the most frequent reason, up to its
// first comma or semicolon. Empty if there are none.
static void explainOthers(const Batch &batch, char (&out)[160]) {
  const tprt_result &result = *batch.result;
  const size_t others = result.refused - batch.refusals[result.first_refusal];
  *out = 0;
  if (!others)
    return;
  uint32_t most = 0;
  const char *reason = nullptr;
  for (uint32_t i = 0; i < sizeof batch.refusals / sizeof *batch.refusals; ++i)
    if (i != static_cast<uint32_t>(result.first_refusal) &&
        batch.refusals[i] > most) {
      most = batch.refusals[i];
      reason = tprt_refusal_string(static_cast<tprt_refusal>(i));
    }
  int length = 0;
  while (reason[length] && reason[length] != ',' && reason[length] != ';')
    ++length;
  if (most == others)
    snprintf(out, sizeof out, "; %zu for another reason: %.*s", others, length,
             reason);
  else
    snprintf(out, sizeof out, "; %zu for other reasons, %u of them: %.*s",
             others, most, length, reason);
}

// The site's place in its function, as in +0x10. Empty at an entry, at a point,
// and where the function begins.
static void explainOffset(const tprt_site &site, char (&out)[24]) {
  *out = 0;
  if (site.isOfFunction() && site.event.kind != TPRT_KIND_ENTRY &&
      site.sledAt > site.functionAt)
    snprintf(out, sizeof out, "+0x%x", site.sledAt - site.functionAt);
}

static tprt_status explain(const Batch &batch) {
  const tprt_result &result = *batch.result;
  const tprt_site *site = result.first_refused;
  Module *module = site->module();
  tprt_status status = result.enabled ? TPRT_STATUS_PARTIAL
                       : result.first_refusal == TPRT_REFUSAL_PERMISSION
                           ? TPRT_STATUS_NO_PERMISSION
                           : TPRT_STATUS_REFUSED;
  readSymbols(module);
  const char *name = nameOf(*site);
  // A long name must not crowd the reason out of the text, so the text has only
  // the path's end.
  constexpr size_t kLongest = 80;
  size_t length = strlen(module->path);
  size_t cut = length > kLongest ? length - kLongest : 0;
  // BOLT's other mode writes new code over the old code.
  bool bolt = result.first_refusal == TPRT_REFUSAL_BYTES && sawBolt(module);
  char others[160];
  explainOthers(batch, others);
  char offset[24];
  explainOffset(*site, offset);
  return fail(status,
              "%zu of %zu site%s refused, the first %.80s%s (%p in %s%s): "
              "%s%s%s",
              result.refused, result.matched, result.matched == 1 ? "" : "s",
              name ? name : "without a name", name ? offset : "",
              static_cast<const void *>(site->sled()), cut ? "..." : "",
              module->path + cut, tprt_refusal_string(result.first_refusal),
              bolt ? "; BOLT has rewritten this file: keep it off instrumented "
                     "functions (--skip-funcs)"
                   : "",
              others);
}

// One attempt to attach, under the lock. Returns false if names have to be
// found or modules pinned first, which happens without the lock. If `mayWait`
// is false, leaves out modules that are not ready.
static bool attachLocked(tprt_probe *probe, const FoundNames &names, Pins &pins,
                         bool mayWait, tprt_result &result,
                         tprt_status &status) {
  // If no module was loaded or unloaded, the last selection is still valid.
  Selected selected = Selected::All;
  if (!mayWait || probe->seen != epoch)
    selected = selectSites(probe->pattern, names, mayWait, probe->sites);
  if (selected == Selected::All && !wantPins(probe->sites, 0, pins))
    selected = Selected::NoMemory;
  probe->seen = selected == Selected::All ? epoch : 0;
  if (mayWait && (selected == Selected::Again || pins.wantsAny()))
    return false;
  bool found = !probe->sites.empty();
  dropUnpinned(probe->sites, 0, pins);
  if (selected != Selected::All || !reserveHolds(probe, 0)) {
    status = fail(TPRT_STATUS_NO_MEMORY, "no memory for the list of sites");
    return true;
  }
  if (!probe->sites.empty())
    status = enableSites(probe, 0, result);
  else if (found)
    status = fail(TPRT_STATUS_NO_MATCH,
                  "the modules with matching sites are being unloaded");
  else
    status = explainNothing(probe->pattern, names);
  if (status == TPRT_STATUS_REFUSED && !result.matched)
    result.first_refusal = TPRT_REFUSAL_BOUNDARY;
  holdModules(probe, 0, pins);
  bool waits = !result.matched && probe->pattern.flags & TPRT_SELECT_AWAIT;
  if (probe->pattern.mayGrow() && (result.enabled || waits))
    addPending(probe);
  return true;
}

static tprt_probe *makeProbe(const tprt_selector *selector,
                             const tprt_action &action) {
  Lock lock;
  tprt_probe *probe = makeProbe();
  if (!probe)
    return nullptr;
  probe->action = action;
  bool hasKey = action.every <= 1 || (probe->everyKey = takeEveryKey());
  if (hasKey && readSelector(selector, probe->pattern)) {
    const Pattern &pattern = probe->pattern;
    if (pattern.kinds & TPRT_KIND_SET_POINT &&
        (pattern.isByPattern() || pattern.point) &&
        action.kind == TPRT_ACTION_CALL)
      probe->pattern.kinds |= 1u << kLoneTest;
    return probe;
  }
  giveEveryKey(probe->everyKey);
  endProbe(probe);
  return nullptr;
}

// Performs the whole attach. If the probe is on at a site, or waits for sites,
// stores the probe in *place.
static tprt_status attachProbe(tprt_probe *probe, tprt_result &result,
                               tprt_probe **place, bool &stays) {
  Pins pins;
  FoundNames names;
  tprt_status status = TPRT_STATUS_OK;
  chooseAndPin(
      pins,
      [&] {
        return names.find(probe->pattern) && readInner(probe->pattern, names);
      },
      [&](Round round) {
        if (!round.memory) {
          status =
              fail(TPRT_STATUS_NO_MEMORY, "no memory for the list of sites");
          return true;
        }
        probe->pattern.isWhole |= names.isWhole();
        if (!attachLocked(probe, names, pins, round.mayWait, result, status))
          return false;
        if ((stays = result.enabled || probe->pending))
          *place = probe;
        return true;
      });
  return status;
}

static tprt_status statusOf(Flipped flipped, const Batch &batch) {
  const tprt_result &result = *batch.result;
  switch (flipped) {
  case Flipped::NotSynchronised:
    return fail(TPRT_STATUS_NO_BARRIER,
                "membarrier failed in the middle of an operation (errno %d)",
                errno);
  case Flipped::NoMemory:
    return fail(result.enabled ? TPRT_STATUS_PARTIAL : TPRT_STATUS_NO_MEMORY,
                "no memory for the probe's actions: on at "
                "%zu of %zu site%s",
                result.enabled, result.matched, result.matched == 1 ? "" : "s");
  case Flipped::All:
    break;
  }
  return result.refused ? explain(batch) : TPRT_STATUS_OK;
}

// A debugger that can see stubs also gets the names of their functions. The
// attach itself may have needed no names: for example, an attach to all
// functions or to an address.
static void readNamesForDebuggers(const tprt_probe &probe, size_t first) {
  for (size_t i = first; pcMapChanged && i < probe.sites.size(); ++i)
    readSymbols(sites[probe.sites[i]].module());
}

tprt_status enableSites(tprt_probe *probe, size_t first, tprt_result &result) {
  readNamesForDebuggers(*probe, first);
  Batch batch{probe, Direction::On, &result, first};
  result.matched = probe->sites.size() - first;
  if (!batch.open() ||
      (probe->action.kind == TPRT_ACTION_COUNT &&
       (!probe->baselines.resize(probe->sites.size()) || !prepareCounters())))
    return fail(TPRT_STATUS_NO_MEMORY, "no memory for the probe's lists");
  tryHitCalls();
  if (batch.prepareStubs()) {
    Flipped flipped = batch.flip();
    compact(batch, flipped);
    result.enabled = probe->sites.size() - first;
    return statusOf(flipped, batch);
  }
  int fault = errno;
  if (const char *why = whyNoTrial())
    return fail(TPRT_STATUS_NO_BARRIER,
                "under a seccomp filter, system calls are first tried in a "
                "child process, which can't be created now: %s",
                why);
  return fail(TPRT_STATUS_NO_BARRIER,
              "membarrier(PRIVATE_EXPEDITED_SYNC_CORE) failed (errno %d): "
              "code can't be "
              "changed safely here; a seccomp filter, or Linux before 4.16?",
              fault);
}

static const char *actionFault(const tprt_action &action) {
  bool calls = action.kind == TPRT_ACTION_CALL,
       redirects = action.kind == TPRT_ACTION_REDIRECT;
  if (action.kind > TPRT_ACTION_SKIP)
    return "has an unknown kind";
  if (action.flags & ~uint32_t{TPRT_HANDLER_GENERAL_REGS_ONLY |
                               TPRT_HANDLER_CHANGES_REGS | TPRT_HANDLER_TIME})
    return "has unknown flags";
  if (calls && !action.handler)
    return "calls a handler, but has none";
  if (redirects && !action.replacement)
    return "redirects to a replacement, but has none";
  if ((!calls && (action.handler || action.flags || action.every)) ||
      (!redirects && action.replacement))
    return "has fields that its kind does not use";
  return nullptr;
}

// A redirection and a skip need no stack of the program.
static bool runsStub(tprt_action_kind kind) {
  return kind == TPRT_ACTION_CALL || kind == TPRT_ACTION_COUNT;
}

} // namespace tprt

using namespace tprt;

tprt_status tprt::attach(const tprt_selector *selector,
                         const tprt_action *action, tprt_probe **probe,
                         tprt_result &out, bool inside, Handler handler) {
  if (!probe || !action)
    return fail(TPRT_STATUS_INVALID_ARGUMENT,
                "attach needs an action and a place to store the probe");
  if (const char *fault = actionFault(*action))
    return fail(TPRT_STATUS_INVALID_ARGUMENT, "the action %s", fault);
  testCancel(); // only here, because the thread holds no resources yet
  CancelDisabled uncancelled;
  constexpr uint32_t kByTraps = TPRT_SELECT_CODE | TPRT_SELECT_TRAPS;
  if (kHasTraps && selector && (selector->flags & kByTraps) == kByTraps &&
      !inside)
    guardTraps();
  tprt_status status = beginToSelect(selector, inside, "attach");
  if (status != TPRT_STATUS_OK)
    return status;
  if (runsStub(action->kind) && !inside)
    guardOverflows();
  tprt_probe *made = makeProbe(selector, *action);
  if (!made)
    return fail(TPRT_STATUS_NO_MEMORY,
                "no memory for a probe, or 4096 probes with an `every` are "
                "attached: detach one");
  made->keepsVectors = handler == Handler::KeepsVectors;
  made->byThread = handler == Handler::CountsByThread;
  bool stays = false;
  status = attachProbe(made, out, probe, stays);
  if (!stays)
    freeProbe(made);
  keepWatch();
  return status;
}
