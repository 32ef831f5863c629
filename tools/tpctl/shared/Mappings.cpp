// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Mappings.h.

#include "Mappings.h"

#include "Processes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MemoryBuffer.h"
#include <optional>

using namespace llvm;

namespace tpctl {

/// proc_pid_maps(5): "begin-end perms offset device inode path".
static std::optional<Mapping> mappingOf(StringRef Line) {
  SmallVector<StringRef, 6> Words;
  Line.split(Words, ' ', /*MaxSplit=*/5, /*KeepEmpty=*/false);
  if (Words.size() < 5)
    return std::nullopt;
  Mapping M{};
  auto [Begin, End] = Words[0].split('-');
  if (Begin.getAsInteger(16, M.Begin) || End.getAsInteger(16, M.End) ||
      Words[2].getAsInteger(16, M.Offset))
    return std::nullopt;
  M.IsCode = Words[1].contains('x');
  M.IsWritable = Words[1].contains('w');
  if (Words[4] != "0")
    M.File = (Words[3] + " " + Words[4]).str();
  StringRef Path = Words.size() > 5 ? Words[5].ltrim() : "";
  M.Path = Path.starts_with("/") ? Path.str() : "";
  return M;
}

std::vector<Mapping> mappingsOf(pid_t Pid) {
  std::vector<Mapping> Found;
  auto File = MemoryBuffer::getFileAsStream(procPath(Pid, "maps"));
  if (!File)
    return Found;
  SmallVector<StringRef> Lines;
  (*File)->getBuffer().split(Lines, '\n');
  for (StringRef Line : Lines)
    if (auto M = mappingOf(Line))
      Found.push_back(std::move(*M));
  return Found;
}

const Mapping *mappingAt(const std::vector<Mapping> &Mappings,
                         uint64_t Address) {
  auto At = find_if(Mappings, [&](const Mapping &M) {
    return M.Begin <= Address && Address < M.End;
  });
  return At == Mappings.end() ? nullptr : &*At;
}

} // namespace tpctl
