// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The refused sites that the answer to an attach names. On the work thread.
#ifndef TPRT_CONTROL_REFUSED_SITES_H
#define TPRT_CONTROL_REFUSED_SITES_H

#include "control/selection.h"
#include "sites/site.h"
#include "tprt/control_wire.h"

namespace tprt {

// Refused sites of different functions.
struct RefusedSites {
  uint32_t numbers[TPRT_CONTROL_MOST_REFUSED];
  uint32_t count = 0;

  // Returns whether there is room for more.
  bool add(const tprt_site &site) {
    for (uint32_t i = 0; i < count; ++i)
      if (isOfSameFunction(site, sites[numbers[i]]))
        return true;
    numbers[count++] = indexOf(&site);
    return count < TPRT_CONTROL_MOST_REFUSED;
  }

private:
  static bool isOfSameFunction(const tprt_site &a, const tprt_site &b) {
    return a.moduleNumber == b.moduleNumber &&
           a.isOfFunction() == b.isOfFunction() &&
           (a.isOfFunction() ? a.functionAt == b.functionAt
                             : a.pointGroup == b.pointGroup);
  }
};

// Finds the first sites that the last attach of a selection has refused. An
// attach clears the refusal of each site that it turns on.
inline void findRefused(const Selection &selection, RefusedSites &to) {
  for (uint32_t i = 0; i < selectorsOf(selection); ++i) {
    SelectorOf of(selection, i);
    tprt_site_visit(
        &of.selector,
        [](const tprt_site *site, void *data) {
          bool isRefused = __atomic_load_n(&site->refusal, __ATOMIC_RELAXED);
          return isRefused && !static_cast<RefusedSites *>(data)->add(*site)
                     ? 1
                     : 0;
        },
        &to);
    if (to.count == TPRT_CONTROL_MOST_REFUSED)
      return;
  }
}

} // namespace tprt

#endif
