// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Folded stacks, for flamegraph.pl, inferno and speedscope: a line for each
// path of calls, with its self time in nanoseconds. With several recordings,
// the outermost frame is the process.

#include "CallTree.h"
#include "Export.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace llvm;
using namespace tp::trace;

namespace tpctl {

namespace {

std::string withoutSeparator(std::string Name) {
  std::replace(Name.begin(), Name.end(), ';', ':');
  return Name;
}

/// Writes the paths of a tree, below an additional frame if one is given.
void writePaths(ExportJob &Job, const CallTree &Tree, const std::string &Root) {
  ArrayRef<CallTree::Node> Nodes = Tree.nodes();
  for (const CallTree::Node &N : drop_begin(Nodes)) {
    double Nanoseconds = Job.R.clock().durationOf(N.Self);
    if (std::llround(Nanoseconds) == 0)
      continue;
    std::vector<std::string> Path;
    for (const CallTree::Node *At = &N; At != &Nodes.front();
         At = &Nodes[At->Parent])
      Path.push_back(
          withoutSeparator(At->Function == CallTree::Others
                               ? "(further paths)"
                               : Job.R.tables().function(At->Function).Name));
    if (!Root.empty())
      Path.push_back(withoutSeparator(Root));
    interleave(reverse(Path), Job.OS, ";");
    Job.OS << ' ' << std::llround(Nanoseconds) << '\n';
    ++Job.Written;
  }
}

} // namespace

Expected<Totals> exportFolded(ExportJob &Job) {
  bool Apart = Job.Files > 1;
  auto Trees = readCallTrees(Job.R, Job.Filter, /*ByThread=*/Apart,
                             [&](FunctionId F) { return Job.wants(F); });
  if (!Trees)
    return Trees.takeError();
  for (size_t I = 0; I != Trees->Trees.size(); ++I) {
    std::string Root;
    if (Apart)
      Root = Job.processName(Trees->Threads[I].Process, Trees->Threads[I].Pid);
    writePaths(Job, Trees->Trees[I].cut(ExportJob::MostDepth, Job.R.findings()),
               Root);
  }
  return Totals{Trees->Events, Trees->Lost};
}

} // namespace tpctl
