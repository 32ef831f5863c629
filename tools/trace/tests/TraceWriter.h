// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes valid and invalid recordings for tests. A file is created in memory,
// so everything in it can be changed before the file is written. For one
// thread.

#ifndef TP_TRACE_TESTS_TRACEWRITER_H
#define TP_TRACE_TESTS_TRACEWRITER_H

#include "tprt/trace_file.h"
#include <cstring>
#include <deque>
#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace tp::trace::tests {

/// An event's word.
inline uint64_t word(unsigned What, uint32_t Site, uint64_t Time) {
  return Time << TPRT_TRACE_TIME_SHIFT |
         uint64_t(Site) << TPRT_TRACE_SITE_SHIFT | What;
}
/// The first word of an extension.
inline uint64_t extension(unsigned Type, size_t Count, uint64_t Upper) {
  return Upper << TPRT_TRACE_TIME_SHIFT |
         uint64_t(Count) << TPRT_TRACE_COUNT_SHIFT |
         uint64_t(Type) << TPRT_TRACE_TYPE_SHIFT;
}

class TraceWriter {
public:
  explicit TraceWriter(uint32_t BlockBytes = TPRT_TRACE_LEAST_BLOCK) {
    memcpy(Header.magic, TPRT_TRACE_MAGIC, sizeof Header.magic);
    Header.byte_order = TPRT_TRACE_BYTE_ORDER;
    Header.major = TPRT_TRACE_MAJOR;
    Header.minor = TPRT_TRACE_MINOR;
    Header.block_bytes = BlockBytes;
    Header.mode = TPRT_TRACE_MODE_ALL;
    Header.first_block = TPRT_TRACE_HEADER_BYTES;
    Header.clock = TPRT_TRACE_CLOCK_TSC;
    Header.machine = 62;
    Header.clock_hz = 1'000'000'000;
    Header.start = {1000, 5'000'000'000, 1'700'000'000'000'000'000};
    Header.state = TPRT_TRACE_STATE_OPEN;
    Header.pid = 4000;
    strcpy(Header.boot_id, "6f1b6a5e-0000-4000-8000-000000000000");
    strcpy(Header.host, "testhost");
    strcpy(Header.producer, "TraceWriter");
  }

  tprt_trace_header Header{};

  /// One thread's place in its blocks.
  struct Thread {
    uint32_t Process = 1, Pid = 4000, Number = 0, Tid = 0, Order = 0;
    uint64_t Lost = 0, Last = 0;
    size_t Block = SIZE_MAX;
  };

  Thread &thread(uint32_t Tid, uint32_t Process = 1, uint32_t Pid = 4000) {
    auto [At, New] = Threads.try_emplace({Process, Tid});
    if (New)
      At->second = {Process,
                    Pid,
                    static_cast<uint32_t>(Threads.size()),
                    Tid,
                    0,
                    0,
                    Header.start.counter};
    return At->second;
  }

  /// Writes adjacent words into one block. If a new block is needed, it begins
  /// at `Time`.
  void words(Thread &T, uint64_t Time, const std::vector<uint64_t> &Words) {
    size_t Bytes = Words.size() * sizeof(uint64_t);
    if (T.Block == SIZE_MAX || Blocks[T.Block].Used + Bytes > room())
      newBlock(T, Time);
    Data &B = Blocks[T.Block];
    memcpy(&B.Bytes[sizeof(tprt_trace_block) + B.Used], Words.data(), Bytes);
    B.Used += Bytes;
    if (Time > T.Last)
      T.Last = Time;
  }
  void event(Thread &T, unsigned What, uint32_t Site, uint64_t Time) {
    if (Site >> TPRT_TRACE_SITE_BITS)
      words(T, Time,
            {extension(TPRT_TRACE_WIDE, 1, Time), Site | uint64_t(What) << 32});
    else
      words(T, Time, {word(What, Site, Time)});
  }

  /// Ends the thread's block as if the block was full: the next event is
  /// written to another block.
  void endBlock(Thread &T) {
    if (T.Block == SIZE_MAX)
      return;
    header(T.Block).state = TPRT_TRACE_BLOCK_FULL;
    header(T.Block).used = static_cast<uint32_t>(Blocks[T.Block].Used);
    T.Block = SIZE_MAX;
  }
  void newBlock(Thread &T, uint64_t Time) {
    endBlock(T);
    T.Block = takeBlock(TPRT_TRACE_BLOCK_EVENTS, Time);
    tprt_trace_block &H = header(T.Block);
    H.process = T.Process;
    H.pid = T.Pid;
    H.thread = T.Number;
    H.tid = T.Tid;
    H.order = T.Order++;
    H.lost = T.Lost;
  }

  tprt_trace_block &header(size_t Block) {
    return *reinterpret_cast<tprt_trace_block *>(Blocks[Block].Bytes.data());
  }
  size_t blocks() const { return Blocks.size(); }
  std::vector<uint8_t> &block(size_t Number) { return Blocks[Number].Bytes; }

  /// A record: a structure, and bytes after it.
  template <class T> void record(unsigned Type, T R, const std::string &After) {
    R.record.type = static_cast<uint16_t>(Type);
    std::string Bytes(reinterpret_cast<char *>(&R), sizeof R);
    Bytes += After;
    Bytes.resize((Bytes.size() + 7) & ~size_t(7));
    auto Size = static_cast<uint32_t>(Bytes.size());
    memcpy(Bytes.data(), &Size, sizeof Size);
    rawRecord(Bytes);
  }
  void rawRecord(const std::string &Bytes) {
    if (Records == SIZE_MAX || Blocks[Records].Used + Bytes.size() > room()) {
      Records = takeBlock(TPRT_TRACE_BLOCK_RECORDS, Header.start.counter);
      header(Records).process = 1;
      header(Records).pid = Header.pid;
    }
    Data &B = Blocks[Records];
    memcpy(&B.Bytes[sizeof(tprt_trace_block) + B.Used], Bytes.data(),
           Bytes.size());
    B.Used += Bytes.size();
    header(Records).used = static_cast<uint32_t>(B.Used);
  }

  void process(uint32_t Number, uint32_t Pid, const std::string &Executable,
               const std::string &Command,
               uint32_t Origin = TPRT_TRACE_ORIGIN_START) {
    tprt_trace_process R{};
    R.process = Number;
    R.pid = Pid;
    R.parent_pid = 1;
    R.origin = Origin;
    R.counter = Header.start.counter;
    record(TPRT_TRACE_RECORD_PROCESS, R, Executable + '\0' + Command + '\0');
  }

  /// A module whose functions have three sites each: entry, exit, tail exit.
  /// Returns the first site's number.
  uint32_t module(const std::string &Path,
                  const std::vector<std::string> &Names, uint32_t Process = 1) {
    tprt_trace_module M{};
    M.module = ++ModuleCount;
    M.process = Process;
    M.base = 0x400000;
    M.bytes = Names.size() * 64;
    M.first_site = NextSite;
    M.sites = static_cast<uint32_t>(3 * Names.size());
    M.build_id_bytes = static_cast<uint32_t>(BuildId.size());
    memcpy(M.build_id, BuildId.data(), BuildId.size());
    record(TPRT_TRACE_RECORD_MODULE, M, Path + '\0');
    uint32_t First = NextSite;
    for (size_t I = 0; I < Names.size(); I += 20)
      sites(M.module, Names, I, std::min(Names.size(), I + 20));
    return First;
  }
  uint32_t NextSite = 1;
  /// The build-id of the next module.
  std::string BuildId = "\xde\xad\xbe\xef";
  /// The address of the next module's first function.
  uint64_t FirstAddress = 0x1000;

  void close(uint64_t Time, uint32_t Reason = TPRT_TRACE_END_EXIT) {
    for (auto &[Key, T] : Threads)
      endBlock(T);
    Header.end = {Time, Header.start.monotonic + (Time - Header.start.counter),
                  Header.start.realtime + (Time - Header.start.counter)};
    Header.state = TPRT_TRACE_STATE_CLOSED;
    Header.end_reason = Reason;
  }

  std::string bytes() {
    if (!KeepBlocks)
      Header.blocks = Blocks.size();
    std::string All(reinterpret_cast<char *>(&Header), sizeof Header);
    All.resize(Header.first_block);
    for (const Data &B : Blocks)
      All.append(B.Bytes.begin(), B.Bytes.end());
    return All;
  }
  /// True if the test has set `Header.blocks` itself.
  bool KeepBlocks = false;
  void write(const std::string &Path) {
    std::ofstream(Path, std::ios::binary) << bytes();
  }

private:
  struct Data {
    std::vector<uint8_t> Bytes;
    size_t Used = 0;
  };

  size_t room() const { return Header.block_bytes - sizeof(tprt_trace_block); }
  size_t takeBlock(uint16_t Kind, uint64_t Time) {
    Blocks.push_back({std::vector<uint8_t>(Header.block_bytes), 0});
    tprt_trace_block &H = header(Blocks.size() - 1);
    H.magic = TPRT_TRACE_BLOCK_MAGIC;
    H.kind = Kind;
    H.state = TPRT_TRACE_BLOCK_OPEN;
    H.sequence = ++Sequence;
    H.counter = Time;
    H.depth = TPRT_TRACE_DEPTH_UNKNOWN;
    return Blocks.size() - 1;
  }
  void sites(uint32_t Module, const std::vector<std::string> &Names,
             size_t From, size_t To) {
    tprt_trace_sites R{};
    R.module = Module;
    R.first = NextSite;
    R.base = FirstAddress;
    std::string Rows, Strings(1, '\0');
    for (size_t I = From; I != To; ++I) {
      auto Name = static_cast<uint32_t>(Names[I].empty() ? 0 : Strings.size());
      for (uint32_t Kind = 0; Kind != 3; ++Kind) {
        auto Address = static_cast<uint32_t>(64 * I);
        tprt_trace_site Row = {Address + 8 * Kind, Address, Name, Kind};
        Rows.append(reinterpret_cast<char *>(&Row), sizeof Row);
        ++R.rows;
      }
      Strings += Names[I] + '\0';
    }
    NextSite += R.rows;
    R.string_bytes = static_cast<uint32_t>(Strings.size());
    record(TPRT_TRACE_RECORD_SITES, R, Rows + Strings);
  }

  std::deque<Data> Blocks;
  std::map<std::pair<uint32_t, uint32_t>, Thread> Threads;
  size_t Records = SIZE_MAX;
  uint64_t Sequence = 0;
  uint32_t ModuleCount = 0;
};

} // namespace tp::trace::tests

#endif
