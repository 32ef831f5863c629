// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sites of a process by their numbers. If a number is unknown, a library
// was loaded, so tpctl requests the list again.

#ifndef TPCTL_LIVE_TARGETS_NAMES_H
#define TPCTL_LIVE_TARGETS_NAMES_H

#include "live/requests/Requests.h"
#include "shared/Progress.h"
#include <chrono>
#include <map>
#include <set>

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
  /// These sites will be needed. The next calls of learn() request the unknown
  /// ones.
  void want(llvm::ArrayRef<uint32_t> Numbers) {
    for (uint32_t Number : Numbers)
      if (!Known.count(Number))
        Wanted.insert(Number);
  }
  /// Requests the wanted sites, page by page, until all are known or the time
  /// is over.
  llvm::Error learn(Connection &C,
                    std::chrono::steady_clock::time_point Until =
                        std::chrono::steady_clock::time_point::max()) {
    // A caller that gives a time continues later.
    std::optional<Progress> Shown;
    if (Until == std::chrono::steady_clock::time_point::max())
      Shown.emplace("names of " + C.name(), Wanted.size());
    const size_t All = Wanted.size();
    while (!Wanted.empty() && std::chrono::steady_clock::now() < Until) {
      std::vector<uint32_t> Page;
      auto End = Wanted.begin();
      for (; End != Wanted.end() && Page.size() != SitesPerPage; ++End)
        Page.push_back(*End);
      if (llvm::Error E = learnPage(C, Page))
        return E;
      Wanted.erase(Wanted.begin(), End);
      if (Shown)
        Shown->at(All - Wanted.size());
    }
    return llvm::Error::success();
  }
  /// Requests a site immediately, if it is unknown.
  llvm::Expected<const LiveSite *> learnOne(Connection &C, uint32_t Number) {
    if (!Known.count(Number))
      if (llvm::Error E = learnPage(C, Number))
        return E;
    return &known(Number);
  }
  bool lacks() const { return !Wanted.empty(); }
  /// Whether a site is known, or cannot be known.
  bool knows(uint32_t Number) const { return !Wanted.count(Number); }
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
  llvm::Error learnPage(Connection &C, llvm::ArrayRef<uint32_t> Numbers) {
    auto Sites = listNumbered(C, Numbers);
    if (!Sites)
      return Sites.takeError();
    for (LiveSite &S : *Sites)
      Known.insert_or_assign(S.Number, std::move(S));
    return llvm::Error::success();
  }
  const Patterns &P;
  uint32_t Kinds;
  std::set<uint32_t> Wanted;
  std::map<uint32_t, LiveSite> Known;
};

} // namespace tpctl

#endif
