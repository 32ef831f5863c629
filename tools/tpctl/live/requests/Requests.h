// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The requests of the control as functions. If an answer has several pages, the
// functions join the pages.

#ifndef TPCTL_LIVE_REQUESTS_REQUESTS_H
#define TPCTL_LIVE_REQUESTS_REQUESTS_H

#include "Connection.h"
#include "Patterns.h"
#include <vector>

namespace tpctl {

struct LiveSite {
  uint64_t Sled = 0, Function = 0, Base = 0;
  uint32_t Number = 0, Line = 0;
  uint8_t Kind = 0, Shape = 0, State = 0, Refusal = 0;
  uint8_t Means = 0; ///< enum tprt_control_means
  std::string Name;  ///< as linked; empty if none
  std::string Module, File, Format;
  std::string Why;         ///< what Refusal means
  std::string Instruction; ///< its bytes, for code without sleds
  std::string Types;       ///< of a point's arguments: enum tprt_argument_type
  uint8_t Style = 0;       ///< of a point's format: enum tprt_point_style
  std::shared_ptr<const Probe> Of; ///< if a USDT probe is there

  /// The demangled name, or a substitute made from the address.
  std::string readable() const;
  /// The same, with the offset inside the function, except at an entry.
  std::string place() const;
};

/// About as many described sites as the process puts into one message.
constexpr size_t SitesPerPage = 256;
/// The number of sites that a message can hold.
constexpr size_t MostSites = 12000;
/// The flags for the options other than the patterns: enum tprt_select_flags.
uint32_t flagsOf(const Patterns &P);

llvm::Expected<std::vector<LiveSite>>
listSites(Connection &C, const Patterns &P, uint32_t Kinds);

/// The first sites of listSites(): pages with at least `Least` of them. If
/// nothing matches, the error is NoMatch.
llvm::Expected<std::vector<LiveSite>>
listFirst(Connection &C, const Patterns &P, uint32_t Kinds, size_t Least = 1);

/// The sites with these numbers. Sites of unloaded libraries are left out.
llvm::Expected<std::vector<LiveSite>>
listNumbered(Connection &C, llvm::ArrayRef<uint32_t> Numbers);

struct Attached {
  uint32_t Group = 0, Matched = 0, Enabled = 0, Refused = 0;
  std::string Why; ///< the first refusal
  /// A few of the refused sites, mostly of different functions. None if the
  /// process has an earlier libtprt.
  std::vector<uint32_t> RefusedSites;
  /// Sites match, but the expressions fit none of them.
  bool FitsNone = false;

  /// Adds what another request has attached to the same group.
  void add(const Attached &Other);
};
/// What the sites of a group do: an action, and the program of the action
/// AGGREGATE, as in tprt/control_program.h.
struct GroupAction {
  GroupAction(tprt_control_action What, std::string Program = {})
      : What(What), Program(std::move(Program)) {}
  tprt_control_action What;
  std::string Program;
};
/// Attaches to the sites that these patterns select, as one group. `P` has the
/// other options. `Flags`: enum tprt_control_attach_flags.
llvm::Expected<Attached> attachPatterns(Connection &C, const Patterns &P,
                                        llvm::ArrayRef<std::string> Texts,
                                        uint32_t Kinds, const GroupAction &Does,
                                        uint32_t Flags);

/// Attaches to the sites with these numbers, which the patterns have found. If
/// `Group` is 0, makes a new group.
llvm::Expected<Attached> attachNumbers(Connection &C, const Patterns &P,
                                       llvm::ArrayRef<uint32_t> Sites,
                                       uint32_t Kinds, const GroupAction &Does,
                                       uint32_t Group);
/// Detaches the functions with these entries from a group.
llvm::Error detachSites(Connection &C, uint32_t Group,
                        llvm::ArrayRef<uint32_t> Sites);

struct LiveGroup {
  tprt_control_group Numbers;
  std::string Patterns;
};
llvm::Expected<std::vector<LiveGroup>> listGroups(Connection &C);
/// Group 0 without patterns means all groups. Returns the number of detached
/// groups.
llvm::Expected<uint32_t> detachGroups(Connection &C, uint32_t Group,
                                      llvm::ArrayRef<std::string> Patterns);

} // namespace tpctl

#endif
