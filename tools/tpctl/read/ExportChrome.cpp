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

  void computed(uint64_t Forms, ArrayRef<uint64_t> Words) {
    Values.computed(Forms, Words);
  }
  void entered(Frame &F, const Frame *, size_t) { F.Tag = Values.entered(); }
  void whole(const Frame &F, uint64_t End, Ending How, bool) {
    call(F, End, How, Values.take());
  }
  void left(const Frame &F, Frame *, uint64_t End, Ending How, size_t) {
    call(F, End, How, Values.left(F.Tag));
  }
  void call(const Frame &F, uint64_t End, Ending How, const Computed &Of) {
    if (!Job.Filter.takes(F.Start, End - F.Start) || !Job.wants(F.Function))
      return;
    begin("X", Job.R.tables().function(F.Function).Name, F.Start);
    // The duration is the difference of two rounded times, so that calls nest
    // exactly.
    Job.OS << ",\"dur\":"
           << plainNumber((rounded(End) - rounded(F.Start)) / 1000);
    arguments(F.Function, How, Of);
    Job.OS << '}';
  }
  void visited(FunctionId F, Frame *, uint64_t Time, size_t) {
    const Computed Of = Values.take();
    if (Job.Filter.takes(Time, 0) && Job.wants(F))
      instant(Job.R.tables().function(F).Name, Time, F, Of);
  }
  void extension(uint64_t Word, ArrayRef<uint64_t> More, uint64_t Time,
                 size_t) {
    if (isExtension(Word, TPRT_TRACE_THREAD_NAME)) {
      Info.Name = tp::trace::textOf(More);
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
  void instant(StringRef Name, uint64_t Time, FunctionId F = NoFunction,
               const Computed &Of = {}) {
    begin("i", Name, Time);
    Job.OS << ",\"s\":\"t\"";
    if (F != NoFunction)
      arguments(F, Ending::Whole, Of);
    Job.OS << '}';
  }
  /// The details that a viewer shows for a clicked call.
  void arguments(FunctionId F, Ending How, const Computed &Of) {
    const SourceFrame &Line = Job.lineOf(F);
    if (How == Ending::Whole && Line.File.empty() && Of.empty())
      return;
    Job.OS << ",\"args\":";
    json::OStream J(Job.OS);
    J.object([&] {
      if (How != Ending::Whole)
        J.attribute("ending", nameOf(How));
      if (!Line.File.empty())
        J.attribute("file", jsonText(Line.File));
      if (!Line.File.empty() && Line.Line)
        J.attribute("line", Line.Line);
      if (Of.empty())
        return;
      J.attributeBegin("values");
      writeJson(J, Job.R.tables(), Of, Job.namerOf(Info.Process, F));
      J.attributeEnd();
    });
  }
  void separate() {
    Job.OS << (Any ? ",\n" : "\n");
    Any = true;
  }
  ExportJob &Job;
  ThreadInfo &Info;
  OpenValues Values;
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
