// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tree of callers and callees: a node for each path of calls, over all
// threads or for each thread. Not thread-safe.

#ifndef TP_TRACE_CALLTREE_H
#define TP_TRACE_CALLTREE_H

#include "Profile.h"

namespace tp::trace {

class CallTree {
public:
  struct Node {
    FunctionId Function;
    uint32_t Parent;
    uint64_t Calls = 0, Total = 0, Self = 0; ///< times in ticks
  };
  /// The root has no function; its children are the outermost calls.
  static constexpr uint32_t Root = 0;
  /// If a path exceeds the limits of depth and number, it ends in a node of the
  /// function Others.
  static constexpr FunctionId Others = NoFunction - 1;

  CallTree() { Nodes.push_back({NoFunction, Root}); }

  uint32_t child(uint32_t Parent, FunctionId F);
  Node &node(uint32_t At) { return Nodes[At]; }
  llvm::ArrayRef<Node> nodes() const { return Nodes; }
  /// The children of each node. The child with the most time is first.
  std::vector<std::vector<uint32_t>> children() const;
  /// The same tree with at most \p MostDepth calls (at least 2) in a path, so
  /// that a walk up from each node takes linear time. The deeper calls of a
  /// function become one node, below a node of the function Others. These calls
  /// are counted as a finding.
  CallTree cut(uint32_t MostDepth, Findings &Found) const;
  /// The tree from each function to its callers, by self time. The time to make
  /// this tree is proportional to the number of nodes and to their depth.
  CallTree inverted() const;
  /// Each function that has a node.
  std::vector<FunctionId> functions() const;
  /// The total time of all outermost calls.
  uint64_t total() const;

private:
  static constexpr size_t MostNodes = 2'000'000;
  std::vector<Node> Nodes;
  llvm::DenseMap<std::pair<uint32_t, uint32_t>, uint32_t> Known;
};

struct CallTrees {
  /// One tree for all threads, or one tree for each thread.
  std::vector<CallTree> Trees;
  std::vector<ThreadInfo> Threads; ///< if for each: of the tree at that place
  uint64_t Events = 0, Lost = 0;
};

/// Reads all events. If `Wanted` is false for a function, it has no node: its
/// calls belong to its callers.
llvm::Expected<CallTrees>
readCallTrees(Recording &R, const CallFilter &Filter, bool ByThread,
              llvm::function_ref<bool(FunctionId)> Wanted);

} // namespace tp::trace

#endif
