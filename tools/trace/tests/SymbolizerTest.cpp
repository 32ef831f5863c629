// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests where binaries are searched, which of them are used, and the messages.
#include "Symbolizer.h"
#include "Fixture.h"
#include <elf.h>
#include <filesystem>
#include <link.h>
#include <sys/stat.h>

using namespace tp::trace;
using namespace tp::trace::tests;

extern "C" [[gnu::noinline]] int tpNamedInTheSymbolTable(int N) {
  return N * 3 + 1;
}

namespace {

constexpr const char *Id = "abcdef0123456789";

class BinaryFinderTest : public testing::Test {
protected:
  BinaryFinderTest() { std::filesystem::create_directories(Folder); }
  ~BinaryFinderTest() override { std::filesystem::remove_all(Folder); }

  /// Writes an ELF file with only a build-id.
  std::string write(const std::string &Name, const std::string &Hex) {
    std::string Bytes(Hex.size() / 2, '\0');
    for (size_t I = 0; I != Bytes.size(); ++I)
      Bytes[I] =
          static_cast<char>(std::stoi(Hex.substr(2 * I, 2), nullptr, 16));
    struct {
      Elf64_Ehdr E;
      Elf64_Phdr P;
      Elf64_Nhdr N;
      char Owner[4];
    } All = {};
    memcpy(All.E.e_ident, ELFMAG "\2\1\1", 7);
    All.E.e_type = ET_DYN;
    All.E.e_machine = EM_X86_64;
    All.E.e_version = EV_CURRENT;
    All.E.e_ehsize = sizeof All.E;
    All.E.e_phoff = offsetof(decltype(All), P);
    All.E.e_phentsize = sizeof All.P;
    All.E.e_phnum = 1;
    All.P.p_type = PT_NOTE;
    All.P.p_offset = offsetof(decltype(All), N);
    All.P.p_filesz = sizeof All.N + 4 + Bytes.size();
    All.P.p_align = 4;
    All.N = {4, static_cast<Elf64_Word>(Bytes.size()), NT_GNU_BUILD_ID};
    memcpy(All.Owner, "GNU", 4);
    std::string Path = Folder + "/" + Name;
    std::filesystem::create_directories(
        std::filesystem::path(Path).parent_path());
    std::ofstream Out(Path, std::ios::binary);
    Out.write(reinterpret_cast<char *>(&All), sizeof All);
    Out << Bytes;
    return Path;
  }
  FoundBinary find(const std::string &BuildId = Id) {
    Module M;
    M.Path = Folder + "/recorded/app";
    M.BuildId = BuildId;
    return BinaryFinder({Folder + "/place"}).find(M);
  }

  std::string Folder = "/tmp/tp-finder-test-" + std::to_string(getpid());
};

TEST_F(BinaryFinderTest, PlacesComeBeforeTheRecordedPath) {
  EXPECT_EQ(find().What, FoundBinary::Missing);
  std::string Recorded = write("recorded/app", Id);
  EXPECT_EQ(find().Path, Recorded);
  std::string ByName = write("place/app", Id);
  EXPECT_EQ(find().Path, ByName);
  std::string ByWholePath = write("place/" + Folder + "/recorded/app", Id);
  EXPECT_EQ(std::filesystem::path(find().Path).lexically_normal(),
            std::filesystem::path(ByWholePath).lexically_normal());
  std::string ById = write("place/.build-id/ab/cdef0123456789", Id);
  EXPECT_EQ(find().Path, ById);
  std::string Debug = write("place/.build-id/ab/cdef0123456789.debug", Id);
  EXPECT_EQ(find().Path, Debug);
  EXPECT_EQ(find().What, FoundBinary::Found);
}

TEST_F(BinaryFinderTest, AnotherBuildIsNamedAndPassedOver) {
  write("place/app", "11111111");
  EXPECT_EQ(find().What, FoundBinary::OtherBuild);
  EXPECT_EQ(find().Text, "11111111");
  std::string Recorded = write("recorded/app", Id);
  EXPECT_EQ(find().What, FoundBinary::Found);
  EXPECT_EQ(find().Path, Recorded);
}

TEST_F(BinaryFinderTest, WithoutABuildIdTheNameDecides) {
  std::string Path = write("place/app", "11111111");
  EXPECT_EQ(find("").Path, Path);
  EXPECT_EQ(find("").What, FoundBinary::Found);
}

TEST_F(BinaryFinderTest, APlaceMayBeAFileOfAnyName) {
  Module M;
  M.Path = Folder + "/recorded/app";
  M.BuildId = Id;
  BinaryFinder Where({write("libother.so", "11111111"), write("app.old", Id)});
  EXPECT_EQ(Where.find(M).Path, Folder + "/app.old");
  M.BuildId = "22222222";
  EXPECT_EQ(Where.find(M).Path, Folder + "/app.old");
  EXPECT_EQ(Where.find(M).What, FoundBinary::OtherBuild);
}

TEST_F(BinaryFinderTest, WhatIsNoBinaryIsNotTaken) {
  std::filesystem::create_directories(Folder + "/place");
  ASSERT_EQ(mkfifo((Folder + "/place/app").c_str(), 0600), 0);
  EXPECT_EQ(find().What, FoundBinary::Missing);
  std::filesystem::create_directories(Folder + "/recorded");
  std::ofstream(Folder + "/recorded/app") << "#!/bin/sh\n";
  EXPECT_EQ(find().What, FoundBinary::Unreadable);
  EXPECT_FALSE(find().Text.empty());
}

/// Recordings that name this program as a module.
class SymbolizerTest : public TraceTest {
protected:
  SymbolizerTest() : Own(std::filesystem::read_symlink("/proc/self/exe")) {}

