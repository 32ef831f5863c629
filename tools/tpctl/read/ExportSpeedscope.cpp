// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The format of speedscope: calls in time order, with a profile for each thread
// of each recording.

#include "Export.h"
#include "Speedscope.h"
#include "shared/Output.h"
#include "shared/Verb.h"
#include "llvm/Support/Path.h"
#include <string>

using namespace llvm;
using namespace tp::trace;

namespace tpctl {

namespace {

struct SpeedscopeState : ExportState {
  SpeedscopeFile File;
};

std::string nameOf(const ExportJob &Job) {
  std::string Name = sys::path::filename(Job.R.file().path()).str();
  return Job.Files == 1
             ? Name
             : Name + " and " + std::to_string(Job.Files - 1) + " more";
}

} // namespace

Expected<Totals> exportSpeedscope(ExportJob &Job) {
  SpeedscopeCalls Calls(Job.R, Job.Chosen.Code,
                        [&](const Frame &F, uint64_t End) {
                          return Job.Filter.takes(F.Start, End - F.Start) &&
                                 Job.wants(F.Function);
                        });
  auto Sum = Calls.read(Job.Filter);
  if (!Sum)
    return Sum;
  if (Job.Files > 1)
    Calls.setPlace(Job.Offset, [&](const ThreadInfo &T) {
      return Job.processName(T.Process, T.Pid);
    });
  SpeedscopeFile &File = Job.state<SpeedscopeState>().File;
  if (Job.first())
    beginSpeedscope(Job.OS, nameOf(Job));
  if (Error E = Calls.writeProfiles(Job.OS, File))
    return E;
  if (Job.last())
    endSpeedscope(Job.OS, File);
  Job.Written = Calls.calls();
  if (Calls.tooDeep())
    note(countText(Calls.tooDeep(), "call is", "calls are") + " deeper than " +
         Twine(SpeedscopeCalls::MostDepth) +
         ", which speedscope cannot draw, and left out");
  return Sum;
}

} // namespace tpctl
