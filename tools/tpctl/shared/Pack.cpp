// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tpctl pack: a recording in fewer bytes. All verbs read packed recordings.

#include "Packs.h"

#include "CommandLine.h"
#include "Pack.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"

using namespace llvm;
using namespace tp::trace;
using namespace tpctl;

namespace {

struct Options {
  std::string From, To;
  int Level = PackLevel;
};

Expected<ExitCode> pack(Options &O) {
  std::string To = O.To.empty() ? O.From : O.To;
  auto Sizes = packRecording(O.From, To, O.Level);
  if (!Sizes)
    return Sizes.takeError();
  errs() << "tpctl: '" << To << "' has " << Sizes->After << " bytes of "
         << Sizes->Before << " ("
         << format("%.1f", 100.0 * static_cast<double>(Sizes->After) /
                               static_cast<double>(
                                   std::max<uint64_t>(1, Sizes->Before)))
         << " %)\n";
  return Done;
}

} // namespace

Expected<PackSizes> tpctl::packRecording(const std::string &From,
                                         const std::string &To, int Level) {
  PackSizes Sizes;
  Findings Found;
  std::string Temporary = To + ".part";
  sys::fs::file_size(From, Sizes.Before);
  Error E = packFile(From, Temporary, Level, Found);
  // If only the owner may read the file, only the owner may read the packed
  // file.
  if (auto Rights = sys::fs::getPermissions(From); !E && Rights)
    sys::fs::setPermissions(Temporary, *Rights);
  if (!E && !sys::fs::file_size(Temporary, Sizes.After))
    if (std::error_code Code = sys::fs::rename(Temporary, To))
      E = createStringError("cannot write '" + To + "': " + Code.message());
  for (const std::string &Sentence : Found.sentences())
    note(From + ": " + Sentence);
  if (!E)
    return Sizes;
  sys::fs::remove(Temporary);
  return E;
}

void tpctl::addPack(CommandLine &Line) {
  auto O = std::make_shared<Options>();
  VerbSyntax &Verb =
      Line.addVerb("pack", "compress a recording; all verbs read it");
  Verb.addArgument("FILE", O->From).required();
  Verb.addOption("--level", O->Level, "N",
                 "1: fast, to 19: small; 3 if not given")
      .within(1, 19);
  Verb.addOption("-o", O->To, "FILE",
                 "write to this file, and keep the recording");
  Verb.setAction([O] { return pack(*O); });
}
