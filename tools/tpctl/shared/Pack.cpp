// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tpctl pack: a recording in fewer bytes. All verbs read packed recordings.

#include "Packs.h"

#include "Pack.h"
#include "Verb.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include <CLI/CLI.hpp>

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

void tpctl::addPack(CLI::App &Top, Action &Chosen) {
  auto O = std::make_shared<Options>();
  CLI::App &Verb =
      *Top.add_subcommand("pack", "compress a recording; all verbs read it");
  Verb.add_option("FILE", O->From, "recording")->required()->type_name("");
  Verb.add_option("--level", O->Level, "1: fast, to 19: small; 3 if not given")
      ->check(CLI::Range(1, 19))
      ->option_text("N");
  Verb.add_option("-o", O->To, "write to this file, and keep the recording")
      ->option_text("FILE");
  Verb.callback([O, &Chosen] { Chosen = [O] { return pack(*O); }; });
}
