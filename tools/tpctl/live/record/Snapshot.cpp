// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tpctl snapshot: makes a process copy what it has recorded so far, while its
// recording continues.

#include "Outcome.h"
#include "Recorder.h"
#include "RuntimeOptions.h"
#include "live/requests/Readings.h"
#include "live/targets/Target.h"
#include "shared/CommandLine.h"
#include "shared/Output.h"
#include "shared/Processes.h"

using namespace llvm;
using namespace tpctl;

namespace {

struct Options {
  Target At{{}};
  std::string Path;
};

Error recordsNothing(const Twine &Who, pid_t Pid) {
  return createStringError(
      Who +
      " records nothing, so there is nothing to copy: begin with "
      "'tpctl record -p " +
      Twine(Pid) + " --mode newest', which keeps the newest events");
}

/// Connects to the process, and checks that it is recording.
Error prepare(Target &At) {
  At.takeOne("a snapshot copies one process's recording: give one -p PID");
  Error E = handleErrors(At.prepareControlled(), [](const NoControl &Of) {
    return recordsNothing("process " + Twine(Of.pid()), Of.pid());
  });
  if (E)
    return E;
  Connection &C = *At.Connections[0];
  auto Figures = readFigures(C);
  if (!Figures)
    return Figures.takeError();
  return Figures->recording ? Error::success()
                            : recordsNothing(C.name(), C.pid());
}

Expected<ExitCode> snapshot(Options &O) {
  if (Error E = prepare(O.At))
    return E;
  std::string Whole = absolutePath(O.Path);
  auto File = fileOption(Whole);
  if (!File)
    return File.takeError();
  Connection &C = *O.At.Connections[0];
  if (Error E = takeSnapshot(C, *File))
    return E;
  if (!seesSameFiles(C.pid()))
    return tellElsewhere(C, Whole), Done;
  Outcome Of(O.Path);
  if (Error E = Of.count())
    return E;
  Of.tellCopy();
  return Done;
}

} // namespace

void tpctl::addSnapshot(CommandLine &Line) {
  auto O = std::make_shared<Options>();
  VerbSyntax &Verb =
      Line.addVerb("snapshot", "copy what a process has recorded so far");
  O->At.addOptions(Verb);
  Verb.addOption("-o", O->Path, "FILE", "the copy").required();
  Verb.setAction([O] { return snapshot(*O); });
}
