// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The array of sites and the table of modules' places; see site.h.
#include "base/os_memory.h"
#include "base/page_size.h"
#include "sites/site.h"

namespace tprt {

tprt_site *sites;
uint32_t siteCount;
ModulePlace **moduleAt;

bool reserveSites() {
  if (__atomic_load_n(&sites, __ATOMIC_ACQUIRE))
    return true;
  auto *mine = static_cast<tprt_site *>(startRange(pageBytes()));
  tprt_site *none = nullptr;
  if (mine && !__atomic_compare_exchange_n(&sites, &none, mine, false,
                                           __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    freePages(mine, pageBytes());
  return mine != nullptr;
}

} // namespace tprt
