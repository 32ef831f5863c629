// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See BlockFile.h. The reader needs no copy of an unpacked file: it reads first
// the headers of all blocks, which give the blocks' order, and then a block at
// a time.

#include "BlockFile.h"

#include "Packs.h"
#include "Readable.h"
#include "Words.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>
#include <unordered_map>
#include <utility>

using namespace llvm;

namespace tp::trace {
namespace {

constexpr size_t HeaderBytes = sizeof(tprt_trace_block);

Error damaged(StringRef Path, const Twine &What) {
  return createStringError("'" + Path + "': the header is damaged: " + What);
}

/// The file is a program instead of its recording.
Error isProgram(StringRef Path) {
  StringRef InFolder = Path.contains('/') ? "" : "./";
  return createStringError(
      "'" + Path + "' is a program and no recording; 'tpctl record -- " +
      InFolder + Path + "' makes one");
}

/// The file has a header at most.
Error cutBeforeBlocks(StringRef Path, uint64_t Bytes) {
  return createStringError(
      "'" + Path + "' is a recording that is cut off at byte " + Twine(Bytes) +
      ", before its first block: copy the file again, or record again");
}

/// A message for a file that is not a recording, with a guess about the file's
/// type. `Read` has the bytes of the header, which may be incomplete.
Error noRecording(StringRef Path, const tprt_trace_header &H, size_t Read) {
  StringRef Begin(H.magic, std::min(Read, sizeof H.magic));
  bool Runs = sys::fs::can_execute(Path);
  if (Runs && (Begin.starts_with("\x7f"
                                 "ELF") ||
               Begin.starts_with("#!")))
    return isProgram(Path);
  if (Read < sizeof H && Read &&
      StringRef(TPRT_TRACE_MAGIC, sizeof H.magic).starts_with(Begin))
    return cutBeforeBlocks(Path, Read);
  if (Read < sizeof H)
    return createStringError("'" + Path + "' is not a recording: it has only " +
                             Twine(Read) + (Read == 1 ? " byte" : " bytes"));
  if (all_of(Begin, [](char C) { return C == 0; }))
    return createStringError(
        "'" + Path +
        "' has no header: the program ended before it wrote the header");
  return createStringError(
      "'" + Path + "' is not a recording: it does not begin with tptrace");
}

/// Replaces characters that a terminal would act upon. The length does not
/// change.
template <size_t Bytes> void showPrintable(char (&Text)[Bytes]) {
  std::string Shown = printable({Text, strnlen(Text, Bytes - 1)});
  memcpy(Text, Shown.c_str(), Shown.size() + 1);
}

/// The used size of an open block: up to the last word that was stored. A word
/// inside an extension may be zero and counts, too.
size_t storedBytes(ArrayRef<uint64_t> Words) {
  size_t Used = 0;
  for (size_t At = 0; At < Words.size(); At += lengthOf(Words[At]))
    if (Words[At])
      Used = std::min(Words.size(), At + lengthOf(Words[At]));
  return Used * sizeof(uint64_t);
}

} // namespace

std::shared_ptr<Buffer> BufferPool::take() {
  std::unique_ptr<Buffer> B;
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    if (!Free.empty()) {
      B = std::move(Free.back());
      Free.pop_back();
    }
  }
  if (!B)
    B = std::make_unique<Buffer>(Words);
  return {B.release(), [Pool = shared_from_this()](Buffer *Given) {
            std::lock_guard<std::mutex> Lock(Pool->Mutex);
            Pool->Free.emplace_back(Given);
          }};
}

BlockFile::~BlockFile() {
  if (Descriptor != sys::fs::kInvalidFile)
    sys::fs::closeFile(Descriptor);
}

Expected<size_t> BlockFile::readAt(uint64_t Offset, void *To,
                                   size_t Bytes) const {
  size_t Done = 0;
  while (Done < Bytes) {
    Expected<size_t> Read = sys::fs::readNativeFileSlice(
        Descriptor, {static_cast<char *>(To) + Done, Bytes - Done},
        Offset + Done);
    if (!Read)
      return createStringError("cannot read '" + Path +
                               "': " + toString(Read.takeError()));
    if (!*Read)
      break;
    Done += *Read;
  }
  return Done;
}

