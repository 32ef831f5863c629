// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sites of a process by their numbers. If a number is unknown, a library
// was loaded, so tpctl requests the list again.

#ifndef TPCTL_LIVE_TARGETS_NAMES_H
#define TPCTL_LIVE_TARGETS_NAMES_H

#include "live/requests/Requests.h"
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
  /// Requests only the unknown ones of these sites.
  llvm::Error learn(Connection &C, llvm::ArrayRef<uint32_t> Numbers) {
    std::vector<uint32_t> Unknown;
    for (uint32_t Number : Numbers)
      if (!Known.count(Number))
        Unknown.push_back(Number);
    auto Sites = listNumbered(C, Unknown);
    if (!Sites)
      return Sites.takeError();
    for (LiveSite &S : *Sites)
      Known.insert_or_assign(S.Number, std::move(S));
    return llvm::Error::success();
  }
  /// The known facts about a site, without a request.
  const LiveSite &known(uint32_t Number) {
    auto [At, New] = Known.try_emplace(Number);
    if (New)
      At->second.Name = "site " + std::to_string(Number);
    return At->second;
  }
  llvm::Expected<const LiveSite *> find(Connection &C, uint32_t Number) {
    if (!Known.count(Number))
      if (llvm::Error E = load(C))
        return E;
    return &known(Number); // its library may have been unloaded
  }

private:
  const Patterns &P;
  uint32_t Kinds;
  std::map<uint32_t, LiveSite> Known;
};

} // namespace tpctl

#endif
