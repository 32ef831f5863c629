// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The JSON of chrome://tracing, which Perfetto's page and speedscope can open,
// too. Each call is a complete event ("X"). Times are in microseconds since the
// recording began, so that a double keeps the nanoseconds.

#include "Export.h"
#include "shared/Output.h"
#include "llvm/Support/JSON.h"

using namespace llvm;
using namespace tp::trace;

namespace tpctl {
namespace {

class ChromeWriter : public CallVisitor {
public:
  /// `Any` says that another element precedes the next one.
  ChromeWriter(ExportJob &Job, ThreadInfo &Info, bool &Any)
      : Job(Job), Info(Info), Any(Any) {}

  void left(const Frame &F, Frame *, uint64_t End, Ending How, size_t) {
    if (!Job.Filter.takes(F.Start, End - F.Start) || !Job.wants(F.Function))
      return;
    begin("X", Job.R.tables().function(F.Function).Name, F.Start);
    // The duration is the difference of two rounded times, so that calls nest
    // exactly.
    Job.OS << ",\"dur\":"
           << plainNumber((rounded(End) - rounded(F.Start)) / 1000);
    arguments(F.Function, How);
    Job.OS << '}';
  }
  void visited(FunctionId F, Frame *, uint64_t Time, size_t) {
    if (Job.Filter.takes(Time, 0) && Job.wants(F))
      instant(Job.R.tables().function(F).Name, Time, F);
  }
  void extension(uint64_t Word, ArrayRef<uint64_t> More, uint64_t Time,
                 size_t) {
    if (isExtension(Word, TPRT_TRACE_THREAD_NAME)) {
      Info.Name = textOf(More);
      separate();
      Job.OS << "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":"
             << Job.apart(Info.Pid) << ",\"tid\":" << Job.apart(Info.Tid)
             << ",\"args\":{\"name\":" << json::Value(jsonText(Info.Name))
             << "}}";
    } else if (isExtension(Word, TPRT_TRACE_MARK) && !More.empty() &&
               Job.Filter.takes(Time, 0)) {
      instant("mark " + std::to_string(More.front()), Time);
    }
  }

private:
  double rounded(uint64_t Time) const { return std::round(Job.timeOf(Time)); }
  void begin(const char *Phase, StringRef Name, uint64_t Time) {
    separate();
    ++Job.Written;
    Job.OS << "{\"ph\":\"" << Phase
           << "\",\"name\":" << json::Value(jsonText(Name))
           << ",\"pid\":" << Job.apart(Info.Pid)
           << ",\"tid\":" << Job.apart(Info.Tid)
           << ",\"ts\":" << plainNumber(rounded(Time) / 1000);
  }
  void instant(StringRef Name, uint64_t Time, FunctionId F = NoFunction) {
    begin("i", Name, Time);
    Job.OS << ",\"s\":\"t\"";
    if (F != NoFunction)
      arguments(F, Ending::Whole);
    Job.OS << '}';
  }
  /// The details that a viewer shows for a clicked call.
  void arguments(FunctionId F, Ending How) {
    const SourceFrame &Line = Job.lineOf(F);
    if (How == Ending::Whole && Line.File.empty())
      return;
    Job.OS << ",\"args\":{";
    if (How != Ending::Whole)
      Job.OS << "\"ending\":\""
             << (How == Ending::Unwound      ? "unwound"
                 : How == Ending::Unfinished ? "unfinished"
                                             : "uncertain")
             << (Line.File.empty() ? "\"" : "\",");
    if (!Line.File.empty())
      Job.OS << "\"file\":" << json::Value(jsonText(Line.File));
    if (Line.Line)
      Job.OS << ",\"line\":" << Line.Line;
    Job.OS << '}';
  }
  void separate() {
    Job.OS << (Any ? ",\n" : "\n");
    Any = true;
  }
  ExportJob &Job;
  ThreadInfo &Info;
  bool &Any;
};

} // namespace

Expected<Totals> exportChrome(ExportJob &Job) {
  if (Job.first())
    Job.OS << "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
  bool Any = !Job.first();
  auto Sum = readThreads<ChromeWriter>(Job.R, Job.Filter, [&](ThreadInfo &T) {
    return ChromeWriter(Job, T, Any);
  });
  for (const Process &P : Job.R.tables().processes()) {
    Job.OS << (Any ? ",\n" : "\n")
           << "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":"
           << Job.apart(P.Pid) << ",\"args\":{\"name\":"
           << json::Value(jsonText(Job.processName(P.Number, P.Pid))) << "}}";
    Any = true;
  }
  if (Job.last())
    Job.OS << "\n]}\n";
  return Sum;
}

} // namespace tpctl
