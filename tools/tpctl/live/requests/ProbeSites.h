// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The USDT probes of a process. tpctl reads them from the files that the
// process has mapped, and asks the process for the instructions at their
// addresses.

#ifndef TPCTL_LIVE_REQUESTS_PROBE_SITES_H
#define TPCTL_LIVE_REQUESTS_PROBE_SITES_H

#include "shared/Mappings.h"
#include "usdt/Notes.h"
#include <memory>
#include <set>
#include <sys/types.h>

namespace tpctl {

class Connection;
class Patterns;
struct Attached;
struct GroupAction;
struct LiveSite;

/// A place of a probe in a process: its addresses are those of the process.
struct Probe : usdt::Note {
  std::string Path;  ///< of its file, as the process sees it
  uint64_t Base = 0; ///< where the process has the file's address 0
  std::shared_ptr<const usdt::FileNotes> File;
  bool HasSemaphore = false; ///< the process can change its semaphore
};

/// All probes of a process.
class ProbeTable {
public:
  /// Reads the files that are mapped now, each once.
  void read(pid_t Pid);
  const std::map<uint64_t, std::shared_ptr<const Probe>> &all() const {
    return ByAddress;
  }
  /// The probe whose instruction is there, or null.
  std::shared_ptr<const Probe> at(uint64_t Address) const {
    auto Found = ByAddress.find(Address);
    return Found == ByAddress.end() ? nullptr : Found->second;
  }
  /// Prints a note, if it was not printed before.
  void tell(const std::string &Text);

private:
  std::shared_ptr<const usdt::FileNotes> notesOf(pid_t Pid, const Mapping &M);
  void add(const Mapping &M, const std::vector<Mapping> &All,
           const std::shared_ptr<const usdt::FileNotes> &File);

  std::map<uint64_t, std::shared_ptr<const Probe>> ByAddress;
  std::map<std::string, std::shared_ptr<const usdt::FileNotes>> Files;
  std::set<std::string> Told;
};

/// Adds the sites of the probes that the patterns select. If there are none,
/// the error is NoMatch. `Kinds`: those that a verb asks for.
llvm::Error addProbes(Connection &C, const Patterns &P, uint32_t Kinds,
                      std::vector<LiveSite> &To);

/// The same of a file, without a process.
llvm::Error addProbesOfFile(llvm::StringRef Path, const Patterns &P,
                            std::vector<LiveSite> &To);

/// Attaches to the instruction at an address, which may be where a function
/// begins.
llvm::Expected<Attached> attachAddress(Connection &C, const Patterns &P,
                                       uint64_t Address,
                                       const GroupAction &Does, uint32_t Group);

/// The semaphores that one group has raised, or the recording.
class Semaphores {
public:
  /// Raises those of the probes among these sites that it has not raised yet.
  /// The process lowers them when the group ends. Group 0: the recording.
  llvm::Error raise(Connection &C, uint32_t Group,
                    llvm::ArrayRef<LiveSite> Sites);

private:
  std::set<uint64_t> Raised;
};

} // namespace tpctl

#endif
