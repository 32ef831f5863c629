// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the runtime's arrays, small blocks of memory, and sort.
#include "base/array.h"
#include "base/os_memory.h"
#include "base/page_size.h"
#include "base/small_alloc.h"
#include "base/sort.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <random>
#include <string>
#include <sys/mman.h>
#include <thread>
#include <vector>

TEST(Memory, ArrayKeepsItsItemsWhileItGrows) {
  tprt::Array<uint32_t> array;
  for (uint32_t i = 0; i < 100000; ++i)
    ASSERT_TRUE(array.push(i));
  for (uint32_t i = 0; i < 100000; ++i)
    ASSERT_EQ(array[i], i);
}

TEST(Memory, ArrayZeroesWhatItGrowsBy) {
  tprt::Array<uint32_t> array;
  ASSERT_TRUE(array.resize(10));
  array[9] = 7;
  ASSERT_TRUE(array.resize(2));
  ASSERT_TRUE(array.resize(10));
  EXPECT_EQ(array[9], 0u);
}

TEST(Memory, ArrayOfOddSizedItemsFreesWhatItMapped) {
  struct Odd {
    char bytes[24];
  };
  for (int round = 0; round < 200; ++round) {
    tprt::Array<Odd> array;
    for (int i = 0; i < 5000; ++i)
      ASSERT_TRUE(array.push({}));
  }
}

// If small blocks were not kept, every attach would map and unmap pages and so
// interrupt the other cores.
TEST(Memory, ArraysReuseThePagesOfEarlierOnes) {
  const uint32_t *pages = nullptr;
  for (int round = 0; round < 3; ++round) {
    tprt::Array<uint32_t> array;
    for (uint32_t i = 0; i < 100000; ++i)
      ASSERT_TRUE(array.push(i));
    if (pages)
      EXPECT_EQ(array.begin(), pages);
    pages = array.begin();
  }
}

TEST(Memory, ThreadsNeverShareTheirPages) {
  std::vector<std::thread> threads;
  for (uint32_t self = 0; self < 4; ++self)
    threads.emplace_back([self] {
      for (int round = 0; round < 2000; ++round) {
        tprt::Array<uint32_t> array;
        for (uint32_t i = 0; i < 3000; ++i)
          array.push(self);
        for (uint32_t i = 0; i < 3000; ++i)
          ASSERT_EQ(array[i], self);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST(Memory, SmallBlocksComeBackZeroed) {
  for (size_t bytes : {1, 31, 32, 33, 200, 4096, 5000}) {
    auto *block = static_cast<unsigned char *>(tprt::allocateSmall(bytes));
    ASSERT_NE(block, nullptr);
    memset(block, 0xaa, bytes);
    tprt::freeSmall(block, bytes);
    block = static_cast<unsigned char *>(tprt::allocateSmall(bytes));
    for (size_t i = 0; i < bytes; ++i)
      ASSERT_EQ(block[i], 0) << bytes;
    tprt::freeSmall(block, bytes);
  }
}

TEST(Memory, SortIfNeededSorts) {
  std::mt19937 random(1);
  for (size_t count : {0, 1, 2, 3, 10, 1000}) {
    std::vector<uint32_t> items(count);
    for (auto &item : items)
      item = random() % 100;
    auto expected = items;
    std::sort(expected.begin(), expected.end());
    tprt::heapSort(items.data(), count,
                   [](uint32_t a, uint32_t b) { return a < b; });
    EXPECT_EQ(items, expected);
  }
}

// A value of the process in kB from the kernel; -1 if the kernel does not
// provide it.
static long status(const char *field) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);)
    if (line.rfind(field, 0) == 0)
      return std::stol(line.substr(strlen(field) + 1));
  return -1;
}

TEST(Memory, RangeGrowsAtItsAddressAndCostsNoMore) {
  long before = status("VmSize");
  size_t page = tprt::pageBytes(), bytes = page;
  auto *range = static_cast<char *>(tprt::startRange(bytes));
  ASSERT_NE(range, nullptr);
  EXPECT_LE(status("VmSize") - before, 512); // less than the range's largest
                                             // possible size
  range[0] = 1;
  // Mappings that the program makes in the meantime do not block the range.
  std::vector<void *> others;
  for (size_t wanted = page; wanted <= size_t{64} << 20; wanted *= 4) {
    others.push_back(tprt::allocatePages(wanted));
    ASSERT_TRUE(tprt::growRange(range, bytes, wanted));
    ASSERT_GE(bytes, wanted);
    range[wanted - 1] = 1;
  }
  EXPECT_EQ(range[0], 1);
  size_t asked = page;
  for (void *other : others) {
    tprt::freePages(other, asked);
    asked *= 4;
  }
  tprt::freePages(range, bytes);
}

TEST(Memory, RangeStaysAsItWasWhereAnotherMappingIsInItsWay) {
  size_t page = tprt::pageBytes(), bytes = page;
  auto *range = static_cast<char *>(tprt::startRange(bytes));
  ASSERT_NE(range, nullptr);
  void *other = mmap(range + 4 * page, page, PROT_READ,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  ASSERT_EQ(other, range + 4 * page);
  EXPECT_TRUE(tprt::growRange(range, bytes, 4 * page));
  EXPECT_FALSE(tprt::growRange(range, bytes, 5 * page));
  EXPECT_EQ(bytes, 4 * page);
  range[bytes - 1] = 1;
  tprt::freePages(range, 5 * page);
}

TEST(Sort, ByKeyKeepsTheOrderOfEqualOnes) {
  std::mt19937 random(7);
  // The keys differ in their high, low and middle digits, or in few digits.
  for (uint32_t mask : {0xffffffffu, 0xff000000u, 0x3fu, 0x1ff800u, 0u}) {
    tprt::Array<tprt::Keyed> items;
    std::vector<uint64_t> expected;
    for (uint32_t i = 0; i < 5000; ++i) {
      auto key = static_cast<uint32_t>(random()) & mask;
      ASSERT_TRUE(items.push({key, i}));
      expected.push_back(uint64_t{key} << 32 | i);
    }
    std::sort(expected.begin(), expected.end());
    ASSERT_TRUE(tprt::sortByKey(items));
    ASSERT_EQ(items.size(), expected.size());
    for (size_t i = 0; i < expected.size(); ++i)
      ASSERT_EQ(uint64_t{items[i].key} << 32 | items[i].value, expected[i]);
  }
}
