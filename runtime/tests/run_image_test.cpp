// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the loader of files of handlers (run/run_object.h) with a file that is
// made here, and with damaged ones: they are refused, or loaded within bounds.
#include "base/page_size.h"
#include "run/load_image.h"
#include "run/run_object.h"
#include "threads/lock.h"

#include <cstring>
#include <elf.h>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace tprt;

#if defined(__x86_64__)
constexpr uint16_t kMachine = EM_X86_64;
constexpr uint32_t kRelative = R_X86_64_RELATIVE;
// mov $42, %eax; ret
constexpr unsigned char kCode[] = {0xb8, 42, 0, 0, 0, 0xc3};
#else
constexpr uint16_t kMachine = EM_AARCH64;
constexpr uint32_t kRelative = R_AARCH64_RELATIVE;
// mov w0, #42; ret
constexpr unsigned char kCode[] = {0x40, 0x05, 0x80, 0x52,
                                   0xc0, 0x03, 0x5f, 0xd6};
#endif

// A file with code, and with data that has a pointer to it and a dynamic
// section.
struct File {
  struct Contents {
    Elf64_Ehdr header;
    Elf64_Phdr segments[3];
    unsigned char code[16];
    uint64_t pointer;
    Elf64_Rela relocations[1];
    Elf64_Dyn dynamic[5];
  } at{};
  // Where they lie in memory.
  const uint64_t codeAt = offsetof(Contents, code);
  const uint64_t dataAt = 4 * pageBytes();

  File() {
    memcpy(at.header.e_ident, ELFMAG, SELFMAG);
    at.header.e_ident[EI_CLASS] = ELFCLASS64;
    at.header.e_ident[EI_DATA] = ELFDATA2LSB;
    at.header.e_type = ET_DYN;
    at.header.e_machine = kMachine;
    at.header.e_phoff = offsetof(Contents, segments);
    at.header.e_phentsize = sizeof(Elf64_Phdr);
    at.header.e_phnum = 3;
    memcpy(at.code, kCode, sizeof kCode);
    const uint64_t data = offsetof(Contents, pointer);
    at.segments[0] = {PT_LOAD, PF_R | PF_X, 0, 0, 0, data, data, 1};
    at.segments[1] = {PT_LOAD,
                      PF_R | PF_W,
                      data,
                      dataAt,
                      dataAt,
                      sizeof at - data,
                      sizeof at - data + 100,
                      1};
    at.segments[2] = {PT_DYNAMIC,
                      PF_R | PF_W,
                      offsetof(Contents, dynamic),
                      addressOf(at.dynamic),
                      addressOf(at.dynamic),
                      sizeof at.dynamic,
                      sizeof at.dynamic,
                      8};
    at.relocations[0] = {dataAt, kRelative, static_cast<int64_t>(codeAt)};
    at.dynamic[0] = entry(DT_RELA, addressOf(at.relocations));
    at.dynamic[1] = entry(DT_RELASZ, sizeof at.relocations);
    at.dynamic[2] = entry(DT_RELAENT, sizeof(Elf64_Rela));
    at.dynamic[3] = entry(DT_NULL, 0);
  }
  static Elf64_Dyn entry(int64_t tag, uint64_t value) {
    Elf64_Dyn made{};
    made.d_tag = tag;
    made.d_un.d_val = value;
    return made;
  }
  // The address in the file's memory of something in the second segment.
  uint64_t addressOf(const void *of) const {
    return dataAt +
           static_cast<uint64_t>(static_cast<const char *>(of) -
                                 reinterpret_cast<const char *>(&at.pointer));
  }
};

// Loads the bytes, in memory of exactly their size. Returns the fault, or "".
std::string load(const void *bytes, size_t size, RunImage &to) {
  std::vector<char> exact(static_cast<const char *>(bytes),
                          static_cast<const char *>(bytes) + size);
  Lock lock;
  const char *fault = loadRunImage(exact.data(), size, to);
  return fault ? fault : "";
}

// The fault of a file; an image that was loaded all the same is freed.
std::string faultOf(const File &file) {
  RunImage image;
  std::string fault = load(&file.at, sizeof file.at, image);
  EXPECT_EQ(fault.empty(), image.isLoaded());
  Lock lock;
  freeRunImage(image);
  return fault;
}

bool has(const std::string &text, const char *part) {
  return text.find(part) != std::string::npos;
}

TEST(RunImage, CodeRunsAndPointersAreMoved) {
  File file;
  RunImage image;
  ASSERT_EQ(load(&file.at, sizeof file.at, image), "");
  EXPECT_TRUE(image.hasCode(file.codeAt));
  EXPECT_FALSE(image.hasCode(file.dataAt));
  uint64_t pointer;
  memcpy(&pointer, reinterpret_cast<void *>(image.start + file.dataAt),
         sizeof pointer);
  ASSERT_EQ(pointer, image.start + file.codeAt);
  EXPECT_EQ(reinterpret_cast<int (*)()>(pointer)(), 42);
  // The data can be written, and what the file lacks is zero.
  auto *end = reinterpret_cast<char *>(image.start + file.dataAt +
                                       file.at.segments[1].p_memsz - 1);
  EXPECT_EQ(*end, 0);
  *end = 1;
  Lock lock;
  freeRunImage(image);
  EXPECT_FALSE(image.isLoaded());
}

