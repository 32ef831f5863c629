// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens a recording, packed or not, and visits its blocks in the order in which
// threads began them. The reader checks all data of the file: unreadable parts
// are skipped and counted. Not thread-safe.

#ifndef TP_TRACE_BLOCKFILE_H
#define TP_TRACE_BLOCKFILE_H

#include "Findings.h"
#include "tprt/trace_file.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"
#include <memory>
#include <mutex>
#include <vector>

namespace tp::trace {

/// Bytes aligned like words. Several blocks may share one buffer.
using Buffer = std::vector<uint64_t>;

/// Reusable buffers of one size: new memory would cost a page fault for each
/// page. Any thread may return a buffer.
class BufferPool : public std::enable_shared_from_this<BufferPool> {
public:
  explicit BufferPool(size_t Words) : Words(Words) {}
  std::shared_ptr<Buffer> take();

private:
  const size_t Words;
  std::mutex Mutex;
  std::vector<std::unique_ptr<Buffer>> Free;
};

/// A block's header, with excessive sizes corrected, and the content after the
/// header.
struct Block {
  tprt_trace_block Header;
  std::shared_ptr<const Buffer> Owner; ///< owns what Content refers to
  llvm::ArrayRef<uint8_t> Content;

  /// The content of a block of events.
  llvm::ArrayRef<uint64_t> words() const {
    return {reinterpret_cast<const uint64_t *>(Content.data()),
            Content.size() / sizeof(uint64_t)};
  }
};

class BlockFile {
public:
  /// The error says what is wrong with the file and what to do about it.
  static llvm::Expected<std::unique_ptr<BlockFile>> open(llvm::StringRef Path,
                                                         Findings &Found);
  ~BlockFile();
  BlockFile(const BlockFile &) = delete;
  BlockFile &operator=(const BlockFile &) = delete;

  /// Called from time to time while a file is read, on the thread that reads.
  using ProgressFunction = void(llvm::StringRef Path, uint64_t Done,
                                uint64_t Of);
  static inline ProgressFunction *OnProgress = nullptr;

  using Visitor = llvm::function_ref<bool(Block)>;
  /// Visits all blocks of records, until the visitor returns false.
  llvm::Error visitRecords(Visitor Visit);
  /// Visits blocks of events, ordered by sequence number: all blocks, or those
  /// that may have events at counter `From` or later. If `From` is UINT64_MAX,
  /// visits the last block of each thread. A packed file is always read
  /// completely.
  llvm::Error visitEvents(Visitor Visit, uint64_t From = 0);

  const tprt_trace_header &header() const { return Header; }
  llvm::StringRef path() const { return Path; }
  uint64_t bytes() const { return FileBytes; }

private:
  BlockFile(llvm::StringRef Path, Findings &Found) : Path(Path), Found(Found) {}

  /// The place of a block, for the order of reading.
  struct Place {
    uint64_t Sequence, Counter;
    uint32_t Number, Process, Thread;
    bool Shared;
  };

  llvm::Error checkHeader();
  llvm::Error index();
  void tellProgress(uint64_t Done, uint64_t Of) const {
    if (OnProgress)
      OnProgress(Path, Done, Of);
  }
  void indexOne(uint32_t Number, const tprt_trace_block &H);
  void order(std::vector<Place> &Places);
  std::vector<Place> eventsFrom(uint64_t From) const;
  llvm::Error visit(const std::vector<Place> &Places, Visitor Visit);
  void addCutPack();
  llvm::Error visitPacks(uint16_t Kind, Visitor Visit);
  llvm::Expected<size_t> readAt(uint64_t Offset, void *To, size_t Bytes) const;
  llvm::Expected<Block> readBlock(uint32_t Number) const;

  std::string Path;
  Findings &Found;
  llvm::sys::fs::file_t Descriptor = llvm::sys::fs::kInvalidFile;
  uint64_t FileBytes = 0;
  tprt_trace_header Header{};
  std::vector<Place> Records, Events;
  std::shared_ptr<BufferPool> Buffers;
};

} // namespace tp::trace

#endif
