// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tpctl attach: loads libtprt into running processes, and starts their control.

#include "live/requests/Connection.h"
#include "shared/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace tpctl;

namespace {

struct Options {
  std::vector<int> Pids;
  bool Quiet = false;
};

Expected<ExitCode> attach(const Options &O) {
  for (int Pid : O.Pids) {
    auto Provided = provideControl(Pid);
    if (!Provided)
      return Provided.takeError();
    if (O.Quiet)
      continue;
    if (auto &New = *Provided)
      outs() << formatv(
          "{0}: control started{1}; one thread was stopped for {2} us\n", Pid,
          New->Loaded ? ", libtprt loaded" : "", New->Stopped.count() / 1000);
    else
      outs() << formatv("{0}: has a control already\n", Pid);
  }
  return Done;
}

} // namespace

void tpctl::addAttach(CommandLine &Line) {
  auto O = std::make_shared<Options>();
  VerbSyntax &Verb =
      Line.addVerb("attach", "load libtprt into a running process");
  Verb.addOption("-p,--pid", O->Pids, "PID", "the process; repeatable")
      .required();
  Verb.addFlag("-q,--quiet", O->Quiet, "print nothing on success");
  Verb.setAction([O] { return attach(*O); });
}
