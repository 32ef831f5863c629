// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records a running process through its control.

#ifndef TPCTL_LIVE_RECORD_RECORDER_H
#define TPCTL_LIVE_RECORD_RECORDER_H

#include "live/targets/Ask.h"

namespace tpctl {

struct RecorderOptions {
  std::string Path; ///< absolute, as the process sees it
  std::string Mode = "all", Size, Strings;
  unsigned Arguments = 0;
  bool Results = false;
  Patterns Chosen;
  /// Which calls are recorded, and with which values; null: all calls.
  Ask *Expressions = nullptr;
};

/// Checks the strings, before a command runs or a process is changed.
llvm::Error checkValues(const RecorderOptions &O);
/// The kinds of sites that are recorded.
extern const uint32_t RecordedKinds;
/// Checks the size of a recording, which was given by this option.
/// The size of a new recording's file. With --mode newest and full, all of the
/// space is reserved at the start.
uint64_t bytesAtStart(const RecorderOptions &O);
llvm::Error checkSize(llvm::StringRef Option, llvm::StringRef Size);
/// The functions and values to record.
class Recorder {
public:
  /// The connection and the patterns must outlive this object.
  Recorder(Connection &C, const RecorderOptions &O) : C(C), O(O) {}

  /// Begins a recording. Returns the path of its file, as the process sees it.
  llvm::Expected<std::string> start();
  /// TPRT_OPTIONS makes the process record the sites of the globs. This adds
  /// the sites of regular expressions, and returns their number.
  llvm::Expected<uint32_t> join();
  /// Whether a program has ended the recording (--stop-if, --hits).
  llvm::Expected<bool> hasStopped();
  /// Adds the sites of newly loaded libraries. Call this repeatedly.
  llvm::Expected<uint32_t> addLater();

private:
  llvm::Error add();
  llvm::Error attachAround();
  llvm::Error addGlobs();
  llvm::Error followPoints();
  llvm::Expected<uint32_t> addSites(llvm::ArrayRef<LiveSite> Sites);
  llvm::Expected<uint32_t> addAll(llvm::ArrayRef<LiveSite> Sites);
  llvm::Expected<uint32_t> addAddress(uint64_t Address,
                                      llvm::StringRef Program = {});
  llvm::Expected<uint32_t> send(const Body &Request);
  llvm::Expected<uint32_t> addNumbers(llvm::ArrayRef<uint32_t> Sites,
                                      uint32_t Kinds,
                                      llvm::StringRef Program = {});
  void tellRefused();
  uint32_t kinds() const;
  Connection &C;
  const RecorderOptions &O;
  tprt_control_record Asked{};
  std::optional<Matches> Found; ///< if tpctl applies the patterns
  std::vector<Following> Around;
  std::string WhyRefused; ///< of the first request with refused sites
  Semaphores Raised;
  uint64_t RefusedMore = 0; ///< sites, of the requests after that
};
llvm::Error stopRecording(Connection &C);
llvm::Error takeSnapshot(Connection &C, llvm::StringRef Path);

} // namespace tpctl

#endif
