// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See FlameTree.h. Trees are walked without recursion, because programs may
// recurse deeper than our stack allows.

#include "FlameTree.h"

#include "Speedscope.h"
#include "shared/Output.h"
#include "shared/Selection.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include <algorithm>

using namespace llvm;
using namespace tp::trace;

namespace tpctl {
namespace {

const FlameTree::Label Further = {"", "(further paths)", "", {}};

} // namespace

uint32_t FlameTree::labelOf(const Label &L) {
  auto [At, New] =
      KnownLabels.try_emplace({L.Module, L.Name, L.Where}, Labels.size());
  if (New)
    Labels.push_back(L);
  return At->second;
}

uint32_t FlameTree::child(uint32_t Parent, uint32_t Label) {
  auto [At, New] = Known.try_emplace({Parent, Label}, Nodes.size());
  if (New)
    Nodes.push_back({Label, Parent, {}});
  return At->second;
}

void FlameTree::add(Side Of, const CallTree &Tree, Recording &R,
                    function_ref<Label(FunctionId)> LabelFor) {
  DenseMap<FunctionId, uint32_t> LabelAt;
  auto label = [&](FunctionId Id) {
    auto [At, New] = LabelAt.try_emplace(Id, 0);
    if (New)
      At->second = labelOf(Id == CallTree::Others ? Further : LabelFor(Id));
    return At->second;
  };
  ArrayRef<CallTree::Node> From = Tree.nodes();
  std::vector<uint32_t> At(From.size());
  for (uint32_t I = 1; I != From.size(); ++I) {
    At[I] = child(At[From[I].Parent], label(From[I].Function));
    Numbers &N = Nodes[At[I]].Of[Of];
    N.Self += R.clock().durationOf(From[I].Self);
    N.Calls += From[I].Calls;
  }
  for (Node &N : Nodes)
    N.Of[Of].Total = N.Of[Of].Self;
  for (size_t I = Nodes.size(); --I;)
    Nodes[Nodes[I].Parent].Of[Of].Total += Nodes[I].Of[Of].Total;
}

void FlameTree::prune(size_t MostNodes, uint32_t MostDepth) {
  std::vector<double> Sizes;
  for (const Node &N : Nodes)
    Sizes.push_back(N.most());
  double Least = -1;
  if (Sizes.size() > MostNodes) {
    auto Nth = Sizes.begin() + static_cast<ptrdiff_t>(MostNodes);
    std::nth_element(Sizes.begin(), Nth, Sizes.end(), std::greater<>());
    Least = *Nth;
  }
  constexpr uint32_t Gone = UINT32_MAX;
  std::vector<Node> Before = std::move(Nodes);
  std::vector<uint32_t> At(Before.size(), Gone), Depth(Before.size());
  uint32_t FurtherLabel = labelOf(Further);
  Nodes.assign(1, Before[0]);
  Known.clear();
  At[0] = 0;
  for (uint32_t I = 1; I != Before.size(); ++I) {
    const Node &N = Before[I];
    Depth[I] = Depth[N.Parent] + 1;
    if (At[N.Parent] == Gone)
      continue;
    bool Keeps = Depth[I] <= MostDepth && N.most() > Least;
    uint32_t To = child(At[N.Parent], Keeps ? N.Label : FurtherLabel);
    if (Keeps)
      At[I] = To;
    else
      Hidden += N.most();
    for (Side S : {Old, New}) {
      Numbers &Sum = Nodes[To].Of[S];
      Sum.Total += N.Of[S].Total;
      Sum.Self += Keeps ? N.Of[S].Self : N.Of[S].Total;
      Sum.Calls += N.Of[S].Calls;
    }
  }
}

double FlameTree::hidden() const {
  double Whole = Nodes[0].most();
  return Whole > 0 ? Hidden / Whole : 0;
}

void FlameTree::walk(function_ref<void(const Node &)> Enter,
                     function_ref<void(const Node &)> Leave) const {
  std::vector<std::vector<uint32_t>> Children(Nodes.size());
  for (uint32_t I = 1; I != Nodes.size(); ++I)
    Children[Nodes[I].Parent].push_back(I);
  for (std::vector<uint32_t> &Each : Children)
    stable_sort(Each, [&](uint32_t A, uint32_t B) {
      return Nodes[A].most() < Nodes[B].most();
    });
  std::vector<uint32_t> Open = {0};
  while (!Open.empty()) {
    uint32_t At = Open.back();
    if (!Children[At].empty()) {
      Open.push_back(Children[At].back());
      Children[At].pop_back();
      Enter(Nodes[Open.back()]);
    } else {
      Open.pop_back();
      if (At)
        Leave(Nodes[At]);
    }
  }
}

void FlameTree::writeSpeedscope(raw_ostream &OS, StringRef Name) const {
  beginSpeedscope(OS, Name);
  OS << "{\"type\":\"evented\",\"unit\":\"nanoseconds\",\"name\":\"all "
        "threads\",\"events\":[";
  ListSeparator Comma(",\n");
  // A parent's own time comes after those of its children.
  double At = 0;
  auto event = [&](char Kind, const Node &N) {
    OS << Comma << "{\"type\":\"" << Kind << "\",\"frame\":" << N.Label
       << ",\"at\":" << plainNumber(At) << '}';
  };
  walk([&](const Node &N) { event('O', N); },
       [&](const Node &N) {
         At += N.Of[Old].Self;
         event('C', N);
       });
  OS << "],\"startValue\":0,\"endValue\":" << plainNumber(At)
     << "}],\n\"shared\":{\"frames\":[";
  ListSeparator Between(",\n");
  for (const Label &L : Labels) {
    OS << Between;
    writeSpeedscopeFrame(OS, {L.Module, L.Name, L.Where, L.Source, L.Numbers},
                         FrameNames::Short);
  }
  OS << "]}}\n";
}

void FlameTree::writeNested(raw_ostream &OS) const {
  OS << "{\"labels\":[";
  ListSeparator Comma(",\n");
  for (const Label &L : Labels) {
    std::string Where = whereText(L.Where);
    std::string Name = shortName(L.Name) + Where, Whole = L.Name + Where;
    OS << Comma << '[' << json::Value(jsonText(Name)) << ','
       << json::Value(jsonText(L.Module));
    if (Name != Whole)
      OS << ',' << json::Value(jsonText(Whole));
    OS << ']';
  }
  OS << "],\n\"root\":[";
  bool First = true;
  auto numbers = [&](const Node &N) {
    for (Side S : {Old, New})
      OS << plainNumber(N.Of[S].Self) << ',' << plainNumber(N.Of[S].Total)
         << ',' << N.Of[S].Calls << ',';
    OS << '[';
    First = true;
  };
  OS << "-1,";
  numbers(Nodes[0]);
  walk(
      [&](const Node &N) {
        OS << (First ? "" : ",\n") << '[' << N.Label << ',';
        numbers(N);
      },
      [&](const Node &) {
        OS << "]]";
        First = false;
      });
  OS << "]]}\n";
}

} // namespace tpctl
