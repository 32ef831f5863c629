// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory mappings of a process, from /proc.

#ifndef TPCTL_MAPPINGS_H
#define TPCTL_MAPPINGS_H

#include <cstdint>
#include <string>
#include <sys/types.h>
#include <vector>

namespace tpctl {

struct Mapping {
  uint64_t Begin, End;
  uint64_t Offset; ///< in the file
  bool IsCode, IsWritable;
  std::string File; ///< device and inode; empty: it has no inode
  std::string Path; ///< as the process sees it; empty: it has no file
};

/// Ascending. Empty: the process has ended, or its memory cannot be read.
std::vector<Mapping> mappingsOf(pid_t Pid);
/// Returns nullptr if nothing is mapped there.
const Mapping *mappingAt(const std::vector<Mapping> &Mappings,
                         uint64_t Address);

} // namespace tpctl

#endif
