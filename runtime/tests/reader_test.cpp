// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests of libtprt-code.so: the sites that it finds in this program's own code,
// and unwind tables.
#include "decode/reader.h"
#include "decode/unwind_entries.h"
#include "ownprogram.h"
#include "sites/padding.h"
#include "tprt/tprt.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <vector>

using namespace tprt;

namespace {

// Functions whose sites are tested. tp_test_close's ret has no padding after
// it: the next function's first instruction is another site.
extern "C" void tp_test_plain(), tp_test_close(), tp_test_next(),
    tp_test_loop(), tp_test_cold(), tp_test_moved(), tp_test_tail();
__asm__(".text\n.p2align 4\n"
        ".macro TEST name\n.type \\name, @function\n\\name:\n.cfi_startproc\n"
        ".endm\n.macro TEST_END\n.cfi_endproc\n.endm\n"
        "TEST tp_test_plain\nleaq tp_test_plain(%rip), %rax\nret\nTEST_END\n"
        ".p2align 4\n"
        "TEST tp_test_close\nleaq tp_test_plain(%rip), %rax\nret\nTEST_END\n"
        "TEST tp_test_next\npushq %rbx\npopq %rbx\nret\nTEST_END\n.p2align 4\n"
        "TEST tp_test_loop\ndecq %rdi\njnz tp_test_loop\nret\nTEST_END\n"
        ".p2align 4\n"
        "TEST tp_test_cold\npushq %rbx\n.cfi_adjust_cfa_offset 8\ntestl %edi, "
        "%edi\njne tp_test_moved\npopq %rbx\n.cfi_adjust_cfa_offset "
        "-8\nret\nTEST_END\n.p2align 4\n"
        "TEST tp_test_moved\n.cfi_def_cfa_offset 16\npopq %rbx\n"
        ".cfi_adjust_cfa_offset -8\nret\nTEST_END\n.p2align 4\n"
        // Only words of data contain the addresses of these two.
        "TEST tp_test_listed\nleaq tp_test_plain(%rip), %rax\nret\nTEST_END\n"
        ".p2align 4\n"
        "TEST tp_test_relocated\nleaq tp_test_plain(%rip), %rax\nret\n"
        "TEST_END\n.p2align 4\n.data\n.p2align 3\n.quad tp_test_listed\n"
        ".section .data.rel.ro, \"aw\"\n.p2align 3\n"
        ".quad tp_test_relocated\n.text\n"
        "TEST tp_test_tail\nmovq %rsi, %rdi\njmp tp_test_plain\nTEST_END\n"
        ".p2align 4\n");

TEST(Reader, FindsWhereFunctionsBeginAndEnd) {
  OwnProgram Program;
  ASSERT_EQ(Program.Fault, nullptr);
  auto Sites = Program.of(tp_test_plain);
  ASSERT_EQ(Sites.size(), 2u);
  EXPECT_EQ(Sites[0].kind, TPRT_KIND_ENTRY);
  EXPECT_EQ(Sites[0].means, Means::Jump);
  EXPECT_EQ(Sites[1].kind, TPRT_KIND_EXIT);
  EXPECT_EQ(Sites[1].means, Means::Return);
  for (size_t I = 1; I < Program.Sites.size(); ++I)
    ASSERT_LT(Program.Sites[I - 1].at, Program.Sites[I].at);
}

TEST(Reader, GivesNoPunThatDependsOnAnotherSite) {
  OwnProgram Program;
  auto Close = Program.of(tp_test_close), Next = Program.of(tp_test_next);
  ASSERT_EQ(Close.size(), 2u);
  ASSERT_EQ(Next.size(), 2u);
  EXPECT_EQ(Close[1].at + 1, Next[0].at);
  EXPECT_EQ(Close[1].means, Means::Trap);
  EXPECT_EQ(Next[0].means, Means::Pun) << "its tail has its own ret";
  EXPECT_EQ(Next[1].means, Means::None);
  EXPECT_EQ(Next[1].refusal, TPRT_REFUSAL_ROOM);
}

TEST(Reader, RefusesABeginningThatIsALoopsToo) {
  OwnProgram Program;
  auto Sites = Program.of(tp_test_loop);
  ASSERT_GE(Sites.size(), 1u);
  EXPECT_EQ(Sites[0].refusal, TPRT_REFUSAL_BRANCH);
}

TEST(Reader, CountsAPartThatWasMovedAwayToItsFunction) {
  OwnProgram Program;
  auto Sites = Program.of(tp_test_cold);
  ASSERT_EQ(Sites.size(), 3u) << "the entry and two exits";
  EXPECT_TRUE(Program.of(tp_test_moved).empty());
  EXPECT_EQ(Sites[2].kind, TPRT_KIND_EXIT);
}

TEST(Reader, TakesWhatAWordOfDataRefersToForAFunction) {
  OwnProgram Program;
  const CodeView All = Program.View;
  auto entries = [&](Extent Data, Extent Relocated) {
    CodeView View = All;
    View.data = Data;
    View.relocated = Relocated;
    Array<CodeSite> Sites;
    EXPECT_EQ(readSites(View, Sites), nullptr);
    size_t Count = 0;
    for (const CodeSite &S : Sites)
      Count += S.kind == TPRT_KIND_ENTRY;
    return Count;
  };
  size_t None = entries({}, {}), Both = entries(All.data, All.relocated);
  EXPECT_GT(Both, None);
  EXPECT_GT(entries(All.data, {}), None);
  EXPECT_GT(entries({}, All.relocated), None);
}

TEST(Reader, TakesAJumpToAnotherFunctionForATailExit) {
  OwnProgram Program;
  auto Sites = Program.of(tp_test_tail);
  ASSERT_EQ(Sites.size(), 2u);
  EXPECT_EQ(Sites[1].kind, TPRT_KIND_TAIL_EXIT);
}

TEST(Reader, LeavesPaddingAloneThatHasAUse) {
  OwnProgram Program;
  auto Before = Program.of(tp_test_plain);
  const uint32_t Kept[] = {Before[1].at + 1};
  Program.View.kept = Kept;
  Program.View.keptCount = 1;
  Array<CodeSite> Again;
  ASSERT_EQ(readSites(Program.View, Again), nullptr);
  for (const CodeSite &S : Again)
    if (S.at == Before[1].at)
      EXPECT_NE(S.means, Means::Return);
}

TEST(Reader, SurvivesDamagedTables) {
  OwnProgram Program;
  uint64_t Header = Program.View.frames;
  std::vector<uint8_t> Copy(4096);
  for (unsigned Round = 0; Round != 2000; ++Round) {
    memcpy(Copy.data(), reinterpret_cast<const void *>(Header), Copy.size());
    unsigned State = Round * 2654435761u + 1;
    for (unsigned I = 0; I != 8; ++I) {
      State = State * 1664525u + 1013904223u;
      Copy[State % (I < 4 ? 64 : 4096)] = static_cast<uint8_t>(State >> 24);
    }
    Segment Own = {reinterpret_cast<uint64_t>(Copy.data()),
                   reinterpret_cast<uint64_t>(Copy.data()) + Copy.size(), PF_R};
    std::vector<Segment> Segments = Program.Segments;
    Segments.push_back(Own);
    CodeView View = Program.View;
    View.segments = Segments.data();
    View.segmentCount = Segments.size();
    View.frames = Own.start;
    Array<Function> Found;
    findFunctions(View, Found); // the call must return
  }
}

// A module whose common entry ends where readable memory ends. Its pages are: a
// page whose last bytes are that entry, an unreadable page, and a page with the
// code, the table and the function's entry.
struct AtTheEnd {
  static constexpr uint32_t kPage = 4096;
  uint8_t *Memory;

