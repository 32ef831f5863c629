// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes sites from a module's records, in one pass, because tables are
// megabytes. Called under the lock.
#include "loader/build_sites.h"
#include "base/os_memory.h"
#include "base/small_alloc.h"
#include "base/sort.h"
#include "elf/patchable_entries.h"
#include "modules/module.h"
#include "modules/point_table.h"
#include "modules/sled_table.h"
#include "sites/arch.h"

#include <string.h>

namespace tprt {

static void fillSite(tprt_site &site, Module *module, const tprt_record &record,
                     const RecordAddresses &at) {
  site.sledAt = static_cast<uint32_t>(at.sled - module->origin);
  site.functionAt = static_cast<uint32_t>(at.function - module->origin);
  site.moduleNumber = module->number;
  site.traits = record.traits;
  site.size = record.size;
  site.slot = record.slot;
  site.needs = record.needs & ~TPRT_RECORD_NEAR;
  site.event = {&site, static_cast<uint32_t>(TPRT_RECORD_KIND(record.traits)),
                record.traits & TPRT_RECORD_NO_VECTORS
                    ? 0u
                    : uint32_t{TPRT_EVENT_VECTORS}};
}

// At a point all registers are live, and no argument is in a vector register.
// makePoints() replaces the offset of the descriptor.
static void fillPoint(tprt_site &site, const Module *module, uint64_t sled,
                      uint64_t descriptor) {
  site.sledAt = static_cast<uint32_t>(sled - module->origin);
  site.pointGroup = static_cast<uint32_t>(descriptor - module->origin);
  site.moduleNumber = module->number;
  site.traits =
      TPRT_RECORD_TRAITS(TPRT_KIND_POINT, kPointShape) | TPRT_RECORD_NO_VECTORS;
  site.size = kPointSledBytes;
  site.needs = TPRT_NEEDS_OTHER;
  site.event = {&site, TPRT_KIND_POINT, 0};
}

static void fillPoints(Module *module, tprt_site *out) {
  for (PointRecords records(*module); records.next(); ++out)
    if (records.isStaticBranch()) {
      BranchAddresses at = addressesOf(records.branch());
      fillPoint(*out, module, at.branch, at.descriptor);
      out->event.kind = kStaticBranch;
      out->event.flags = static_cast<uint32_t>(at.target - module->origin);
    } else {
      PointAddresses at = addressesOf(records.sled());
      fillPoint(*out, module, at.sled, at.descriptor);
    }
}

// Sorts the sites' positions, and then moves each site once. Returns false if
// there is no memory for a copy.
static bool sortByMoving(tprt_site *out, uint32_t count) {
  Array<tprt_site> copy;
  Array<Keyed> order;
  if (!order.reserve(count) || !copy.append(out, count))
    return false;
  for (uint32_t i = 0; i < count; ++i)
    order.push({out[i].sledAt, i}); // reserved
  if (!sortByKey(order))
    return false;
  for (uint32_t i = 0; i < count; ++i)
    out[i] = copy[order[i].value];
  return true;
}

// Sorts the sites, and keeps one site per sled. Returns the number of remaining
// sites.
static uint32_t sortSites(tprt_site *out, uint32_t count) {
  if (!sortByMoving(out, count))
    heapSort(out, count, [](const tprt_site &a, const tprt_site &b) {
      return a.sledAt < b.sledAt;
    });
  uint32_t kept = 0;
  for (uint32_t i = 0; i < count; ++i)
    if (i == 0 || out[i].sledAt != out[kept - 1].sledAt) {
      out[kept] = out[i];
      out[kept].event.site = &out[kept];
      ++kept;
    }
  memset(static_cast<void *>(&out[kept]), 0, (count - kept) * sizeof *out);
  return kept;
}

uint32_t makeSites(Module *module, const uint64_t *patchable, tprt_site *out) {
  uint32_t count = module->recordCount,
           all = static_cast<uint32_t>(module->allRecords());
  populatePages(out, all * sizeof *out);
  if (patchable) {
    fillPatchable(module, patchable, count, out);
    module->kinds = 1 << TPRT_KIND_ENTRY;
    return sortSites(out, count);
  }
  bool ascending = true;
  unsigned events = 0;
  RecordAddresses at;
  // One pass does everything, because the records may be megabytes.
  for (uint32_t i = 0; i < count; ++i) {
    at.read(module->records[i]);
    fillSite(out[i], module, module->records[i], at);
    ascending &= i == 0 || out[i - 1].sledAt < out[i].sledAt;
    events |= 1u << out[i].event.kind;
  }
  if (all > count) {
    fillPoints(module, out + count);
    events |= 1u << TPRT_KIND_POINT | 1u << kStaticBranch;
    ascending = false;
  }
  module->kinds = static_cast<uint8_t>(events);
  return ascending ? count : sortSites(out, all);
}

} // namespace tprt
