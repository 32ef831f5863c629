// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sites of a process by their numbers. A number that is not known makes the
// list be asked for again: a library was loaded.

#ifndef TPCTL_LIVE_NAMES_H
#define TPCTL_LIVE_NAMES_H

#include "Requests.h"
#include <map>

namespace tpctl {

class SiteNames {
public:
  SiteNames(const Patterns &P, uint32_t Kinds) : P(P), Kinds(Kinds) {}

  llvm::Error load(Connection &C) {
    auto Sites = listSites(C, P, Kinds);
    if (!Sites)
      return Sites.takeError();
    for (LiveSite &S : *Sites)
      Known.insert_or_assign(S.Number, std::move(S));
    return llvm::Error::success();
  }
  llvm::Expected<const LiveSite *> find(Connection &C, uint32_t Number) {
    auto At = Known.find(Number);
    if (At == Known.end()) {
      if (llvm::Error E = load(C))
        return E;
      At = Known.find(Number);
    }
    if (At == Known.end()) { // its library was unloaded again
      At = Known.try_emplace(Number).first;
      At->second.Name = "site " + std::to_string(Number);
    }
    return &At->second;
  }

private:
  const Patterns &P;
  uint32_t Kinds;
  std::map<uint32_t, LiveSite> Known;
};

} // namespace tpctl

#endif
