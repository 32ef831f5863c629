// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tpctl graph: who called whom, as a tree from the outermost functions down, or
// from each function to its callers.

#include "CallTree.h"
#include "shared/CommandLine.h"
#include "shared/Output.h"
#include "shared/Selection.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

using namespace llvm;
using namespace tp::trace;
using namespace tpctl;

namespace {

enum class Format { Text, Json };

struct Options {
  Selection Chosen;
  bool BottomUp = false;
  Format As = Format::Text;
  std::string Path = "-";
  double Percent = 0.5;
  unsigned Depth = 0;
};

/// Writes a tree. The depth of the recursion is the depth of the output's
/// indentation.
class Writer {
public:
  Writer(raw_ostream &OS, Recording &R, const CallTree &Tree, const Options &O)
      : OS(OS), R(R), Tree(Tree), O(O), Children(Tree.children()),
        Whole(std::max<uint64_t>(Tree.total(), 1)) {}

  void text() {
    OS << "     total      self      calls  share  "
       << (O.BottomUp ? "function, and below it its callers\n" : "function\n");
    textBelow(CallTree::Root, 0);
    if (Hidden)
      OS << "\n"
         << countText(Hidden, "path") << " with less than "
         << format("%g", O.Percent) << (Hidden == 1 ? "% is" : "% are")
         << " not shown: --share 0 shows all\n";
  }
  void json() {
    json::OStream J(OS, 1);
    jsonBelow(J, CallTree::Root);
    OS << '\n';
  }

private:
  double percent(uint64_t Ticks) const {
    return 100.0 * static_cast<double>(Ticks) / static_cast<double>(Whole);
  }
  bool tooDeep(unsigned Depth) const { return O.Depth && Depth >= O.Depth; }
  std::string nameOf(const CallTree::Node &N) const {
    return N.Function == CallTree::Others
               ? "(further paths)"
               : R.tables().function(N.Function).Name;
  }
  const SourceFrame &lineOf(const CallTree::Node &N) const {
    static const SourceFrame None;
    return N.Function == CallTree::Others ? None
                                          : O.Chosen.Code.lineOf(R, N.Function);
  }
  std::string time(uint64_t Ticks) const {
    std::string Text = timeText(R.clock().durationOf(Ticks));
    return std::string(Text.size() < 10 ? 10 - Text.size() : 0, ' ') + Text;
  }
  void textBelow(uint32_t At, unsigned Depth) {
    if (tooDeep(Depth))
      return;
    for (uint32_t Child : Children[At]) {
      const CallTree::Node &N = Tree.nodes()[Child];
      if (percent(N.Total) < O.Percent) {
        ++Hidden;
        continue;
      }
      OS << time(N.Total) << time(N.Self)
         << right_justify(std::to_string(N.Calls), 11)
         << format(" %5.1f%%  ", percent(N.Total));
      OS.indent(2 * Depth) << O.Chosen.shown(nameOf(N));
      if (O.Chosen.Code.inText())
        OS << O.Chosen.Code.textOf(lineOf(N), O.Chosen.fullNames());
      OS << '\n';
      textBelow(Child, Depth + 1);
    }
  }
  void jsonBelow(json::OStream &J, uint32_t At, unsigned Depth = 0) {
    J.array([&] {
      if (tooDeep(Depth))
        return;
      for (uint32_t Child : Children[At])
        J.object([&] {
          const CallTree::Node &N = Tree.nodes()[Child];
          J.attribute("function", jsonText(nameOf(N)));
          if (const SourceFrame &Line = lineOf(N); !Line.File.empty()) {
            J.attribute("file", jsonText(Line.File));
            if (Line.Line)
              J.attribute("line", Line.Line);
          }
          J.attribute("calls", N.Calls);
          J.attribute("total_ns", R.clock().durationOf(N.Total));
          J.attribute("self_ns", R.clock().durationOf(N.Self));
          if (!Children[Child].empty()) {
            J.attributeBegin(O.BottomUp ? "callers" : "calls_to");
            jsonBelow(J, Child, Depth + 1);
            J.attributeEnd();
          }
        });
    });
  }

  raw_ostream &OS;
  Recording &R;
  const CallTree &Tree;
  const Options &O;
  std::vector<std::vector<uint32_t>> Children;
  uint64_t Whole;
  size_t Hidden = 0;
};

Expected<ExitCode> graph(Options &O) {
  if (Error E = O.Chosen.prepare())
    return E;
  auto R = O.Chosen.Code.open(O.Chosen.Files.front());
  if (!R)
    return R.takeError();
  auto Filter = O.Chosen.filterFor(**R);
  if (!Filter)
    return Filter.takeError();
  auto Trees =
      readCallTrees(**R, *Filter, /*ByThread=*/false, [&](FunctionId F) {
        return O.Chosen.takes((*R)->tables().function(F));
      });
  if (!Trees)
    return Trees.takeError();
  CallTree &Tree = Trees->Trees.front();
  bool Empty = all_of(drop_begin(Tree.nodes()),
                      [](const CallTree::Node &N) { return !N.Calls; });
  // A program may recurse deeper than tpctl's stack or the width of a line
  // allows.
  constexpr uint32_t MostDepth = 500;
  Tree = Tree.cut(MostDepth, (*R)->findings());
  if (O.BottomUp)
    Tree = Tree.inverted();
  auto To = Output::open(O.Path);
  if (!To)
    return To.takeError();
  if (O.As == Format::Json || O.Chosen.Code.inText())
    O.Chosen.Code.prepare(**R, Tree.functions());
  Writer W((*To)->stream(), **R, Tree, O);
  if (O.As == Format::Json)
    W.json();
  else if (!Empty)
    W.text();
  tellFindings(**R);
  if (Empty)
    note(O.Chosen.explainNothing(**R, Trees->Events, Trees->Lost));
  if (Error E = (*To)->close())
    return E;
  return Done;
}

} // namespace

void tpctl::addGraph(CommandLine &Line) {
  auto O = std::make_shared<Options>();
  VerbSyntax &Verb =
      Line.addVerb("graph", "who called whom, as a tree of calls");
  O->Chosen.addFiles(Verb, /*Several=*/false);
  O->Chosen.addCuts(Verb);
  O->Chosen.addDurations(Verb);
  O->Chosen.addNames(Verb);
  O->Chosen.Code.addLines(Verb);
  O->Chosen.Code.addBinaries(Verb);
  Verb.addFlag("--bottom-up", O->BottomUp,
               "from each function to its callers, by self time");
  Verb.addOption("--share", O->Percent, "PERCENT",
                 "leave out paths with less of the time; 0.5 if not given");
  Verb.addOption("--depth", O->Depth, "N", "at most so deep");
  Verb.addChoice("--format", O->As,
                 {{"text", Format::Text}, {"json", Format::Json}}, "FORMAT",
                 "text or json");
  Verb.addOption("-o", O->Path, "FILE", "write to this file");
  Verb.setAction([O] { return graph(*O); });
}
