// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libtprt's side of extension.h. When the library is loaded, it looks for
// TPRT_OPTIONS, and opens libtprt-options.so if the variable is set. The
// variable is ignored in programs that gain privileges (AT_SECURE).
#include "options/extension.h"
#include "actions/probe.h"
#include "code/code_modules.h"
#include "elf/symbols.h"
#include "modules/point_groups.h"
#include "patch/probe_counts.h"
#include "patch/uprobe_thread.h"
#include "text/pun_islands.h"
#include "text/stubs.h"
#include "threads/status.h"

#include <stdlib.h>

#include <errno.h>

namespace tprt {

const Hooks *hooks;

static void exclude(const char *const *globs, size_t count) {
  excludedNames = globs;
  excludedCount = count;
}

static void look(const tprt_site *site, SiteFacts &facts) {
  const Module *module = site->module();
  bool read = __atomic_load_n(&module->symbolsRead, __ATOMIC_ACQUIRE);
  facts.point = site->isOfFunction() ? nullptr : &descriptorOf(*site);
  facts.name = facts.point ? nameOf(*facts.point)
               : read      ? nameOf(*site)
                           : nullptr;
  facts.module = module;
  facts.path = module->path;
  facts.function = site->isOfFunction() ? site->function() : site->sled();
  facts.index = indexOf(site);
  facts.isEntry = site->event.kind == TPRT_KIND_ENTRY;
  facts.isInstruction = site->event.kind == TPRT_KIND_INSTRUCTION;
  facts.offset = site->sled() - static_cast<const uint8_t *>(facts.function);
  facts.hasSymbols = read && !module->strings.empty();
}

static void visitCounts(const tprt_probe *probe,
                        void (*tell)(const tprt_site *, uint64_t, void *),
                        void *data) {
  tprt::visitCounts(*probe, [=](uint32_t site, uint64_t count) {
    tell(&sites[site], count, data);
  });
  // Those at which it does not count yet.
  for (size_t i = countedSites(*probe); i < probe->sites.size(); ++i)
    tell(&sites[probe->sites[i]], 0, data);
}

static bool haveSites() {
  for (const Module *m = modules; m; m = m->next)
    if (m->loaded && m->siteCount)
      return true;
  return false;
}

static void visitStubPaths(void (*tell)(uint64_t start, size_t bytes,
                                        const char *path, void *data),
                           void *data) {
  struct Told {
    decltype(tell) call;
    void *data;
  } told{tell, data};
  tprt::visitStubs(
      [](uint64_t start, size_t bytes, const Module *module, void *data) {
        const auto &told = *static_cast<const Told *>(data);
        told.call(start, bytes, module->path, told.data);
      },
      &told);
}

static void watchPcMap(void (*changed)()) {
  Lock lock;
  pcMapChanged = changed;
}

static void lock() {
  noticeProcess(true);
  takeLock();
}

static constexpr Runtime handed = {
    .head = {sizeof(Runtime), kExtensionVersion},
    .versionString = tprt_version_string,
    .attach = tprt_probe_attach,
    .visitSites = tprt_site_visit,
    .describe = tprt_site_describe,
    .readStats = tprt_stats_read,
    .refreshModules = tprt_module_refresh,
    .lastError = tprt_error_string,
    .ticksToNs = tprt_ticks_to_ns,
    .demangle = tprt_name_demangle,
    .shortenName = tprt_name_shorten,
    .printHit = tprt_point_print,
    .watchUsdt = tprt_usdt_watch,
    .translateSignals = tprt_signal_translate,
    .startRecording = tprt_recording_start,
    .awaitRecording = tprt::awaitRecording,
    .addToRecording = tprt::addToRecording,
    .startControl = tprt::startControl,
    .cutName = tprt::cutName,
    .makeTimed = tprt::makeTimed,
    .attachTimed = tprt::attachTimed,
    .sumTimed = tprt::sumTimed,
    .lostTimed = tprt::lostTimed,
    .findWithoutExits = tprt::findWithoutExits,
    .standardError = tprt::standardError,
    .keepStandardError = tprt::keepStandardError,
    .writeAll = tprt::writeAll,
    .ownErrno = [] { return &errno; },
    .verbosity = &tprt::verbosity,
    .oneByte = &tprt::oneByte,
    .startsWatch = &tprt::startsWatch,
    .takeLock = lock,
    .tryLock = tprt::tryLock,
    .giveLock = tprt::giveLock,
    .exclude = exclude,
    .asksForInstructions = tprt::asksForInstructions,
    .look = look,
    .visitCounts = visitCounts,
    .haveSites = haveSites,
    .visitStubs = visitStubPaths,
    .visitPcMap = visitPcMap,
    .watchPcMap = watchPcMap,
    .interposes = interposes,
};

void startOptions() {
  const char *text = secure_getenv("TPRT_OPTIONS");
  if (!text || !*text)
    return;
  hooks = openExtension(handed, text);
}

} // namespace tprt
