// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The numbers that modules, sites and points have in the recording's file.
#ifndef TPRT_RECORD_SITE_NUMBERS_H
#define TPRT_RECORD_SITE_NUMBERS_H

#include "modules/module.h"
#include "record/recorded_probe.h"

namespace tprt {

// The numbers of one load of a module. It is made at the first question, also
// in hits, and freed when the recording ends.
struct ModuleRecord {
  uint64_t adopted; // The module's epoch.
  size_t bytes;     // Of this memory.
  uint32_t number, firstSite, firstPoint;
  bool described; // The MODULE record and the points are written.
  // One for each site. It combines the enum tprt_trace_what of the site's
  // events (0: not known yet), kDescribed, and the number of the probe that
  // records it (kNoProbe: none does).
  uint8_t sites[];
};
constexpr uint8_t kWhatBits = 3, kDescribed = 4;
constexpr unsigned kProbeShift = 3, kNoProbe = 0, kMostProbes = 31;

// nullptr: no memory. In hits.
ModuleRecord *recordOf(const tprt_site &site);
// nullptr: recordOf() has to make it.
ModuleRecord *knownRecordOf(const tprt_site &site);
// What an event of the site says; 0: another probe records the site, nobody
// does yet, or nobody does at all. In hits.
unsigned whatOf(ModuleRecord &module, const tprt_site &site,
                const RecordedProbe &probe);
// The three functions of actions/record_hook.h. Under the lock.
uint32_t wordOf(const tprt_site &site, void *data);
void describe(const Module *module, const uint32_t *sites, size_t count,
              void *data);
void unloaded(const Module *module);
// Describes what is not described yet of a probe's sites. Under the lock.
void describeProbe(const RecordedProbe &probe);
// Lets the recording of functions without sleds begin. Under the lock, after
// the attach.
void beginCode(RecordedProbe &probe);
void freeModuleRecords();

} // namespace tprt

#endif
