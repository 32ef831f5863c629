// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See CallTree.h.

#include "CallTree.h"

#include "Threads.h"
#include "llvm/ADT/STLExtras.h"
#include <deque>

using namespace llvm;

namespace tp::trace {

uint32_t CallTree::child(uint32_t Parent, FunctionId F) {
  if (Nodes.size() >= MostNodes) {
    auto At = Known.find({Parent, F});
    if (At != Known.end())
      return At->second;
    F = Others;
    if (Nodes[Parent].Function == Others)
      return Parent;
  }
  auto [At, New] = Known.try_emplace({Parent, F}, Nodes.size());
  if (New)
    Nodes.push_back({F, Parent});
  return At->second;
}

std::vector<std::vector<uint32_t>> CallTree::children() const {
  std::vector<std::vector<uint32_t>> Result(Nodes.size());
  for (uint32_t I = 1; I != Nodes.size(); ++I)
    Result[Nodes[I].Parent].push_back(I);
  for (std::vector<uint32_t> &Each : Result)
    stable_sort(Each, [&](uint32_t A, uint32_t B) {
      return Nodes[A].Total > Nodes[B].Total;
    });
  return Result;
}

CallTree CallTree::cut(uint32_t MostDepth, Findings &Found) const {
  CallTree Result;
  // For each node of this tree, the new node and its depth. A node follows its
  // parent in the array.
  struct Made {
    uint32_t Node, Depth;
  };
  std::vector<Made> Of(Nodes.size(), {Root, 0});
  for (uint32_t I = 1; I != Nodes.size(); ++I) {
    const Node &From = Nodes[I];
    Made Up = Of[From.Parent];
    bool Fits = Up.Depth < MostDepth;
    uint32_t Parent = Fits ? Up.Node : Result.child(Up.Node, Others);
    uint32_t To = Result.child(Parent, From.Function);
    // If a node is too deep, the node and all its descendants become children
    // of the same node of the function Others.
    Of[I] = Fits ? Made{To, Up.Depth + 1} : Up;
    Node &N = Result.Nodes[To];
    N.Calls += From.Calls;
    N.Self += From.Self;
    N.Total += Fits ? From.Total : From.Self;
    if (Fits)
      continue;
    Found.add(Finding::PathsCut, From.Calls);
    Result.Nodes[Parent].Total += From.Self;
  }
  return Result;
}

CallTree CallTree::inverted() const {
  CallTree Result;
  for (uint32_t I = 1; I != Nodes.size(); ++I) {
    const Node &From = Nodes[I];
    if (!From.Calls && !From.Self)
      continue;
    uint32_t To = Root;
    for (uint32_t At = I; At != Root; At = Nodes[At].Parent) {
      To = Result.child(To, Nodes[At].Function);
      Result.Nodes[To].Calls += From.Calls;
      Result.Nodes[To].Total += From.Self;
      if (At == I)
        Result.Nodes[To].Self += From.Self;
    }
  }
  return Result;
}

std::vector<FunctionId> CallTree::functions() const {
  std::vector<FunctionId> All;
  for (const Node &N : drop_begin(Nodes))
    if (N.Function != Others)
      All.push_back(N.Function);
  llvm::sort(All);
  All.erase(llvm::unique(All), All.end());
  return All;
}

uint64_t CallTree::total() const {
  uint64_t Sum = 0;
  for (const Node &N : drop_begin(Nodes))
    if (N.Parent == Root)
      Sum += N.Total;
  return Sum;
}

namespace {

/// Adds the calls of a thread to a tree. A frame's tag is its node.
class Grower : public CallVisitor {
public:
  Grower(CallTree &Tree, ThreadInfo &Info, const CallFilter &Filter,
         function_ref<bool(FunctionId)> Wanted)
      : Tree(Tree), Info(Info), Filter(Filter), Wanted(Wanted) {}

  void entered(Frame &F, const Frame *Parent, size_t) {
    uint32_t Up = Parent ? Parent->Tag : CallTree::Root;
    F.Tag = Wanted(F.Function) ? Tree.child(Up, F.Function) : Up;
  }
  void left(const Frame &F, Frame *, uint64_t End, Ending, size_t) {
    if (!Filter.takes(F.Start, End - F.Start))
      return;
    CallTree::Node &N = Tree.node(F.Tag);
    // Self time of a function without a node belongs to its caller.
    if (F.Tag != CallTree::Root)
      N.Self += End - F.Start - F.Inner;
    if (!Wanted(F.Function))
      return;
    ++N.Calls;
    N.Total += End - F.Start;
  }
  // Recorded calls inside of it have paths of their own, because it is not
  // known that they are inside. So its time is without theirs.
  void whole(const Frame &F, uint64_t End, Ending, bool) {
    if (!Wanted(F.Function) || !Filter.takes(F.Start, End - F.Start))
      return;
    CallTree::Node &N = Tree.node(Tree.child(CallTree::Root, F.Function));
    ++N.Calls;
    N.Self += End - F.Start - F.Inner;
    N.Total += End - F.Start - F.Inner;
  }
  void orphan(FunctionId F, uint64_t Time) { untimed(F, nullptr, Time); }
  void visited(FunctionId F, Frame *Parent, uint64_t Time, size_t) {
    untimed(F, Parent, Time);
  }
  void extension(uint64_t Word, ArrayRef<uint64_t> More, uint64_t, size_t) {
    if (isExtension(Word, TPRT_TRACE_THREAD_NAME))
      Info.Name = textOf(More);
  }

private:
  void untimed(FunctionId F, const Frame *Parent, uint64_t Time) {
    if (Wanted(F) && Filter.takes(Time, 0))
      ++Tree.node(Tree.child(Parent ? Parent->Tag : CallTree::Root, F)).Calls;
  }
  CallTree &Tree;
  ThreadInfo &Info;
  const CallFilter &Filter;
  function_ref<bool(FunctionId)> Wanted;
};

} // namespace

Expected<CallTrees> readCallTrees(Recording &R, const CallFilter &Filter,
                                  bool ByThread,
                                  function_ref<bool(FunctionId)> Wanted) {
  std::deque<CallTree> Trees;
  std::deque<ThreadInfo> Threads;
  ThreadInfo Together;
  if (!ByThread)
    Trees.emplace_back();
  auto Make = [&](ThreadInfo &Info) {
    if (!ByThread)
      return Grower(Trees.back(), Together, Filter, Wanted);
    Trees.emplace_back();
    Threads.push_back(Info);
    return Grower(Trees.back(), Threads.back(), Filter, Wanted);
  };
  auto Sum = readThreads<Grower>(R, Filter, Make);
  if (!Sum)
    return Sum.takeError();
  CallTrees Result;
  Result.Events = Sum->Events;
  Result.Lost = Sum->Lost;
  Result.Threads.assign(Threads.begin(), Threads.end());
  for (CallTree &Tree : Trees)
    Result.Trees.push_back(std::move(Tree));
  return Result;
}

} // namespace tp::trace