Error BlockFile::checkHeader() {
  auto Read = readAt(0, &Header, sizeof Header);
  if (!Read)
    return Read.takeError();
  if (*Read < sizeof Header ||
      memcmp(Header.magic, TPRT_TRACE_MAGIC, sizeof Header.magic) != 0)
    return noRecording(Path, Header, *Read);
  if (Header.byte_order == byteswap(uint32_t(TPRT_TRACE_BYTE_ORDER)))
    return createStringError("'" + Path +
                             "' was written in the other byte order: it was "
                             "converted or is damaged");
  if (Header.byte_order != TPRT_TRACE_BYTE_ORDER)
    return damaged(Path, "its byte order is unknown");
  if (Header.major != TPRT_TRACE_MAJOR)
    return createStringError(
        "'" + Path + "' has format " + Twine(Header.major) + "." +
        Twine(Header.minor) + ", and this tpctl reads " +
        Twine(TPRT_TRACE_MAJOR) + "." + Twine(TPRT_TRACE_MINOR) +
        ": use a tpctl as new as the recorder (" +
        StringRef(Header.producer,
                  strnlen(Header.producer, sizeof Header.producer)) +
        ")");
  if (uint32_t Unknown = Header.required & ~TPRT_TRACE_REQUIRED_PACKED)
    return createStringError(
        "'" + Path + "' needs features (0x" + Twine::utohexstr(Unknown) +
        ") that this tpctl does not have: use a newer one");
  if (!isPowerOf2_32(Header.block_bytes) ||
      Header.block_bytes < TPRT_TRACE_LEAST_BLOCK ||
      Header.block_bytes > TPRT_TRACE_MOST_BLOCK)
    return damaged(Path, "blocks of " + Twine(Header.block_bytes) + " bytes");
  if (Header.first_block < TPRT_TRACE_HEADER_BYTES ||
      Header.first_block % TPRT_TRACE_HEADER_BYTES ||
      Header.first_block > TPRT_TRACE_MOST_BLOCK)
    return damaged(Path,
                   "the first block at byte " + Twine(Header.first_block));
  bool Packed = Header.required & TPRT_TRACE_REQUIRED_PACKED;
  if (FileBytes <= Header.first_block && (Packed || Header.blocks))
    return cutBeforeBlocks(Path, FileBytes);
  showPrintable(Header.host);
  return Error::success();
}

Expected<std::unique_ptr<BlockFile>> BlockFile::open(StringRef Path,
                                                     Findings &Found) {
  std::unique_ptr<BlockFile> File(new BlockFile(Path, Found));
  sys::fs::file_status Status;
  if (std::error_code Code = sys::fs::status(Path, Status))
    return createStringError("cannot open '" + Path + "': " + Code.message());
  // The type is checked before the file is opened: opening a named pipe would
  // wait for a writer.
  if (Status.type() != sys::fs::file_type::regular_file)
    return createStringError(
        "'" + Path +
        "' is not a regular file, so a recording cannot be read from it");
  auto Opened = sys::fs::openNativeFileForRead(Path);
  if (!Opened)
    return createStringError("cannot open '" + Path +
                             "': " + toString(Opened.takeError()));
  File->Descriptor = *Opened;
  if (std::error_code Code = sys::fs::status(File->Descriptor, Status))
    return createStringError("cannot read '" + Path + "': " + Code.message());
  File->FileBytes = Status.getSize();
  if (Error E = File->checkHeader())
    return E;
  File->Buffers =
      std::make_shared<BufferPool>(File->Header.block_bytes / sizeof(uint64_t));
  if (!(File->Header.required & TPRT_TRACE_REQUIRED_PACKED))
    if (Error E = File->index())
      return E;
  return File;
}

