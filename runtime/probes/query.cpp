// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The API calls that only read: sites, counts, statistics. Called on any
// thread. describeSite() and tprt_site_original() may be called in handlers.
#include "probes/query.h"
#include "actions/probe.h"
#include "base/cancel.h"
#include "base/os_thread.h"
#include "base/page_memo.h"
#include "base/small_alloc.h"
#include "elf/symbols.h"
#include "loader/choose_and_pin.h"
#include "modules/point_groups.h"
#include "patch/batch.h"
#include "patch/overlap.h"
#include "patch/probe_counts.h"
#include "probes/api.h"
#include "probes/no_match.h"
#include "probes/refresh.h"
#include "text/inline_stubs.h"
#include "text/stub_regions.h"
#include "threads/lock.h"
#include "threads/status.h"
#include "threads/thread_block.h"

namespace tprt {

// Defined here, because handlers may call it: this file is compiled without a
// sanitizer's calls, see Sanitize.cmake.
bool mayBeSite(const tprt_site *site) {
  const tprt_site *first = __atomic_load_n(&sites, __ATOMIC_ACQUIRE);
  uint64_t at =
      reinterpret_cast<uint64_t>(site) - reinterpret_cast<uint64_t>(first);
  return first && at % sizeof *site == 0 &&
         at / sizeof *site < __atomic_load_n(&siteCount, __ATOMIC_ACQUIRE);
}

const char *nameOf(const tprt_site &site) {
  const Module *module = site.module();
  if (!site.isOfFunction())
    return nameOf(descriptorOf(site));
  uint32_t place = placeOf(site);
  if (site.isInstruction()) {
    module = module->outer;
    uint32_t first =
        module
            ? functionFrom(module, reinterpret_cast<uint64_t>(site.function()))
            : 0;
    if (!module || first == module->byFunction.size() ||
        sites[module->byFunction[first]].functionAt != site.functionAt)
      return nullptr;
    place = module->byFunction[first] - module->firstSite;
  }
  uint32_t at = place < module->nameAt.size() ? module->nameAt[place] : 0;
  return at ? module->strings.begin() + at - 1 : nullptr;
}
} // namespace tprt

using namespace tprt;

tprt_status tprt_module_refresh() {
  if (insideHandler())
    return fail(TPRT_STATUS_IN_HANDLER,
                "refreshing is not allowed from inside a handler");
  CancelDisabled uncancelled;
  tprt_status later = TPRT_STATUS_OK;
  tprt_status status = refreshModules(nullptr, &later);
  return status == TPRT_STATUS_OK ? later : status;
}

namespace tprt {
namespace {
struct Count {
  uint32_t site;
  uint64_t count;
};

// The resources of a call while its callbacks run. Cancellation, an exception
// or longjmp may end a callback early. So the Visit lies in the runtime's
// memory, and its thread has a pointer to it. If a callback ends early, the
// resources are released when the thread ends. (pthread_cleanup_push would
// release them only at a cancellation. After an exception or a longjmp its
// handler would use a stack frame that no longer exists.)
struct Visit {
  Visit *outer; // the visit whose callback made this visit's call
  Array<uint32_t> found;
  Array<Count> counts;
  bool reading; // registered as a reader of the modules of `found`

