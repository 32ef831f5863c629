// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sites that patterns with regular expressions select. The process only
// understands globs, so tpctl asks for all of its sites, and chooses. If a
// library may have been loaded since then, tpctl asks again.

#ifndef TPCTL_LIVE_TARGETS_MATCHES_H
#define TPCTL_LIVE_TARGETS_MATCHES_H

#include "live/requests/Requests.h"
#include <chrono>
#include <set>

namespace tpctl {

class Matches {
public:
  /// The connection and the patterns have to outlive this.
  Matches(Connection &C, const Patterns &P, uint32_t Kinds)
      : C(C), P(P), Kinds(Kinds) {}

  /// The numbers of those sites that were not found before.
  llvm::Expected<std::vector<uint32_t>> find();
  /// The same if libraries have come or gone since the last call; else none.
  /// To be called often: it looks ten times a second at most.
  llvm::Expected<std::vector<uint32_t>> findLater();

private:
  using Clock = std::chrono::steady_clock;
  llvm::Expected<std::string> modules();

  Connection &C;
  const Patterns &P;
  uint32_t Kinds;
  std::set<std::pair<uint32_t, uint64_t>> Known; ///< numbers and addresses
  std::string Before;                            ///< the modules
  unsigned Again = 0; ///< how often the sites are still to be asked for
  Clock::time_point Next;
};

/// Attaches what the patterns take in a process, as one group, and what they
/// take of libraries that come later.
class Following {
public:
  Following(Connection &C, const Patterns &P, uint32_t Kinds,
            tprt_control_action What)
      : C(C), P(P), Kinds(Kinds), What(What) {}

  /// `Flags`: enum tprt_control_attach_flags. That regular expressions match
  /// nothing is no error.
  llvm::Expected<Attached> attach(uint32_t Flags);
  /// To be called again and again. Where the process itself follows its
  /// libraries, this does nothing. Returns how many sites are on now that were
  /// not before.
  llvm::Expected<uint32_t> attachLater();

private:
  Connection &C;
  const Patterns &P;
  uint32_t Kinds;
  tprt_control_action What;
  uint32_t Group = 0;
  std::optional<Matches> Found; ///< if the patterns are tpctl's to apply
};

} // namespace tpctl

#endif