  static uint64_t addressInFile() {
    uint64_t Base = 0;
    dl_iterate_phdr(
        [](dl_phdr_info *Info, size_t, void *To) {
          *static_cast<uint64_t *>(To) = Info->dlpi_addr;
          return 1; // the first one is the program
        },
        &Base);
    return reinterpret_cast<uint64_t>(&tpNamedInTheSymbolTable) - Base;
  }
  std::unique_ptr<Symbolizer> symbolizer(bool Asked) {
    return std::make_unique<Symbolizer>(
        BinaryFinder(), Asked,
        [this](const llvm::Twine &Text) { Told.push_back(Text.str()); });
  }
  const std::string &nameOf(uint32_t Site) {
    return Opened->tables().function(Opened->tables().functionOf(Site)).Name;
  }

  std::string Own;
  Lines Told;
};

TEST_F(SymbolizerTest, FunctionsWithoutANameGetThatOfTheirSymbol) {
  W.BuildId.clear();
  W.FirstAddress = addressInFile();
  uint32_t Site = W.module(Own, {""});
  W.FirstAddress += 1;
  uint32_t Inside = W.module(Own, {""});
  Opened = open();
  symbolizer(false)->nameFunctions(Opened->tables());
  EXPECT_EQ(nameOf(Site), "tpNamedInTheSymbolTable");
  // If no function begins at an address, the address gets no symbol's name.
  EXPECT_NE(nameOf(Inside).find("+0x"), std::string::npos);
  EXPECT_EQ(nameOf(First), "f");
  EXPECT_EQ(Told, Lines());
}

TEST_F(SymbolizerTest, AnotherBuildGivesNoNamesAndIsToldOnce) {
  W.FirstAddress = addressInFile();
  uint32_t Site = W.module(Own, {"", "", ""});
  Opened = open();
  auto S = symbolizer(false);
  S->nameFunctions(Opened->tables());
  S->nameFunctions(Opened->tables());
  EXPECT_NE(nameOf(Site).find("+0x"), std::string::npos);
  ASSERT_EQ(Told.size(), 1u);
  EXPECT_NE(Told[0].find("another build"), std::string::npos);
  EXPECT_NE(Told[0].find("instead of deadbeef"), std::string::npos);
}

TEST_F(SymbolizerTest, AMissingBinaryIsToldOnceAndOnlyIfLinesAreWanted) {
  Opened = open();
  for (bool Asked : {false, true}) {
    auto S = symbolizer(Asked);
    for (FunctionId F = 0; F != Opened->tables().functionCount(); ++F)
      EXPECT_EQ(S->lineOf(Opened->tables(), F).File, "");
    EXPECT_EQ(Told.size(), Asked ? 1u : 0u);
  }
  EXPECT_NE(Told[0].find("no file of /bin/app"), std::string::npos);
}

TEST_F(SymbolizerTest, FunctionsOfTwoBuildsAreApart) {
  W.BuildId = "other";
  uint32_t Second = W.module("/bin/app", {"f", "g", "h"});
  W.BuildId = "\xde\xad\xbe\xef";
  uint32_t Again = W.module("/bin/app", {"f", "g", "h"});
  Opened = open();
  Tables &Names = Opened->tables();
  EXPECT_NE(Names.functionOf(First), Names.functionOf(Second));
  EXPECT_EQ(Names.functionOf(First), Names.functionOf(Again));
}

} // namespace
