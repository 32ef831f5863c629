// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides which functions of an old and a new recording are the same. A module
// may be in another folder. Builds differ in the copies that a compiler makes
// of a function, and static functions of one name cannot always be
// distinguished in both recordings. Not thread-safe.

#ifndef TPCTL_PAIRNAMES_H
#define TPCTL_PAIRNAMES_H

#include "Rows.h"
#include <set>

namespace tpctl {

/// Rows with the same name of this kind are one function.
struct PairName {
  std::string Group, Module; ///< the file's name
  std::string InSource;      ///< the name without a compiler's suffixes
  std::string Where;         ///< as in Row
  std::string Name;          ///< that is shown
  auto operator<=>(const PairName &) const = default;
};

class PairNames {
public:
  enum Side { Old, New };
  void add(Side Of, const Row &R);
  /// The name of a row. Call this after all rows were added.
  PairName nameOf(const Row &R) const;

private:
  /// Functions with one name in the source, by the text that distinguishes
  /// them: the names of the copies.
  using Places = std::map<std::string, std::set<std::string>>;
  struct Sides {
    Places Of[2];
  };
  /// By group, module and name in the source.
  std::map<std::tuple<std::string, std::string, std::string>, Sides> All;
};

} // namespace tpctl

#endif
