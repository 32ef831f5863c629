// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sites that patterns with regular expressions select. The process
// understands only globs, so tpctl requests all of its sites, and chooses among
// them. If a library may have been loaded since then, tpctl requests the sites
// again.

#ifndef TPCTL_LIVE_TARGETS_MATCHES_H
#define TPCTL_LIVE_TARGETS_MATCHES_H

#include "live/requests/Requests.h"
#include <chrono>
#include <functional>
#include <set>

namespace tpctl {

class Matches {
public:
  /// The connection and the patterns must outlive this object.
  Matches(Connection &C, const Patterns &P, uint32_t Kinds)
      : C(C), P(P), Kinds(Kinds) {}

  /// The newly found sites. That there are none is no error.
  llvm::Expected<std::vector<LiveSite>> find();
  /// If libraries were loaded or unloaded since the last call, returns the
  /// newly found sites; otherwise none. Call this often. It checks at most ten
  /// times a second.
  llvm::Expected<std::vector<LiveSite>> findLater();
  /// Why find() has found nothing, if that is known.
  const std::string &why() const { return Why; }

private:
  using Clock = std::chrono::steady_clock;
  llvm::Expected<std::string> modules();

  Connection &C;
  const Patterns &P;
  uint32_t Kinds;
  std::set<std::pair<uint32_t, uint64_t>> Known; ///< numbers and addresses
  std::string Before;                            ///< the modules
  std::string Why;
  unsigned Again = 0; ///< how often to request the sites again
  Clock::time_point Next;
};

std::vector<uint32_t> numbersOf(llvm::ArrayRef<LiveSite> Sites);

/// The kinds of an attach of a program to this site: programs at calls, at
/// points and at single instructions are attached separately.
uint32_t kindsFor(const LiveSite &S, uint32_t Kinds);

/// Whether a USDT probe is where a function begins. A program sees registers
/// there only if it is attached by the address.
bool isAtEntry(const LiveSite &S);

/// A message for a verb that waits: its patterns match nothing in a process.
/// `Why` may be empty.
std::string nothingYet(const Connection &C, const Patterns &P,
                       const std::string &Why);

/// Attaches to the sites that the patterns select in a process, as one group,
/// and to those of libraries that are loaded later.
class Following {
public:
  Following(Connection &C, const Patterns &P, uint32_t Kinds, GroupAction Does)
      : C(C), P(P), Kinds(Kinds), Does(std::move(Does)) {}
  /// The program for a function with this site. If it is empty, the function is
  /// left out.
  using ProgramOf = std::function<std::string(const LiveSite &)>;
  /// Runs programs that differ by function.
  Following(Connection &C, const Patterns &P, uint32_t Kinds,
            ProgramOf Programs)
      : C(C), P(P), Kinds(Kinds), Does(TPRT_CONTROL_ACTION_AGGREGATE),
        Programs(std::move(Programs)) {}

  /// Attaches to other sites, too, after these and in the same group.
  void then(Following Other) { Others.push_back(std::move(Other)); }
  /// `Flags`: enum tprt_control_attach_flags. If regular expressions match
  /// nothing, that is not an error.
  llvm::Expected<Attached> attach(uint32_t Flags);
  /// Call this repeatedly. If the process itself attaches to new libraries,
  /// this does nothing. Returns the number of newly enabled sites.
  llvm::Expected<uint32_t> attachLater();
  /// After attach(): whether more than one function is selected now.
  llvm::Expected<bool> selectsSeveral() const;

private:
  bool mustSearch() const;
  llvm::Expected<Attached> attachFirst(uint32_t Flags);
  llvm::Expected<Attached> attachSites(llvm::ArrayRef<LiveSite> Sites);
  llvm::Expected<Attached> attachAll(llvm::ArrayRef<LiveSite> Sites);

  Connection &C;
  const Patterns &P;
  uint32_t Kinds;
  GroupAction Does;
  ProgramOf Programs;
  uint32_t Group = 0;
  std::optional<Matches> Found; ///< if tpctl applies the patterns
  std::set<uint64_t> Functions; ///< those that tpctl has chosen by itself
  std::vector<Following> Others;
  Semaphores Raised;
};

} // namespace tpctl

#endif
