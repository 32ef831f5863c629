// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The call trees of one or two recordings, in nanoseconds, reduced to what a
// page can draw. One thread at a time.

#ifndef TPCTL_FLAMETREE_H
#define TPCTL_FLAMETREE_H

#include "CallTree.h"
#include "Rows.h"
#include "Symbolizer.h"
#include "llvm/Support/raw_ostream.h"

namespace tpctl {

class FlameTree {
public:
  enum Side { Old, New };
  struct Numbers {
    double Self = 0, Total = 0; ///< total: self, and all below
    uint64_t Calls = 0;
  };
  struct Node {
    uint32_t Label, Parent;
    Numbers Of[2];
    /// The value by which nodes are selected for drawing.
    double most() const { return std::max(Of[Old].Total, Of[New].Total); }
  };
  struct Label {
    std::string Module, Name, Where; ///< as in Row
    tp::trace::SourceFrame Source;   ///< of the recording that was added first
    const Row *Numbers = nullptr;    ///< if the page has a table of functions
  };

  FlameTree() { Nodes.push_back({0, 0, {}}); }
  /// Adds a recording. Functions are the same if their names and modules are
  /// equal.
  void add(Side Of, const tp::trace::CallTree &Tree, tp::trace::Recording &R,
           llvm::function_ref<Label(tp::trace::FunctionId)> LabelFor);
  /// Keeps about this many paths, those with the most time. At each place, the
  /// omitted paths become one node.
  void prune(size_t MostNodes, uint32_t MostDepth);
  /// The share of the time that has been left out.
  double hidden() const;

  /// A profile of speedscope, with a node's total as its width.
  void writeSpeedscope(llvm::raw_ostream &OS, llvm::StringRef Name) const;
  /// {"labels": [[name, module, whole name], ...], "root": [label, self, total,
  /// calls, self, total, calls, [children]]}, the old recording's numbers
  /// first.
  void writeNested(llvm::raw_ostream &OS) const;
  llvm::ArrayRef<Node> nodes() const { return Nodes; }

private:
  uint32_t labelOf(const Label &L);
  uint32_t child(uint32_t Parent, uint32_t Label);
  /// Visits all nodes except the root. The visit of a parent encloses the
  /// visits of its children. Siblings with the most time come first.
  void walk(llvm::function_ref<void(const Node &)> Enter,
            llvm::function_ref<void(const Node &)> Leave) const;

  std::vector<Node> Nodes; ///< parents before their children
  std::vector<Label> Labels;
  std::map<std::tuple<std::string, std::string, std::string>, uint32_t>
      KnownLabels;
  llvm::DenseMap<std::pair<uint32_t, uint32_t>, uint32_t> Known;
  double Hidden = 0;
};

} // namespace tpctl

#endif