TEST(RunImage, CodeIsNotWritable) {
  File file;
  RunImage image;
  ASSERT_EQ(load(&file.at, sizeof file.at, image), "");
  std::string rights;
  FILE *maps = fopen("/proc/self/maps", "r");
  unsigned long start, end;
  char found[8], rest[512];
  while (fscanf(maps, "%lx-%lx %7s%511[^\n]\n", &start, &end, found, rest) >= 3)
    if (start <= image.start + file.codeAt && image.start + file.codeAt < end)
      rights = found;
  fclose(maps);
  EXPECT_EQ(rights, "r-xp");
  Lock lock;
  freeRunImage(image);
}

TEST(RunImage, EachPartOfAFileIsRefused) {
  File file;
  for (size_t size = 0; size < sizeof file.at; ++size) {
    RunImage image;
    EXPECT_NE(load(&file.at, size, image), "") << size << " bytes";
    EXPECT_FALSE(image.isLoaded());
  }
}

TEST(RunImage, WrongHeadersAreRefused) {
  File other;
  other.at.header.e_machine = EM_PPC64;
  EXPECT_TRUE(has(faultOf(other), "another processor"));
  File executable;
  executable.at.header.e_type = ET_EXEC;
  EXPECT_TRUE(has(faultOf(executable), "-shared"));
  File narrow;
  narrow.at.header.e_ident[EI_CLASS] = ELFCLASS32;
  EXPECT_TRUE(has(faultOf(narrow), "64-bit"));
  File far;
  far.at.header.e_phoff = UINT64_MAX - 8;
  EXPECT_TRUE(has(faultOf(far), "damaged"));
  File many;
  many.at.header.e_phnum = UINT16_MAX;
  EXPECT_TRUE(has(faultOf(many), "damaged"));
}

TEST(RunImage, WrongSegmentsAreRefused) {
  File overlapping;
  overlapping.at.segments[1].p_vaddr = overlapping.codeAt;
  EXPECT_TRUE(has(faultOf(overlapping), "overlap"));
  File sharesPage;
  sharesPage.at.segments[1].p_vaddr = sizeof sharesPage.at;
  EXPECT_TRUE(has(faultOf(sharesPage), "overlap"));
  File both;
  both.at.segments[0].p_flags |= PF_W;
  EXPECT_TRUE(has(faultOf(both), "writable and executable"));
  File none;
  none.at.segments[0].p_flags = PF_R;
  EXPECT_TRUE(has(faultOf(none), "no code"));
  File outside;
  outside.at.segments[1].p_offset = sizeof outside.at;
  EXPECT_TRUE(has(faultOf(outside), "damaged"));
  File large;
  large.at.segments[1].p_memsz = uint64_t{1} << 60;
  EXPECT_TRUE(has(faultOf(large), "damaged"));
  File wraps;
  wraps.at.segments[1].p_vaddr = UINT64_MAX - 7;
  EXPECT_TRUE(has(faultOf(wraps), "damaged"));
  File local;
  local.at.segments[2].p_type = PT_TLS;
  EXPECT_TRUE(has(faultOf(local), "thread-local"));
}

TEST(RunImage, WrongRelocationsAreRefused) {
  File symbol;
  symbol.at.relocations[0].r_info = ELF64_R_INFO(1, kRelative);
  EXPECT_TRUE(has(faultOf(symbol), "symbols"));
  File type;
  type.at.relocations[0].r_info = kRelative + 1;
  EXPECT_TRUE(has(faultOf(type), "symbols"));
  for (uint64_t place :
       {uint64_t{0}, File().codeAt, UINT64_MAX - 3, uint64_t{1} << 40,
        File().dataAt + File().at.segments[1].p_memsz - 7}) {
    File file;
    file.at.relocations[0].r_offset = place;
    EXPECT_TRUE(has(faultOf(file), "outside of its data")) << place;
  }
  File nowhere;
  nowhere.at.dynamic[0].d_un.d_ptr = UINT64_MAX - 16;
  EXPECT_TRUE(has(faultOf(nowhere), "damaged"));
  File longer;
  longer.at.dynamic[1].d_un.d_val = 1 << 20;
  EXPECT_TRUE(has(faultOf(longer), "damaged"));
  File odd;
  odd.at.dynamic[1].d_un.d_val = sizeof(Elf64_Rela) - 1;
  EXPECT_TRUE(has(faultOf(odd), "damaged"));
}

TEST(RunImage, WhatIsNotRunIsRefused) {
  File constructors;
  constructors.at.dynamic[3] = File::entry(DT_INIT_ARRAYSZ, 8);
  EXPECT_TRUE(has(faultOf(constructors), "constructors"));
  File calls;
  calls.at.dynamic[3] = File::entry(DT_PLTRELSZ, 24);
  EXPECT_TRUE(has(faultOf(calls), "calls functions of other files"));
}

// Each byte of the file becomes others: the file is refused, or everything that
// is written lies in its own memory. A store elsewhere would crash, or would be
// seen by a sanitizer.
TEST(RunImage, ChangedBytesDoNoHarm) {
  std::mt19937 random(1);
  for (int run = 0; run < 20000; ++run) {
    File file;
    auto *bytes = reinterpret_cast<unsigned char *>(&file.at);
    for (unsigned i = 1 + random() % 3; i; --i) {
      size_t at = random() % sizeof file.at;
      bytes[at] = static_cast<unsigned char>(
          random() % 2 ? random() : bytes[at] ^ 1u << random() % 8);
    }
    faultOf(file);
  }
}

} // namespace