/// Checks and corrects a block. If the block is unusable, counts the reason.
void BlockFile::indexOne(uint32_t Number, const tprt_trace_block &H) {
  if (H.state == TPRT_TRACE_BLOCK_FREE && !H.magic)
    return;
  if (H.state == TPRT_TRACE_BLOCK_CLEARING)
    return Found.add(Finding::BlockClearing);
  bool Live =
      H.state == TPRT_TRACE_BLOCK_OPEN || H.state == TPRT_TRACE_BLOCK_FULL;
  Place At{H.sequence, H.counter, Number,
           H.process,  H.thread,  (H.flags & TPRT_TRACE_BLOCK_SHARED) != 0};
  if (H.magic == TPRT_TRACE_BLOCK_MAGIC && Live &&
      H.kind == TPRT_TRACE_BLOCK_EVENTS)
    Events.push_back(At);
  else if (H.magic == TPRT_TRACE_BLOCK_MAGIC && Live &&
           H.kind == TPRT_TRACE_BLOCK_RECORDS)
    Records.push_back(At);
  else if (H.state != TPRT_TRACE_BLOCK_FREE)
    Found.add(Finding::BlockUnknown);
}

Error BlockFile::index() {
  uint64_t After =
      FileBytes > Header.first_block ? FileBytes - Header.first_block : 0;
  uint64_t There = divideCeil(After, Header.block_bytes);
  uint64_t Count = std::min<uint64_t>({There, Header.blocks, UINT32_MAX});
  if (Count < Header.blocks)
    Found.add(Finding::FileShort, Header.blocks - Count);
  if (uint64_t Whole = After / Header.block_bytes; Whole < Header.blocks)
    Found.cut(FileBytes,
              SaturatingMultiplyAdd<uint64_t>(Header.blocks, Header.block_bytes,
                                              Header.first_block),
              Whole, Header.blocks);
  for (uint64_t I = 0; I != Count; ++I) {
    tprt_trace_block H;
    auto Read =
        readAt(Header.first_block + I * Header.block_bytes, &H, sizeof H);
    if (!Read)
      return Read.takeError();
    if (*Read == sizeof H)
      indexOne(static_cast<uint32_t>(I), H);
    else
      Found.add(Finding::BlockCut);
  }
  order(Records);
  order(Events);
  return Error::success();
}

/// Sorts the blocks by sequence number. Of two blocks with the same number, the
/// second one is removed.
void BlockFile::order(std::vector<Place> &Places) {
  auto Less = [](const Place &A, const Place &B) {
    return A.Sequence < B.Sequence;
  };
  if (!is_sorted(Places, Less))
    stable_sort(Places, Less);
  size_t Before = Places.size();
  Places.erase(llvm::unique(Places,
                            [](const Place &A, const Place &B) {
                              return A.Sequence == B.Sequence;
                            }),
               Places.end());
  if (Before != Places.size())
    Found.add(Finding::BlockTwice, Before - Places.size());
}

/// All events of a block are older than the next block of the same thread. The
/// threads of a shared block are unknown until the block is read, so shared
/// blocks are always needed.
std::vector<BlockFile::Place> BlockFile::eventsFrom(uint64_t From) const {
  std::unordered_map<uint64_t, uint64_t> NextOf;
  std::vector<Place> Needed;
  for (const Place &P : reverse(Events)) {
    auto [Next, IsLast] =
        NextOf.try_emplace(uint64_t(P.Process) << 32 | P.Thread, P.Counter);
    uint64_t End = std::exchange(Next->second, P.Counter);
    if (P.Shared || IsLast || End >= From)
      Needed.push_back(P);
  }
  std::reverse(Needed.begin(), Needed.end());
  return Needed;
}