  AtTheEnd()
      : Memory(static_cast<uint8_t *>(
            mmap(nullptr, 3 * kPage, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
    mprotect(Memory + kPage, kPage, PROT_NONE);
  }
  ~AtTheEnd() { munmap(Memory, 3 * kPage); }

  // The number of functions that are found if the common entry has these bytes
  // after its length, its id and its version.
  size_t functionsWith(std::string_view Common) {
    constexpr uint32_t kCode = 2 * kPage, kTable = kCode + 0x100,
                       kEntry = kCode + 0x200;
    auto Length = static_cast<uint32_t>(4 + 1 + Common.size());
    auto At = static_cast<uint32_t>(kPage - Length - 4);
    const uint32_t Head[] = {Length, 0};
    memcpy(Memory + At, Head, sizeof Head);
    Memory[At + 8] = 1;
    memcpy(Memory + At + 9, Common.data(), Common.size());
    const uint32_t Entry[] = {16, kEntry + 4 - At, kCode - (kEntry + 8), 5, 0};
    memcpy(Memory + kEntry, Entry, sizeof Entry);
    const uint32_t Table[] = {0x3b031b01, 0, 1, kCode - kTable,
                              kEntry - kTable};
    memcpy(Memory + kTable, Table, sizeof Table);
    auto Start = reinterpret_cast<uint64_t>(Memory);
    const Segment All[] = {{Start, Start + kPage, PF_R},
                           {Start + kCode, Start + 3 * kPage, PF_R | PF_X}};
    CodeView View = {};
    View.segments = All;
    View.segmentCount = 2;
    View.origin = Start;
    View.frames = Start + kTable;
    Array<Function> Found;
    findFunctions(View, Found);
    return Found.size();
  }
};

TEST(Frames, ReadNoByteAfterAnEntry) {
  AtTheEnd Module;
  using namespace std::string_view_literals;
  ASSERT_EQ(Module.functionsWith("zR\0\1\x78\x10\1\x1b"sv), 1u);
  for (std::string_view Damaged : {
           ""sv,                              // no augmentation
           "zPPPPPPPPPPP"sv,                  // without an end
           "zR"sv,                            // the same
           "zPR\0\1\x78\x10\6\0"sv,           // no pointer of eight bytes
           "zPR\0\1\x78\x10\6\x1b\0\0"sv,     // none of four
           "zRPPPPP\0\1\x78\x10\1\x1b\0\0"sv, // none for any letter
           "zR\0\1\x78\x10\x80"sv,            // a number without an end
       })
    Module.functionsWith(Damaged); // the call must return
}

// lld sorts the distances as unsigned numbers.
TEST(Frames, AreFoundInATableThatIsOutOfOrder) {
  constexpr uint32_t kPage = 4096, kTable = 0x800, kEntries = 0x900;
  auto *Memory =
      static_cast<uint8_t *>(mmap(nullptr, kPage, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(Memory, MAP_FAILED);
  const uint32_t Common[] = {17, 0};
  memcpy(Memory + kEntries, Common, sizeof Common);
  memcpy(Memory + kEntries + 8, "\1zR\0\1\x78\x10\1\x1b", 10);
  std::vector<uint32_t> Table = {0x3b031b01, 0, 3};
  uint32_t Entry = kEntries + 32;
  for (uint32_t Start : {0xc00, 0x100, 0x200}) { // the first one lies after the
                                                 // table
    const uint32_t Words[] = {16, Entry + 4 - kEntries, Start - (Entry + 8), 5,
                              0};
    memcpy(Memory + Entry, Words, sizeof Words);
    Table.push_back(Start - kTable);
    Table.push_back(Entry - kTable);
    Entry += 32;
  }
  memcpy(Memory + kTable, Table.data(), Table.size() * sizeof(uint32_t));
  auto Start = reinterpret_cast<uint64_t>(Memory);
  const Segment All[] = {{Start, Start + kPage, PF_R | PF_X}};
  CodeView View = {};
  View.segments = All;
  View.segmentCount = 1;
  View.origin = Start;
  View.frames = Start + kTable;
  Array<Function> Found;
  ASSERT_EQ(findFunctions(View, Found), nullptr);
  ASSERT_EQ(Found.size(), 3u);
  EXPECT_EQ(Found[0].start, 0x100u);
  EXPECT_EQ(Found[1].start, 0x200u);
  EXPECT_EQ(Found[2].start, 0xc00u);
  munmap(Memory, kPage);
}

} // namespace
