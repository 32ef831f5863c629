// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ViewFacts.h.

#include "ViewFacts.h"

#include "shared/Output.h"
#include "shared/Selection.h"
#include "llvm/Support/Path.h"
#include <ctime>

using namespace llvm;
using namespace tp::trace;

namespace tpctl {
namespace {

/// A moment in UTC; empty if the recording has no clock.
std::string dateOf(const Recording &R) {
  double Nanoseconds = R.clock().realtimeOf(R.header().start.counter);
  if (Nanoseconds <= 0)
    return "";
  auto Seconds = static_cast<std::time_t>(Nanoseconds / 1e9);
  std::tm Parts;
  char Text[64];
  if (!gmtime_r(&Seconds, &Parts) ||
      !std::strftime(Text, sizeof Text, "%Y-%m-%d %H:%M UTC", &Parts))
    return "";
  return Text;
}

std::string programOf(Recording &R) {
  ArrayRef<Process> All = R.tables().processes();
  if (All.empty())
    return sys::path::filename(R.file().path()).str();
  std::string Name = sys::path::filename(All.front().Executable).str();
  if (All.size() > 1)
    Name += " and " + std::to_string(All.size() - 1) +
            (All.size() == 2 ? " more process" : " more processes");
  return Name;
}

std::string whereOf(Recording &R) {
  std::string Text;
  auto add = [&](const Twine &Part) {
    std::string Each = Part.str();
    if (!Each.empty())
      Text += (Text.empty() ? "" : " \u00b7 ") + Each;
  };
  if (!R.tables().processes().empty())
    add(R.tables().processes().front().CommandLine);
  add(StringRef(R.header().host));
  add("pid " + Twine(R.header().pid));
  add(dateOf(R));
  add(sys::path::filename(R.file().path()));
  return jsonText(Text);
}

json::Array number(std::string Value, StringRef Word, bool Bad = false) {
  return json::Array{std::move(Value), Word.str(), Bad};
}

} // namespace

std::string grouped(uint64_t Number) {
  std::string Digits = std::to_string(Number);
  for (size_t At = Digits.size(); At > 3; At -= 3)
    Digits.insert(At - 3, ",");
  return Digits;
}

Expected<ViewFacts> ViewFacts::read(StringRef Path, const Sources &Code) {
  Selection Everything;
  Everything.Files = {Path.str()};
  Everything.Code = Code;
  auto T =
      readRows(Everything, GroupBy::Nothing, /*Jobs=*/0, /*WithSource=*/false);
  if (!T)
    return T.takeError();
  ViewFacts F;
  F.File = sys::path::filename(Path);
  F.All = std::move(*T);
  for (const Row &R : F.All.Rows)
    F.Rows[{R.Module, R.Name, R.Where}] = &R;
  return F;
}

const Row *ViewFacts::rowOf(StringRef Module, StringRef Name,
                            StringRef Where) const {
  auto At = Rows.find({Module, Name, Where});
  return At == Rows.end() ? nullptr : At->second;
}

void ViewFacts::addRecording(Recording &R) {
  Program = jsonText(programOf(R));
  Where = whereOf(R);
  for (const std::string &Sentence : R.findings().sentences())
    Findings.push_back(Sentence);
  for (const std::string &Text : R.tables().notes())
    Findings.push_back(jsonText(Text));
  if (!R.clock().known())
    Findings.push_back("the counter's rate is not known; all times are ticks");
}

json::Value ViewFacts::json(StringRef AboutAll, TimelineFacts Timeline,
                            bool HasCalls) const {
  return json::Object{
      {"file", jsonText(File)},
      {"program", Program},
      {"where", Where},
      {"numbers", json::Array{number(grouped(All.Events),
                                     All.Events == 1 ? "event" : "events"),
                              number(grouped(All.Threads),
                                     All.Threads == 1 ? "thread" : "threads"),
                              number(timeText(All.Nanoseconds),
                                     "from the first to the last event"),
                              number(All.Lost ? grouped(All.Lost) : "none",
                                     "lost", All.Lost != 0)}},
      {"findings", json::Array(Findings)},
      {"hints", json::Object{{"flame", AboutAll.str()},
                             {"functions", AboutAll.str()},
                             {"timeline", Timeline.Hint}}},
      {"hasCalls", HasCalls},
      {"hasTimeline", !Timeline.Hint.empty()},
      {"start", Timeline.Start},
      {"threads", std::move(Timeline.Threads)},
      {"empty", HasCalls ? std::string() : jsonText(All.WhyEmpty)}};
}

} // namespace tpctl
