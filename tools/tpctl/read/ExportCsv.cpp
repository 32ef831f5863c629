// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A row of CSV for each call, in the order in which calls ended on each thread:
// for SQLite, DuckDB, ClickHouse and spreadsheets.

#include "Export.h"
#include "shared/Output.h"

using namespace llvm;
using namespace tp::trace;

namespace tpctl {
namespace {

class CsvWriter : public CallVisitor {
public:
  CsvWriter(ExportJob &Job, ThreadInfo &Info)
      : Job(Job), Info(Info), File(csvField(Job.R.file().path())) {}

  void computed(uint64_t Forms, ArrayRef<uint64_t> Words) {
    Values.computed(Forms, Words);
  }
  void entered(Frame &F, const Frame *, size_t) { F.Tag = Values.entered(); }
  void whole(const Frame &F, uint64_t End, Ending How, bool) {
    call(F, End, How, "", Values.take());
  }
  void left(const Frame &F, Frame *, uint64_t End, Ending How, size_t Depth) {
    call(F, End, How, std::to_string(Depth), Values.left(F.Tag));
  }
  void orphan(FunctionId F, uint64_t Time) {
    untimed(F, Time, "", "begun before");
  }
  void visited(FunctionId F, Frame *, uint64_t Time, size_t Depth) {
    untimed(F, Time, std::to_string(Depth), "entry only");
  }
  void extension(uint64_t Word, ArrayRef<uint64_t> More, uint64_t, size_t) {
    if (isExtension(Word, TPRT_TRACE_THREAD_NAME))
      Info.Name = tp::trace::textOf(More);
  }

private:
  /// If a call was recorded at its end, its depth is not known.
  void call(const Frame &F, uint64_t End, Ending How, const std::string &Depth,
            const Computed &Of) {
    uint64_t Ticks = End - F.Start;
    if (!Job.Filter.takes(F.Start, Ticks) || !Job.wants(F.Function))
      return;
    const Clock &C = Job.R.clock();
    begin(F.Function, F.Start);
    Job.OS << plainNumber(C.durationOf(Ticks)) << ','
           << plainNumber(C.durationOf(Ticks - F.Inner)) << ',' << Depth << ','
           << nameOf(How);
    end(F.Function, Of);
  }
  void begin(FunctionId Id, uint64_t Time) {
    const Function &F = Job.R.tables().function(Id);
    Job.OS << csvField(Job.R.header().host) << ',' << Info.Pid << ','
           << Info.Tid << ',' << csvField(Info.Name) << ','
           << csvField(F.ModulePath) << ',' << csvField(F.Name) << ','
           << plainNumber(Job.timeOf(Time)) << ',';
    ++Job.Written;
  }
  void end(FunctionId F, const Computed &Of) {
    const SourceFrame &Line = Job.lineOf(F);
    Job.OS << ',' << File << ',' << csvField(Line.File) << ',';
    if (Line.Line)
      Job.OS << Line.Line;
    Job.OS << ',';
    if (!Of.empty())
      Job.OS << csvField(
          jsonOf(Job.R.tables(), Of, Job.namerOf(Info.Process, F)));
    Job.OS << '\n';
  }
  void untimed(FunctionId F, uint64_t Time, const std::string &Depth,
               const char *Ending) {
    const Computed Of = Values.take();
    if (!Job.Filter.takes(Time, 0) || !Job.wants(F))
      return;
    begin(F, Time);
    Job.OS << ",," << Depth << ',' << Ending;
    end(F, Of);
  }
  ExportJob &Job;
  ThreadInfo &Info;
  OpenValues Values;
  const std::string File;
};

} // namespace

Expected<Totals> exportCsv(ExportJob &Job) {
  if (Job.first())
    Job.OS << "host,pid,tid,thread,module,function,start_ns,duration_ns,"
              "self_ns,depth,ending,file,source,line,values\n";
  return readThreads<CsvWriter>(
      Job.R, Job.Filter, [&](ThreadInfo &T) { return CsvWriter(Job, T); });
}

} // namespace tpctl
