// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests files that are truncated, damaged, packed, of a newer format, or no
// recordings.
#include "Fixture.h"
#include "Here.h"
#include "Packs.h"
#include "Profile.h"
#include <fstream>
#include <random>
#include <unistd.h>

using namespace tp::trace;
using namespace tp::trace::tests;

namespace {

class FileTest : public TraceTest {
protected:
  std::string fault() {
    Opened = open();
    return Opened ? "" : Fault.substr(Fault.find("': ") + 1);
  }
  /// Calls of f in three blocks, 100 ticks each.
  void threeBlocks() {
    for (uint64_t I = 0; I != 3; ++I) {
      W.endBlock(T);
      enter('f', 2000 + 1000 * I), leave('f', 2100 + 1000 * I);
    }
  }
};

constexpr const char *Calls[] = {"f 2000-2100 self 100", "f 3000-3100 self 100",
                                 "f 4000-4100 self 100"};

TEST_F(FileTest, ForeignFilesAreRefused) {
  W.Header.magic[0] = 'x';
  EXPECT_NE(fault().find("is not a recording"), std::string::npos);
  memset(W.Header.magic, 0, sizeof W.Header.magic);
  EXPECT_NE(fault().find("has no header"), std::string::npos);
}

TEST_F(FileTest, OtherByteOrderIsNamed) {
  W.Header.byte_order = 0x04030201;
  EXPECT_NE(fault().find("the other byte order"), std::string::npos);
}

TEST_F(FileTest, NewerMajorVersionIsRefusedAndMinorIsNot) {
  W.Header.minor = 99;
  EXPECT_EQ(fault(), "");
  W.Header.major = 2;
  EXPECT_NE(fault().find("has format 2.99"), std::string::npos);
}

TEST_F(FileTest, UnknownRequiredFeaturesAreRefusedAndOptionalOnesAreNot) {
  W.Header.optional = 0x80;
  EXPECT_EQ(fault(), "");
  W.Header.required = 0x80;
  EXPECT_NE(fault().find("needs features (0x80)"), std::string::npos);
}

TEST_F(FileTest, SizesInTheHeaderAreChecked) {
  W.Header.first_block = 64;
  EXPECT_NE(fault().find("header is damaged"), std::string::npos);
  W.Header.first_block = TPRT_TRACE_HEADER_BYTES;
  W.Header.block_bytes = 5000;
  EXPECT_NE(fault().find("header is damaged"), std::string::npos);
}

TEST_F(FileTest, CutFileIsReadAsFarAsItGoes) {
  threeBlocks();
  std::string All = W.bytes();
  std::ofstream(Path, std::ios::binary)
      << All.substr(0, All.size() - TPRT_TRACE_LEAST_BLOCK + 64 + 8);
  auto R = Recording::open(Path);
  ASSERT_TRUE(bool(R));
  uint64_t Words = 0;
  EXPECT_FALSE(errorToBool((*R)->visit([&](const Segment &S) {
    Words += S.Words.size();
    return true;
  })));
  EXPECT_EQ(Words, 5u);
  EXPECT_EQ((*R)->findings().count(Finding::BlockCut), 1u);
}

TEST_F(FileTest, MissingBlocksAtTheEndAreCounted) {
  threeBlocks();
  W.KeepBlocks = true;
  W.Header.blocks = 10;
  EXPECT_EQ(calls(), (Lines{Calls[0], Calls[1], Calls[2]}));
  EXPECT_EQ(found(Finding::FileShort), 6u);
}

TEST_F(FileTest, BlocksAreReadInTheOrderOfTheirNumbers) {
  threeBlocks();
  std::swap(W.block(1), W.block(3));
  EXPECT_EQ(calls(), (Lines{Calls[0], Calls[1], Calls[2]}));
}

TEST_F(FileTest, BlocksThatDoNotCountAreSkipped) {
  threeBlocks();
  W.header(1).state = TPRT_TRACE_BLOCK_CLEARING;
  W.header(2).kind = 77;
  EXPECT_EQ(calls(), (Lines{Calls[2]}));
  EXPECT_EQ(found(Finding::BlockClearing), 1u);
  EXPECT_EQ(found(Finding::BlockUnknown), 1u);
  W.header(2).kind = TPRT_TRACE_BLOCK_EVENTS;
  W.header(2).magic = 1;
  EXPECT_EQ(calls(), (Lines{Calls[2]}));
  W.header(2).state = TPRT_TRACE_BLOCK_FREE;
  EXPECT_EQ(calls(), (Lines{Calls[2]}));
}

TEST_F(FileTest, ProcessesThatDidNotEndAreCounted) {
  W.process(1, 4000, "/bin/one", "one");
  W.process(2, 4001, "/bin/two", "two");
  threeBlocks();
  calls();
  EXPECT_EQ(found(Finding::ProcessesCut), 2u);
  EXPECT_EQ(found(Finding::ProcessesGoOn), 0u);
  W.close(5000);
  calls();
  EXPECT_EQ(found(Finding::ProcessesCut), 0u);
}

TEST_F(FileTest, AFileOfThisMachineIsReadWithItsHelp) {
  std::ifstream("/proc/sys/kernel/random/boot_id") >> W.Header.boot_id;
  if (!isFromHere(W.Header))
    GTEST_SKIP() << "this system has no boot id";
  W.process(1, static_cast<uint32_t>(getpid()), "/bin/self", "self");
  W.Header.clock_hz = 0;
  auto Now = momentNow(W.Header);
  if (Now)
    W.Header.start = *Now;
  threeBlocks();
  calls();
  EXPECT_EQ(found(Finding::ProcessesGoOn), 1u);
  EXPECT_EQ(found(Finding::ProcessesCut), 0u);
  EXPECT_EQ(Opened->clock().known(), Now.has_value());
}

TEST_F(FileTest, EqualSequenceNumbersCountOnce) {
  threeBlocks();
  W.header(3).sequence = W.header(2).sequence;
  EXPECT_EQ(calls(), (Lines{Calls[0], Calls[1]}));
  EXPECT_EQ(found(Finding::BlockTwice), 1u);
}

TEST_F(FileTest, UsedBeyondTheBlockIsCut) {
  threeBlocks();
  W.header(2).used = 0xfffffff0;
  EXPECT_EQ(calls(), (Lines{Calls[0], Calls[1], Calls[2]}));
  EXPECT_EQ(found(Finding::BlockTooLong), 1u);
}

TEST_F(FileTest, ZeroWordsAndReservedWordsAreLostEvents) {
  enter('f', 2000);
  W.words(T, 2001, {0});
  W.words(T, 2002, {extension(TPRT_TRACE_RESERVED, 3, 0), 1, 2, 3});
  leave('f', 2100);
  W.words(T, 2200, {0, 0, 0});
  EXPECT_EQ(calls(), (Lines{Calls[0]}));
  EXPECT_EQ(found(Finding::WordsLost), 1u);
  EXPECT_EQ(found(Finding::EventsCut), 1u);
}

TEST_F(FileTest, UnknownWordsAreSkipped) {
  enter('f', 2000);
  extend(61, 1, {~0ull, ~0ull});
  leave('f', 2100);
  EXPECT_EQ(calls(), (Lines{Calls[0]}));
  EXPECT_EQ(found(Finding::WordsUnknown), 1u);
}

TEST_F(FileTest, CountsBeyondTheBlockEndIt) {
  enter('f', 2000), leave('f', 2100);
  W.words(T, 2100, {extension(61, 65535, 1), ~0ull});
  EXPECT_EQ(calls(), (Lines{Calls[0]}));
  EXPECT_EQ(found(Finding::WordsBeyond), 1u);
}

TEST_F(FileTest, DamagedRecordsAreSkipped) {
  threeBlocks();
  tprt_trace_sites R{};
  R.rows = 0x20000000;
  R.string_bytes = 0xffffffff;
  W.record(TPRT_TRACE_RECORD_SITES, R, "");
  W.record(TPRT_TRACE_RECORD_MODULE, tprt_trace_sites{}, "");
  W.record(99, tprt_trace_sites{}, "");
  W.rawRecord(std::string("\3\0\0\0\0\0\0\0", 8));
  EXPECT_EQ(calls(), (Lines{Calls[0], Calls[1], Calls[2]}));
  EXPECT_EQ(found(Finding::RecordBad), 3u);
  EXPECT_EQ(found(Finding::RecordUnknown), 1u);
}

TEST_F(FileTest, StatementsOfPointsHavePlacesAndAreNoFunctions) {
  tprt_trace_sites R{};
  R.module = 1;
  R.first = 100;
  R.rows = 1;
  R.string_bytes = 1;
  R.base = 0x2000;
  tprt_trace_site Row{0x34, 0x34, 0, TPRT_TRACE_SITE_POINT};
  std::string After(reinterpret_cast<char *>(&Row), sizeof Row);
  W.record(TPRT_TRACE_RECORD_SITES, R, After + '\0');
  EXPECT_EQ(calls(), Lines());
  const Tables &Names = Opened->tables();
  EXPECT_EQ(Names.functionCount(), 3u);
  ASSERT_TRUE(Names.pointSite(100));
  EXPECT_EQ(Names.pointSite(100)->Address, 0x2034u);
  EXPECT_EQ(Names.module(Names.pointSite(100)->Module)->Path, "/bin/app");
  EXPECT_FALSE(Names.pointSite(First));
}

// LLVM's DenseMap reserves the two largest numbers for its own marks.
TEST_F(FileTest, LargestNumbersAreNumbersAsOthersAre) {
  for (uint32_t Number : {UINT32_MAX - 1, UINT32_MAX}) {
    tprt_trace_module M{};
    M.module = Number;
    W.record(TPRT_TRACE_RECORD_MODULE, M, std::string("/bin/large") + '\0');
    W.process(Number, Number, "/bin/large", "large");
    for (int I = 0; I != 100; ++I) {
      W.module("/bin/other", {});
      W.process(static_cast<uint32_t>(1000 + I), 9, "/bin/other", "other");
    }
    tprt_trace_sites R{};
    R.module = Number;
    R.first = 100;
    R.rows = 1;
    R.string_bytes = 2;
    tprt_trace_site Row{};
    std::string After(reinterpret_cast<char *>(&Row), sizeof Row);
    W.record(TPRT_TRACE_RECORD_SITES, R, After + "n" + '\0');
  }
  TraceWriter::Thread &Large = W.thread(UINT32_MAX, UINT32_MAX, UINT32_MAX);
  Large.Number = UINT32_MAX;
  W.event(Large, TPRT_TRACE_ENTRY, First, 2000);
  W.event(Large, TPRT_TRACE_EXIT, First + 1, 2100);
  EXPECT_EQ(calls(), (Lines{Calls[0]}));
  EXPECT_EQ(found(Finding::RecordBad), 0u);
  Tables &Names = Opened->tables();
  EXPECT_EQ(Names.function(Names.functionOf(100)).Name, "n");
  EXPECT_EQ(Names.function(Names.functionOf(100)).ModulePath, "/bin/large");
  ASSERT_TRUE(Names.process(UINT32_MAX));
  EXPECT_EQ(Names.process(UINT32_MAX)->Executable, "/bin/large");
  auto P = readProfile(*Opened, CallFilter(), true, 2);
  ASSERT_TRUE(bool(P));
  EXPECT_EQ(P->Events, 2u);
}

TEST_F(FileTest, PackedFileHasTheSameCalls) {
  threeBlocks();
  leave('g', 9000);
  Lines Before = calls();
  W.write(Path);
  Findings Found;
  ASSERT_FALSE(errorToBool(packFile(Path, Path + ".packed", 3, Found)));
  std::ifstream In(Path + ".packed", std::ios::binary);
  std::string Bytes(std::istreambuf_iterator<char>(In), {});
  auto R = Recording::open(Path + ".packed");
  ASSERT_TRUE(bool(R));
  unlink((Path + ".packed").c_str());
  CallReader<Log> Reader((*R)->tables(), (*R)->findings());
  Log V((*R)->tables());
  EXPECT_FALSE(errorToBool((*R)->visit([&](const Segment &S) {
    Reader.segment(S, V);
    return true;
  })));
  Reader.finish(V);
  EXPECT_EQ(V.Lines, Before);
}

TEST_F(FileTest, RandomWordsSurvivePacking) {
  std::mt19937_64 Random(1);
  Block B{};
  B.Header.kind = TPRT_TRACE_BLOCK_EVENTS;
  auto Data = std::make_shared<Buffer>(500);
  for (uint64_t &Word : *Data)
    Word = Random();
  B.Content = {reinterpret_cast<uint8_t *>(Data->data()), 4000};
  std::vector<uint8_t> Bytes = pack({B, B}, 1);
  tprt_trace_pack Header;
  memcpy(&Header, Bytes.data(), sizeof Header);
  std::vector<Block> Back;
  ASSERT_TRUE(unpack(
      Header, llvm::ArrayRef(Bytes).slice(sizeof Header, Header.packed), Back));
  ASSERT_EQ(Back.size(), 2u);
  EXPECT_EQ(Back[1].words(), llvm::ArrayRef(*Data));
}

} // namespace
