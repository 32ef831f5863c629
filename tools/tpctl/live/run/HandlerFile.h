// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A compiled file of handlers (tprt/run.h): its handlers, its tables, and
// whether it needs anything that it cannot get.

#ifndef TPCTL_LIVE_RUN_HANDLERFILE_H
#define TPCTL_LIVE_RUN_HANDLERFILE_H

#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tpctl {

/// A handler of the file.
struct RunHandler {
  std::string Name;
  std::optional<std::string> Pattern; ///< its own
  uint32_t Flags = 0;                 ///< enum tprt_run_flags
  uint64_t Address = 0;               ///< in the file
  /// enum tprt_kind_set
  uint32_t kinds() const;
};

/// A table of the file.
struct RunTable {
  std::string Name;
  std::vector<std::string> Headings;
  bool IsHistogram = false;
  uint64_t Rows = 0, Count = 0; ///< the address of the rows, and their number
  uint64_t Lost = 0;            ///< the address of the number of lost hits
};

struct HandlerFile {
  std::unique_ptr<llvm::MemoryBuffer> File;
  std::vector<RunHandler> Handlers;
  std::vector<RunTable> Tables;

  /// `Path` is for messages.
  static llvm::Expected<HandlerFile>
  read(std::unique_ptr<llvm::MemoryBuffer> File, const std::string &Path);
};

} // namespace tpctl

#endif
