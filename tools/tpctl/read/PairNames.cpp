// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See PairNames.h.

#include "PairNames.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace tpctl {
namespace {

std::tuple<std::string, std::string, std::string> keyOf(const Row &R) {
  return {R.Group, sys::path::filename(R.Module).str(), nameInSource(R)};
}

/// Whether the same property distinguishes functions of one name on both sides.
/// An address does not, because it differs between builds. If one side has only
/// one function of the name, the file does not, because the file of that
/// function is then not recorded.
template <class Places>
bool canBeToldApart(const Places &Old, const Places &New) {
  auto isOfFile = [](const auto &P) { return isSourceFile(P.first); };
  return Old.empty() || New.empty() ||
         equal(make_first_range(Old), make_first_range(New)) ||
         (all_of(Old, isOfFile) && all_of(New, isOfFile));
}

} // namespace

void PairNames::add(Side Of, const Row &R) {
  All[keyOf(R)].Of[Of][R.Where].insert(R.Name);
}

/// If the names of the copies are equal, each copy is a function. Otherwise all
/// copies together are one function.
PairName PairNames::nameOf(const Row &R) const {
  auto At = All.find(keyOf(R));
  PairName Result;
  std::tie(Result.Group, Result.Module, Result.InSource) = At->first;
  Result.Name = Result.InSource;
  auto &Sides = At->second.Of;
  if (!canBeToldApart(Sides[Old], Sides[New]))
    return Result;
  Result.Where = R.Where;
  auto copies = [&](Side Of) {
    auto Copies = Sides[Of].find(R.Where);
    return Copies == Sides[Of].end() ? std::set<std::string>() : Copies->second;
  };
  std::set<std::string> InOld = copies(Old), InNew = copies(New);
  if (InOld == InNew || InOld.size() + InNew.size() == 1)
    Result.Name = R.Name;
  return Result;
}

} // namespace tpctl
