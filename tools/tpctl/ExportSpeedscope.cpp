// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The format of speedscope: calls in the order of time, a profile per thread.

#include "Export.h"
#include "Speedscope.h"
#include "Verb.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace tp::trace;

namespace tpctl {

Expected<Totals> exportSpeedscope(ExportJob &Job) {
  SpeedscopeCalls Calls(Job.R, Job.Chosen.Code,
                        [&](const Frame &F, uint64_t End) {
                          return Job.Filter.takes(F.Start, End - F.Start) &&
                                 Job.wants(F.Function);
                        });
  auto Sum = Calls.read(Job.Filter);
  if (!Sum)
    return Sum;
  if (Error E = Calls.write(Job.OS, sys::path::filename(Job.R.file().path())))
    return E;
  Job.Written = Calls.calls();
  if (Calls.tooDeep())
    note(Twine(Calls.tooDeep()) + " calls are deeper than " +
         Twine(SpeedscopeCalls::MostDepth) +
         ", which speedscope cannot draw: they are left out");
  return Sum;
}

} // namespace tpctl
