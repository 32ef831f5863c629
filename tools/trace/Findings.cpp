// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Findings.h. The texts of the findings.

#include "Findings.h"

#include "llvm/ADT/Twine.h"

using namespace llvm;

namespace tp::trace {
namespace {

struct Words {
  StringRef Name;
  StringRef One;
  StringRef Many;
};

constexpr Words Sentences[FindingCount] = {
    {"block_unknown", "block was skipped: it is not a block of a recording",
     "blocks were skipped: they are not blocks of a recording"},
    {"block_clearing",
     "block was skipped: its writer was killed while it claimed the block",
     "blocks were skipped: their writers were killed while they claimed the "
     "blocks"},
    {"block_twice", "block was skipped: another has the same sequence number",
     "blocks were skipped: others have the same sequence numbers"},
    {"block_too_long", "block claims more used bytes than it contains",
     "blocks claim more used bytes than they contain"},
    {"block_cut", "block is cut off by the end of the file",
     "blocks are cut off by the end of the file"},
    {"blocks_missing", "block of a thread is missing",
     "blocks of threads are missing"},
    {"file_short", "block is missing at the end of the file",
     "blocks are missing at the end of the file"},
    {"words_lost",
     "word was claimed and never stored: at most one event is lost",
     "words were claimed and never stored: at most as many events are lost"},
    {"events_cut", "event was skipped: it was not written to its end",
     "events were skipped: they were not written to their ends"},
    {"words_unknown",
     "extension was skipped: this reader does not know its type",
     "extensions were skipped: this reader does not know their types"},
    {"words_beyond",
     "block was read in part: a count in it leads beyond its end",
     "blocks were read in part: counts in them lead beyond their ends"},
    {"record_unknown", "record was skipped: this reader does not know its type",
     "records were skipped: this reader does not know their types"},
    {"record_bad", "record was skipped: it is damaged",
     "records were skipped: they are damaged"},
    {"pack_bad", "pack was skipped: it cannot be unpacked",
     "packs were skipped: they cannot be unpacked"},
    {"pack_cut",
     "pack is cut off by the end of the file: copy the file again, or record "
     "again",
     "packs are cut off by the end of the file: copy the file again, or record "
     "again"},
    {"events_lost", "event was lost by the recorder",
     "events were lost by the recorder"},
    {"sites_unknown", "event belongs to a site that the file does not describe",
     "events belong to sites that the file does not describe"},
    {"time_back", "timestamp went back and was raised",
     "timestamps went back and were raised"},
    {"exits_alone",
     "call began before the recording, or its entry was lost or cannot be "
     "probed",
     "calls began before the recording, or their entries were lost or cannot "
     "be probed"},
    {"calls_untimed",
     "call has no time, because no exit of its function was recorded",
     "calls have no times, because no exits of their functions were recorded"},
    {"calls_unwound",
     "call ended without an exit: by an exception, a longjmp, an exit without "
     "a probe, or a lost event",
     "calls ended without an exit: by exceptions, longjmp, exits without a "
     "probe, or lost events"},
    {"calls_unfinished", "call was still open at the end",
     "calls were still open at the end"},
    {"calls_uncertain",
     "call spans lost events: its time may be that of several calls",
     "calls span lost events: the time of each may be that of several calls"},
    {"calls_too_deep",
     "call was nested more than a million levels deep, so its time is not "
     "known",
     "calls were nested more than a million levels deep, so their times are "
     "not known"},
    {"calls_unread",
     "call is not recorded, because the condition is not known: memory could "
     "not be read, the call ended without a result, or the condition divides "
     "by 0",
     "calls are not recorded, because the condition is not known: memory could "
     "not be read, calls ended without results, or the condition divides by "
     "0"},
    {"paths_cut",
     "call is deeper than the paths that are written: it is below (further "
     "paths)",
     "calls are deeper than the paths that are written: they are below "
     "(further "
     "paths)"},
    {"processes_cut",
     "process did not end its recording: a signal killed the process, or the "
     "file was copied before",
     "processes did not end their recording: signals killed them, or the file "
     "was copied before"},
    {"processes_go_on", "process is still recording",
     "processes are still recording"},
};

} // namespace

StringRef nameOf(Finding Which) {
  return Sentences[static_cast<size_t>(Which)].Name;
}

void Findings::cut(uint64_t AtByte, uint64_t OfBytes, uint64_t Blocks,
                   uint64_t OfBlocks) {
  Cut = ("the file is cut off at byte " + Twine(AtByte) + " of " +
         Twine(OfBytes) + ": it contains " + Twine(Blocks) + " of " +
         Twine(OfBlocks) + (OfBlocks == 1 ? " block" : " blocks") +
         "; copy the file again, or record again")
            .str();
}

bool Findings::isCut() const {
  return !Cut.empty() || count(Finding::BlockCut) || count(Finding::PackCut);
}

std::vector<std::string> Findings::sentences() const {
  std::vector<std::string> Result;
  auto isPartOfCut = [&](size_t I) {
    return !Cut.empty() && (I == static_cast<size_t>(Finding::BlockCut) ||
                            I == static_cast<size_t>(Finding::FileShort));
  };
  if (!Cut.empty())
    Result.push_back(Cut);
  for (size_t I = 0; I != FindingCount; ++I)
    if (uint64_t N = count(static_cast<Finding>(I)); N && !isPartOfCut(I))
      Result.push_back(
          (Twine(N) + " " + (N == 1 ? Sentences[I].One : Sentences[I].Many))
              .str());
  return Result;
}

} // namespace tp::trace
