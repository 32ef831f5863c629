// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See DistinctNames.h.

#include "DistinctNames.h"

#include "Selection.h"
#include "tprt/names.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;

namespace tpctl {

static std::string cut(const std::string &Name, size_t Width) {
  std::string Text = Name;
  tprt_name_shorten(Text.data(), Width); // makes no name longer
  return Text.c_str();
}

/// Removes the rows whose shown name belongs to only one name.
static void dropDistinct(std::vector<size_t> &Rows,
                         const std::vector<std::string> &Names,
                         const std::vector<std::string> &Shown) {
  StringMap<size_t> First;
  StringSet<> Alike;
  for (size_t Row : Rows)
    if (auto [At, New] = First.try_emplace(Shown[Row], Row);
        !New && Names[At->second] != Names[Row])
      Alike.insert(Shown[Row]);
  erase_if(Rows, [&](size_t Row) { return !Alike.contains(Shown[Row]); });
}

std::vector<std::string> distinctNames(std::vector<std::string> Names) {
  std::vector<std::string> Shown;
  std::vector<size_t> Left;
  size_t Longest = 0;
  for (const std::string &Name : Names) {
    Left.push_back(Shown.size());
    Shown.push_back(shortName(Name));
    Longest = std::max(Longest, Name.size());
  }
  dropDistinct(Left, Names, Shown);
  for (size_t Width = 80; !Left.empty() && Width < Longest; Width *= 2) {
    for (size_t Row : Left)
      Shown[Row] = cut(Names[Row], Width);
    dropDistinct(Left, Names, Shown);
  }
  for (size_t Row : Left)
    Shown[Row] = std::move(Names[Row]);
  return Shown;
}

} // namespace tpctl
