// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pattern that names USDT probes: usdt:PROVIDER:NAME, of all files or of one:
// MODULE!usdt:PROVIDER:NAME, or as bpftrace has it, usdt:MODULE:PROVIDER:NAME.
// tpctl applies it, because the notes of probes are only in files.

#ifndef TPCTL_LIVE_REQUESTS_PROBE_PATTERN_H
#define TPCTL_LIVE_REQUESTS_PROBE_PATTERN_H

#include "usdt/Notes.h"
#include <optional>

namespace tpctl {

class ProbePattern {
public:
  /// Whether a text, without a leading "!", is such a pattern.
  static bool is(llvm::StringRef Text);
  /// nullopt if the text is another pattern.
  static llvm::Expected<std::optional<ProbePattern>>
  parse(llvm::StringRef Text);
  /// `Path` is that of the probe's file.
  bool matches(llvm::StringRef Path, const usdt::Note &) const;

private:
  std::string Module, Provider, Name; ///< globs
};

} // namespace tpctl

#endif