Expected<Block> BlockFile::readBlock(uint32_t Number) const {
  std::shared_ptr<Buffer> Data = Buffers->take();
  auto Read = readAt(Header.first_block + uint64_t(Number) * Header.block_bytes,
                     Data->data(), Header.block_bytes);
  if (!Read)
    return Read.takeError();
  Block B{}; // keeps this value if the file has become shorter
  if (*Read >= HeaderBytes)
    memcpy(&B.Header, Data->data(), HeaderBytes);
  size_t Room = std::max(*Read, HeaderBytes) - HeaderBytes;
  if (*Read < Header.block_bytes)
    Found.add(Finding::BlockCut);
  bool Scan = B.Header.kind == TPRT_TRACE_BLOCK_EVENTS &&
              B.Header.state == TPRT_TRACE_BLOCK_OPEN;
  size_t Used = Scan ? Room : B.Header.used;
  if (Used > Header.block_bytes - HeaderBytes)
    Found.add(Finding::BlockTooLong);
  Used = std::min(Used, Room);
  B.Content = {reinterpret_cast<uint8_t *>(Data->data()) + HeaderBytes, Used};
  if (Scan)
    B.Content = B.Content.take_front(storedBytes(B.words()));
  B.Owner = std::move(Data);
  return B;
}

Error BlockFile::visit(const std::vector<Place> &Places, Visitor Visit) {
  uint64_t Done = 0;
  for (const Place &P : Places) {
    tellProgress(Done++, Places.size());
    auto B = readBlock(P.Number);
    if (!B)
      return B.takeError();
    // The recorder may have begun to reuse the block.
    if (B->Header.sequence != P.Sequence ||
        B->Header.state == TPRT_TRACE_BLOCK_CLEARING) {
      Found.add(Finding::BlockClearing);
      continue;
    }
    if (!Visit(std::move(*B)))
      break;
  }
  tellProgress(Places.size(), Places.size());
  return Error::success();
}

/// A file has one end, but the packs are visited several times.
void BlockFile::addCutPack() {
  if (!Found.count(Finding::PackCut))
    Found.add(Finding::PackCut);
}

Error BlockFile::visitPacks(uint16_t Kind, Visitor Visit) {
  uint64_t At = Header.first_block;
  tprt_trace_pack Pack;
  while (At + sizeof Pack <= FileBytes) {
    tellProgress(At, FileBytes);
    auto Read = readAt(At, &Pack, sizeof Pack);
    if (!Read)
      return Read.takeError();
    At += sizeof Pack;
    bool Sane = Pack.magic == TPRT_TRACE_PACK_MAGIC &&
                Pack.unpacked <= TPRT_TRACE_MOST_PACK;
    bool Cut = Sane && Pack.packed > FileBytes - At;
    if (!Sane || Cut) {
      if (Cut)
        addCutPack();
      else
        Found.add(Finding::PackBad);
      return Error::success();
    }
    std::vector<uint8_t> Frame(Pack.packed);
    if (Read = readAt(At, Frame.data(), Frame.size()); !Read)
      return Read.takeError();
    At += alignTo(Pack.packed, sizeof(uint64_t));
    std::vector<Block> Blocks;
    if (!unpack(Pack, Frame, Blocks)) {
      Found.add(Finding::PackBad);
      continue;
    }
    bool Any = false;
    for (Block &B : Blocks) {
      if (B.Header.kind != Kind)
        continue;
      Any = true;
      if (!Visit(std::move(B)))
        return Error::success();
    }
    // Record blocks come before all others.
    if (Kind == TPRT_TRACE_BLOCK_RECORDS && !Any && !Blocks.empty())
      return Error::success();
  }
  tellProgress(FileBytes, FileBytes);
  if (At < FileBytes) // less than the header of a pack
    addCutPack();
  return Error::success();
}

Error BlockFile::visitRecords(Visitor Visit) {
  if (Header.required & TPRT_TRACE_REQUIRED_PACKED)
    return visitPacks(TPRT_TRACE_BLOCK_RECORDS, Visit);
  return visit(Records, Visit);
}

Error BlockFile::visitEvents(Visitor Visit, uint64_t From) {
  if (Header.required & TPRT_TRACE_REQUIRED_PACKED)
    return visitPacks(TPRT_TRACE_BLOCK_EVENTS, Visit);
  return visit(From ? eventsFrom(From) : Events, Visit);
}

} // namespace tp::trace