  tprt_status select(const tprt_selector *selector);
  void read(bool more);
};
} // namespace

static ThreadKey visitsKey;

static Visit *beginVisit() {
  Lock lock;
  auto *visit = static_cast<Visit *>(allocateSmall(sizeof(Visit)));
  if (visit) {
    visit->outer = static_cast<Visit *>(threadValue(visitsKey));
    setThreadValue(visitsKey, visit);
  }
  return visit;
}

static void freeVisit(Visit *visit) {
  Lock lock;
  if (visit->reading)
    visit->read(false);
  visit->~Visit();
  freeSmall(visit, sizeof(Visit));
}

// Ends a visit, and any visits inside it whose callbacks ended early.
static void endVisit(Visit *visit) {
  Visit *outer = visit->outer;
  for (auto *at = static_cast<Visit *>(threadValue(visitsKey));
       at && at != visit;) {
    Visit *left = at;
    at = at->outer;
    freeVisit(left);
  }
  freeVisit(visit);
  setThreadValue(visitsKey, outer);
}

void startVisits() {
  makeThreadKey(visitsKey, [](void *visits) {
    for (auto *at = static_cast<Visit *>(visits); at;) {
      Visit *left = at;
      at = at->outer;
      freeVisit(left);
    }
  });
}

// Registers the visit as a reader of the modules of `found`, or ends the
// registration. A visit does not pin modules, so dlclose unloads them as usual.
// But their names, segments and sites are kept until the visit ends. Called
// under the lock.
void Visit::read(bool more) {
  for (size_t i = 0; i < found.size();) {
    Module *module = sites[found[i]].module();
    module->readers += more ? 1u : ~0u;
    if (module->outer)
      module->outer->readers += more ? 1u : ~0u;
    i = endOfModule(found, i, module);
  }
  reading = more;
}

tprt_status Visit::select(const tprt_selector *selector) {
  Pattern pattern{};
  FoundNames names;
  Pins none; // the modules need not stay loaded: see read()
  bool known;
  {
    Lock lock;
    known = readSelector(selector, pattern);
  }
  tprt_status status = TPRT_STATUS_OK;
  chooseAndPin(
      none,
      [&] { return known && names.find(pattern) && readInner(pattern, names); },
      [&](Round round) {
        Selected selected = selectSites(pattern, names, round.mayWait, found);
        if (selected == Selected::Again)
          return false;
        if (selected == Selected::NoMemory || !round.memory)
          status =
              fail(TPRT_STATUS_NO_MEMORY, "no memory for the list of sites");
        else if (found.empty())
          status = explainNothing(pattern, names);
        else
          read(true);
        freePattern(pattern);
        return true;
      });
  return status;
}
} // namespace tprt

tprt_status tprt::visitSites(const tprt_selector *selector,
                             tprt_site_visitor visit, void *data, bool inside) {
  if (!visit)
    return fail(TPRT_STATUS_INVALID_ARGUMENT,
                "visiting sites needs a function to call");
  CancelDisabled uncancelled;
  tprt_status status = beginToSelect(selector, inside, "visiting sites");
  if (status != TPRT_STATUS_OK)
    return status;
  Visit *state = beginVisit();
  if (!state)
    return fail(TPRT_STATUS_NO_MEMORY, "no memory for the list of sites");
  status = state->select(selector);
  if (status == TPRT_STATUS_OK) {
    uncancelled.restore();
    // This runs without the lock, because `visit` may make further calls.
    for (uint32_t index : state->found)
      if (visit(&sites[index], data))
        break;
    uncancelled.disable();
  }
  endVisit(state);
  return status;
}

// The value of tprt_site_info.state. The state is read from the site's own
// bytes, if these may be read. While a probe holds the site's module, the
// module cannot be unloaded. Called under the lock.
static uint8_t enabledNow(const tprt_site &site, PageMemo &memo) {
  const Module *module = site.module();
  bool stays = module->holders || module->executable;
  if (!site.enabled || !module->loaded || (stays && !isFlipped(site, memo)))
    return TPRT_SITE_STATE_OFF;
  return isTrapped(site) ? TPRT_SITE_STATE_TRAP : TPRT_SITE_STATE_ON;
}

// Returns false if this thread is in no handler, or has unwound all of its
// handlers. Unlike insideHandler(), this function makes no system call, because
// handlers use it to describe their sites.
static bool mayBeInside() {
  const Thread *self = knownThread();
  return self && __atomic_load_n(&self->guard, __ATOMIC_RELAXED);
}

// The value of tprt_site_info.state inside a handler, without the lock: the
// state that the last batch stored.
static uint8_t enabledLast(const tprt_site &site) {
  uint8_t enabled = __atomic_load_n(&site.enabled, __ATOMIC_RELAXED);
  return enabled && isTrapped(site) ? uint8_t{TPRT_SITE_STATE_TRAP} : enabled;
}

static void describePoint(const tprt_site &site, tprt_site_info &info) {
  const tprt_descriptor &descriptor = descriptorOf(site);
  info.kind = TPRT_KIND_POINT;
  info.file = fileOf(descriptor);
  info.line = descriptor.line;
  info.style = descriptor.style;
  info.format = formatOf(descriptor);
  info.types = typesOf(descriptor);
  info.descriptor = &descriptor;
}

