// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "shared/Mappings.h"

#include <cstdlib>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace {

uint64_t addressOf(const void *Of) { return reinterpret_cast<uint64_t>(Of); }

TEST(Mappings, CodeOfAProgram) {
  const auto All = tpctl::mappingsOf(getpid());
  const auto *Code =
      tpctl::mappingAt(All, addressOf(reinterpret_cast<void *>(addressOf)));
  ASSERT_TRUE(Code);
  EXPECT_TRUE(Code->IsCode);
  EXPECT_FALSE(Code->IsWritable);
  char Self[4096];
  const ssize_t Length = readlink("/proc/self/exe", Self, sizeof Self);
  ASSERT_GT(Length, 0);
  EXPECT_EQ(Code->Path, std::string(Self, static_cast<size_t>(Length)));
  struct stat Facts;
  ASSERT_EQ(stat("/proc/self/exe", &Facts), 0);
  const std::string Inode = " " + std::to_string(Facts.st_ino);
  ASSERT_GT(Code->File.size(), Inode.size());
  EXPECT_EQ(Code->File.substr(Code->File.size() - Inode.size()), Inode);
}

TEST(Mappings, OffsetAndPathWithSpaces) {
  char Name[] = "/tmp/a  path with spaces XXXXXX";
  const int File = mkstemp(Name);
  ASSERT_GE(File, 0);
  const auto Page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  ASSERT_EQ(ftruncate(File, static_cast<off_t>(2 * Page)), 0);
  void *Place = mmap(nullptr, Page, PROT_READ, MAP_PRIVATE, File,
                     static_cast<off_t>(Page));
  const auto All = tpctl::mappingsOf(getpid());
  unlink(Name);
  close(File);
  ASSERT_NE(Place, MAP_FAILED);
  const auto *Found = tpctl::mappingAt(All, addressOf(Place) + Page - 1);
  ASSERT_TRUE(Found);
  EXPECT_EQ(Found->Begin, addressOf(Place));
  EXPECT_EQ(Found->End, addressOf(Place) + Page);
  EXPECT_EQ(Found->Offset, Page);
  EXPECT_FALSE(Found->IsCode);
  EXPECT_EQ(Found->Path, Name);
  munmap(Place, Page);
}

TEST(Mappings, StackHasNoFile) {
  int Local;
  const auto All = tpctl::mappingsOf(getpid());
  const auto *Stack = tpctl::mappingAt(All, addressOf(&Local));
  ASSERT_TRUE(Stack);
  EXPECT_TRUE(Stack->IsWritable);
  EXPECT_EQ(Stack->Path, "");
  EXPECT_EQ(Stack->File, "");
}

TEST(Mappings, NothingAtAddressZero) {
  EXPECT_FALSE(tpctl::mappingAt(tpctl::mappingsOf(getpid()), 0));
}

} // namespace
