// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Packs.h. Words are split into planes of bytes, and times are stored as
// differences. The upper bytes of the differences are then long runs of zeros,
// and sites repeat. So a compressed word needs less than half of its size.

#include "Packs.h"

#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>
#include <zstd.h>

using namespace llvm;

namespace tp::trace {
namespace {

constexpr size_t BlockHeaderBytes = sizeof(tprt_trace_block);
constexpr uint64_t CodeMask = (uint64_t(1) << TPRT_TRACE_TIME_SHIFT) - 1;
constexpr unsigned Planes = sizeof(uint64_t);

bool hasEvents(const tprt_trace_block &H) {
  return H.kind == TPRT_TRACE_BLOCK_EVENTS;
}

/// Replaces the upper 40 bits of each word by their difference from the
/// previous word, and back.
uint64_t difference(uint64_t Word, uint64_t Before) {
  return (Word & CodeMask) | ((Word & ~CodeMask) - (Before & ~CodeMask));
}
uint64_t sum(uint64_t Word, uint64_t Before) {
  return (Word & CodeMask) | ((Word & ~CodeMask) + (Before & ~CodeMask));
}

/// Reads the blocks' headers. Returns false if the sum of the blocks' sizes is
/// not the size of the content.
bool readHeaders(const tprt_trace_pack &Pack, ArrayRef<uint8_t> Content,
                 std::vector<Block> &Blocks) {
  if (Pack.blocks > Content.size() / BlockHeaderBytes)
    return false;
  uint64_t Total = uint64_t(Pack.blocks) * BlockHeaderBytes;
  for (uint32_t I = 0; I != Pack.blocks; ++I) {
    Block B;
    memcpy(&B.Header, Content.data() + I * BlockHeaderBytes, BlockHeaderBytes);
    if (hasEvents(B.Header) && B.Header.used % sizeof(uint64_t))
      return false;
    Total += B.Header.used;
    Blocks.push_back(B);
  }
  return Total == Content.size();
}

} // namespace

bool unpack(const tprt_trace_pack &Pack, ArrayRef<uint8_t> Frame,
            std::vector<Block> &Blocks) {
  std::vector<uint8_t> Content(Pack.unpacked);
  size_t Got = ZSTD_decompress(Content.data(), Content.size(), Frame.data(),
                               Frame.size());
  std::vector<Block> Read;
  if (ZSTD_isError(Got) || Got != Content.size() ||
      !readHeaders(Pack, Content, Read))
    return false;
  auto Data = std::make_shared<Buffer>(divideCeil(Content.size(), Planes) +
                                       Read.size());
  const uint8_t *From = Content.data() + Read.size() * BlockHeaderBytes;
  uint64_t *To = Data->data();
  size_t Words = 0;
  for (Block &B : Read) {
    B.Owner = Data;
    if (hasEvents(B.Header)) {
      Words += B.Header.used / Planes;
      continue;
    }
    memcpy(To, From, B.Header.used);
    B.Content = {reinterpret_cast<uint8_t *>(To), B.Header.used};
    From += B.Header.used;
    To += divideCeil(B.Header.used, Planes);
  }
  for (size_t I = 0; I != Words; ++I) {
    uint64_t Word = 0;
    for (unsigned P = 0; P != Planes; ++P)
      Word |= uint64_t(From[P * Words + I]) << (8 * P);
    To[I] = Word;
  }
  for (Block &B : Read) {
    if (!hasEvents(B.Header))
      continue;
    size_t Count = B.Header.used / Planes;
    for (size_t I = 1; I < Count; ++I)
      To[I] = sum(To[I], To[I - 1]);
    B.Content = {reinterpret_cast<uint8_t *>(To), B.Header.used};
    To += Count;
  }
  for (Block &B : Read)
    Blocks.push_back(std::move(B));
  return true;
}

std::vector<uint8_t> pack(ArrayRef<Block> Blocks, int Level) {
  std::vector<uint8_t> Content;
  std::vector<uint64_t> Words;
  auto append = [&](const void *From, size_t Bytes) {
    const auto *Byte = static_cast<const uint8_t *>(From);
    Content.insert(Content.end(), Byte, Byte + Bytes);
  };
  for (const Block &B : Blocks) {
    tprt_trace_block H = B.Header;
    H.state = TPRT_TRACE_BLOCK_FULL;
    H.used = static_cast<uint32_t>(hasEvents(H) ? B.words().size() * Planes
                                                : B.Content.size());
    append(&H, sizeof H);
  }
  for (const Block &B : Blocks) {
    if (!hasEvents(B.Header)) {
      append(B.Content.data(), B.Content.size());
      continue;
    }
    uint64_t Before = 0;
    for (uint64_t Word : B.words()) {
      Words.push_back(difference(Word, Before));
      Before = Word;
    }
  }
  for (unsigned P = 0; P != Planes; ++P)
    for (uint64_t Word : Words)
      Content.push_back(static_cast<uint8_t>(Word >> (8 * P)));

  std::vector<uint8_t> Result(sizeof(tprt_trace_pack) +
                              ZSTD_compressBound(Content.size()) + Planes);
  size_t Bytes = ZSTD_compress(Result.data() + sizeof(tprt_trace_pack),
                               Result.size() - sizeof(tprt_trace_pack),
                               Content.data(), Content.size(), Level);
  tprt_trace_pack Header = {TPRT_TRACE_PACK_MAGIC,
                            static_cast<uint32_t>(Blocks.size()), Bytes,
                            Content.size()};
  memcpy(Result.data(), &Header, sizeof Header);
  size_t End = sizeof Header + Bytes;
  std::fill(Result.begin() + End, Result.end(), 0);
  Result.resize(sizeof Header + alignTo(Bytes, Planes));
  return Result;
}

namespace {

/// Collects blocks until they are large enough for a pack, and writes packs.
class PackWriter {
public:
  PackWriter(raw_ostream &To, int Level) : To(To), Level(Level) {}
  void add(Block B) {
    size_t Bytes = B.Content.size() + BlockHeaderBytes;
    if (Gathered + Bytes > MostBytes)
      flush();
    Gathered += Bytes;
    Blocks.push_back(std::move(B));
  }
  void flush() {
    if (Blocks.empty())
      return;
    std::vector<uint8_t> Bytes = pack(Blocks, Level);
    To.write(reinterpret_cast<const char *>(Bytes.data()), Bytes.size());
    Blocks.clear();
    Gathered = 0;
  }

private:
  static constexpr size_t MostBytes = 4 << 20;
  raw_ostream &To;
  int Level;
  std::vector<Block> Blocks;
  size_t Gathered = 0;
};

} // namespace

Error packFile(StringRef From, StringRef To, int Level, Findings &Found) {
  auto File = BlockFile::open(From, Found);
  if (!File)
    return File.takeError();
  std::error_code Code;
  raw_fd_ostream Stream(To, Code);
  if (Code)
    return createStringError("cannot write '" + To + "': " + Code.message());
  tprt_trace_header Header = (*File)->header();
  Header.required |= TPRT_TRACE_REQUIRED_PACKED;
  Header.blocks = 0;
  Header.first_block = TPRT_TRACE_HEADER_BYTES;
  memset(Header.private_words, 0, sizeof Header.private_words);
  Stream.write(reinterpret_cast<const char *>(&Header), sizeof Header);
  Stream.write_zeros(TPRT_TRACE_HEADER_BYTES - sizeof Header);
  PackWriter Packs(Stream, Level);
  auto Add = [&](Block B) {
    Packs.add(std::move(B));
    return true;
  };
  Error E = (*File)->visitRecords(Add);
  Packs.flush();
  if (!E)
    E = (*File)->visitEvents(Add);
  Packs.flush();
  Stream.flush();
  Code = Stream.error();
  Stream.clear_error(); // otherwise the destructor ends the process
  if (!E && Code)
    E = createStringError("cannot write '" + To + "': " + Code.message());
  return E;
}

} // namespace tp::trace