tprt_status tprt::describeSite(const tprt_site *site, tprt_site_info &info,
                               uint64_t here) {
  if (!isSite(site))
    return insideHandlerAt(here) ? TPRT_STATUS_INVALID_ARGUMENT
                                 : fail(TPRT_STATUS_INVALID_ARGUMENT,
                                        "the pointer is not a site");
  Module *module = site->module();
  uint8_t enabled = enabledLast(*site);
  bool looks = enabled && !mayBeInside();
  if (looks || (!__atomic_load_n(&module->symbolsRead, __ATOMIC_ACQUIRE) &&
                !insideHandlerAt(here))) {
    Lock lock;
    PageMemo memo;
    readSymbols(module);
    enabled = enabledNow(*site, memo);
  }
  info = {site->sled(),
          site->isOfFunction() ? site->function() : nullptr,
          nameOf(*site),
          module->path,
          static_cast<uint8_t>(site->event.kind),
          static_cast<uint8_t>(site->shape()),
          static_cast<uint8_t>(site->live()),
          site->needs,
          enabled,
          static_cast<tprt_refusal>(
              __atomic_load_n(&site->refusal, __ATOMIC_RELAXED)),
          nullptr,
          0,
          0,
          nullptr,
          nullptr,
          nullptr};
  if (!site->isOfFunction())
    describePoint(*site, info);
  return module->loaded ? TPRT_STATUS_OK : TPRT_STATUS_INVALID_ARGUMENT;
}

// Whether a thread can continue in the function from the site's stub. From a
// far stub the thread returns through the veneer, which is written at the
// attach.
static bool canComeBack(const tprt_site &site) {
  const Module *module = site.module();
  const StubRegion *region = regionAt(module, placeOf(site));
  return region &&
         (!region->isFar() ||
          isVeneerWritten(site, module->origin, region->stub(placeOf(site))));
}

const void *tprt_site_original(const tprt_site *site) {
  if (!isSite(site)) {
    if (!insideHandler())
      fail(TPRT_STATUS_INVALID_ARGUMENT, "the pointer is not a site");
    return nullptr;
  }
  // A replacement may call this function while the thread is inside a handler.
  // In that case this thread never has the lock.
  Lock lock;
  return isUsable() && canComeBack(*site) ? originalOf(*site) : nullptr;
}

// Whether the probe is a counting probe. Called under the lock.
static bool hasCounts(const tprt_probe *probe) {
  if (isProbe(probe))
    return probe->action.kind == TPRT_ACTION_COUNT;
  fail(TPRT_STATUS_INVALID_ARGUMENT,
       "counts need a probe that attach returned and that is still attached");
  return false;
}

uint64_t tprt_probe_count(const tprt_probe *probe) {
  if (insideHandler())
    return 0;
  Lock lock; // Otherwise a module loaded in the meantime would add sites.
  if (!isUsable())
    return 0;
  uint64_t sum = 0;
  if (hasCounts(probe))
    visitCounts(*probe, [&](uint32_t, uint64_t count) { sum += count; });
  return sum;
}

void tprt_probe_visit_counts(const tprt_probe *probe, tprt_count_visitor visit,
                             void *data) {
  if (insideHandler())
    return;
  if (!visit) {
    fail(TPRT_STATUS_INVALID_ARGUMENT,
         "visiting counts needs a function to call");
    return;
  }
  CancelDisabled uncancelled;
  Visit *state = beginVisit();
  if (!state)
    return;
  {
    Lock lock;
    if (isUsable() && hasCounts(probe))
      visitCounts(*probe, [&](uint32_t site, uint64_t count) {
        state->counts.push({site, count}); // full, or no memory
      });
  }
  uncancelled.restore();
  // This runs without the lock, because `visit` may query a site's name.
  for (const Count &c : state->counts)
    if (visit(&sites[c.site], c.count, data))
      break;
  uncancelled.disable();
  endVisit(state);
}

void tprt::readStats(tprt_stats &stats) {
  stats = tprt_stats{};
  PageMemo memo;
  Lock lock;
  for (const Module *m = modules; m && isUsable(); m = m->next) {
    if (!m->loaded || m->fault)
      continue;
    stats.modules += m->siteCount || !m->patchable;
    for (uint32_t i = 0; i < m->siteCount; ++i) {
      const tprt_site &site = sites[m->firstSite + i];
      stats.sites += !site.isStaticBranch();
      stats.enabled += !site.isStaticBranch() && enabledNow(site, memo) != 0;
    }
  }
  stats.bad_modules = badModules;
  stats.missed = sumMissed();
  stats.stub_bytes = stubBytes();
}
