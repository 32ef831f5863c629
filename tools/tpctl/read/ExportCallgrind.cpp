// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Callgrind's format, for callgrind_annotate and KCachegrind: the self time of
// each function, and its calls to each other function. The module is the
// object. With several recordings, the process is part of the object's name.
// The line of a function is its first line.

#include "CallTree.h"
#include "Export.h"
#include "Readable.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <map>

using namespace llvm;
using namespace tp::trace;

namespace tpctl {
namespace {

struct CallgrindState : ExportState {
  long long Sum = 0;
};

struct Arc {
  uint64_t Calls = 0, Ticks = 0;
};

/// The functions of one process.
struct Costs {
  uint64_t Self = 0;
  std::map<FunctionId, Arc> Callees;
};

class CallgrindWriter {
public:
  explicit CallgrindWriter(ExportJob &Job) : Job(Job) {}

  void add(const CallTree &Tree) {
    ArrayRef<CallTree::Node> Nodes = Tree.nodes();
    for (const CallTree::Node &N : drop_begin(Nodes)) {
      if (!N.Calls && !N.Self)
        continue;
      Functions[N.Function].Self += N.Self;
      if (N.Parent == CallTree::Root)
        continue;
      Arc &A = Functions[Nodes[N.Parent].Function].Callees[N.Function];
      A.Calls += N.Calls;
      A.Ticks += N.Total;
    }
  }
  /// `Process` is empty if there is one recording.
  void write(const std::string &Process) {
    std::vector<FunctionId> All;
    for (const auto &[F, C] : Functions)
      if (F != CallTree::Others)
        All.push_back(F);
    Job.Chosen.Code.prepare(Job.R, All);
    for (const auto &[F, C] : Functions) {
      long long Self = nanoseconds(C.Self);
      name("", Process, F);
      uint32_t Line = sourceOf(F).Line;
      Job.OS << Line << ' ' << Self << '\n';
      Job.state<CallgrindState>().Sum += Self;
      ++Job.Written;
      for (const auto &[Callee, A] : C.Callees) {
        name("c", Process, Callee);
        Job.OS << "calls=" << A.Calls << ' ' << sourceOf(Callee).Line << '\n'
               << Line << ' ' << nanoseconds(A.Ticks) << '\n';
      }
      Job.OS << '\n';
    }
  }

private:
  const SourceFrame &sourceOf(FunctionId F) const {
    static const SourceFrame None;
    return F == CallTree::Others ? None : Job.lineOf(F);
  }
  /// Readers distinguish functions by their files, but not by their objects.
  std::string fileOf(const std::string &Process, FunctionId F) const {
    std::string Source = printable(sourceOf(F).File);
    if (Process.empty())
      return Source.empty() ? "???" : Source;
    return Source.empty() ? Process : Source + " of " + Process;
  }
  long long nanoseconds(uint64_t Ticks) const {
    return std::llround(Job.R.clock().durationOf(Ticks));
  }
  /// The lines that name the function, or the callee, for the following lines.
  void name(StringRef Prefix, const std::string &Process, FunctionId Id) {
    bool Further = Id == CallTree::Others;
    const Function *F = Further ? nullptr : &Job.R.tables().function(Id);
    Job.OS << Prefix << "ob="
           << (F && !F->ModulePath.empty() ? printable(F->ModulePath) : "???")
           << '\n'
           // In the format, a callee's file has another keyword.
           << (Prefix.empty() ? "fl=" : "cfi=") << fileOf(Process, Id) << '\n'
           << Prefix << "fn=" << (F ? F->Name : "(further paths)") << '\n';
  }
  ExportJob &Job;
  std::map<FunctionId, Costs> Functions;
};

} // namespace

Expected<Totals> exportCallgrind(ExportJob &Job) {
  if (Job.first())
    Job.OS << "# callgrind format\nversion: 1\ncreator: tpctl\ncmd: "
           << Job.processName(1, Job.R.header().pid)
           << "\npositions: line\nevents: ns\n\n";
  auto Trees = readCallTrees(Job.R, Job.Filter, /*ByThread=*/true,
                             [&](FunctionId F) { return Job.wants(F); });
  if (!Trees)
    return Trees.takeError();
  std::map<std::string, CallgrindWriter> Processes;
  for (size_t I = 0; I != Trees->Trees.size(); ++I) {
    const ThreadInfo &T = Trees->Threads[I];
    std::string Process =
        Job.Files > 1 ? Job.processName(T.Process, T.Pid) : "";
    Processes.try_emplace(Process, Job).first->second.add(Trees->Trees[I]);
  }
  for (auto &[Process, Writer] : Processes)
    Writer.write(Process);
  if (Job.last())
    Job.OS << "totals: " << Job.state<CallgrindState>().Sum << '\n';
  return Totals{Trees->Events, Trees->Lost};
}

} // namespace tpctl
