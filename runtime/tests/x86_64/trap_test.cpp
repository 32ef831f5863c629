// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests sleds that are flipped by traps: which bytes allow a trap, and where a
// thread continues after it executed an int3. The sleds are bytes in a buffer.
#include "loader/module_list.h"
#include "modules/module.h"
#include "trap.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <sys/mman.h>
#include <vector>

using namespace tprt;

namespace {
struct Trapped : testing::Test {
  alignas(64) uint8_t code[4096];
  tprt_site site{};
  Module module{};
  Toggle toggle{};

  void SetUp() override { memset(code, 0xc3, sizeof code); }

  void place(size_t offset, std::initializer_list<uint8_t> bytes) {
    std::copy(bytes.begin(), bytes.end(), code + offset);
    ASSERT_TRUE(initialise());
    site = {};
    site.moduleNumber = 500; // unused, and in the first page of moduleAt
    moduleAt[site.moduleNumber] = &module;
    module.origin = reinterpret_cast<uint64_t>(code);
    site.sledAt = site.functionAt = static_cast<uint32_t>(offset);
    site.traits = TPRT_RECORD_TRAITS(TPRT_KIND_ENTRY, TPRT_SHAPE_PLAIN);
    site.size = static_cast<uint8_t>(bytes.size());
  }
  uint64_t address() const { return reinterpret_cast<uint64_t>(site.sled()); }
  // Stores the bytes in the same manner as attach and detach.
  void flip(bool on, uint64_t stub) {
    ASSERT_EQ(formByTrap(site), on ? SledForm::Off : SledForm::On);
    if (on)
      ASSERT_EQ(startTrap(site, stub, &toggle), TPRT_REFUSAL_NONE);
    else
      planTrap(site, &toggle);
    *reinterpret_cast<uint8_t *>(toggle.address) =
        static_cast<uint8_t>(on ? toggle.on : toggle.off);
    site.enabled = on;
    finishTraps();
  }
};
} // namespace

TEST_F(Trapped, OneByteOfAnyWholeNopsBecomesAnInt3) {
  for (std::initializer_list<uint8_t> nops :
       {std::initializer_list<uint8_t>{0x90},
        {0x90, 0x90},
        {0x66, 0x90, 0x90},
        {0x0f, 0x1f, 0x00},
        {0x0f, 0x1f, 0x40, 0x08},
        {0x0f, 0x1f, 0x44, 0x00, 0x08},
        {0x66, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x02, 0x00, 0x00, 0x90}}) {
    place(61, nops);
    EXPECT_EQ(planToggle(site, module.origin, {}, &toggle), TPRT_REFUSAL_SHAPE);
    ASSERT_EQ(formByTrap(site), SledForm::Off) << nops.size();
    ASSERT_EQ(startTrap(site, 0x1230, &toggle), TPRT_REFUSAL_NONE);
    EXPECT_EQ(toggle.address, address());
    EXPECT_EQ(toggle.bytes, 1);
    EXPECT_EQ(toggle.on, 0xccu);
    EXPECT_EQ(toggle.off, *nops.begin());
    finishTraps();
  }
}

TEST_F(Trapped, OtherBytesAreRefused) {
  for (std::initializer_list<uint8_t> other :
       {std::initializer_list<uint8_t>{0xcc}, // a breakpoint
        {0xcc, 0x90},
        {0x90, 0xc3},
        {0xf3, 0x90}, // pause
        {0x66},       // a nop begins, and ends after the sled
        {0x0f, 0x1f},
        {0x0f, 0x1f, 0x44, 0x00},
        {0x0f, 0x1f, 0xc0},          // its register form
        {0x0f, 0x1f, 0x48, 0x00}}) { // not /0
    place(8, other);
    EXPECT_EQ(formByTrap(site), SledForm::Other) << unsigned{*other.begin()};
    EXPECT_EQ(destinationOfTrap(address()), 0u);
  }
  place(8, {});
  EXPECT_EQ(planToggle(site, module.origin, {}, &toggle), TPRT_REFUSAL_NO_NOPS);
}

TEST_F(Trapped, GoesOnAtTheStubAsLongAsItIsOn) {
  place(16, {0x90, 0x90});
  EXPECT_EQ(destinationOfTrap(address()), 0u);
  flip(true, 0x1230);
  EXPECT_EQ(destinationOfTrap(address()), 0x1230u);
  EXPECT_EQ(destinationOfTrap(address() + 1), 0u);
  EXPECT_TRUE(isTrapped(site));
  // This is the period between the store that removes the int3 and the end of
  // the batch.
  planTrap(site, &toggle);
  EXPECT_EQ(toggle.now, SledForm::On);
  code[16] = 0x90;
  EXPECT_EQ(destinationOfTrap(address()), 0x1230u);
}

TEST_F(Trapped, WhoComesLateExecutesTheSled) {
  place(16, {0x90});
  flip(true, 0x1230);
  flip(false, 0);
  EXPECT_EQ(code[16], 0x90);
  EXPECT_FALSE(isTrapped(site));
  EXPECT_EQ(destinationOfTrap(address()), address());
  code[16] = 0xcc; // foreign bytes, for instance of another library that was
                   // loaded at this address
  EXPECT_EQ(destinationOfTrap(address()), 0u);
}

TEST_F(Trapped, APlaceIsUsedAgain) {
  place(16, {0x90});
  flip(true, 0x1230);
  flip(false, 0);
  place(16, {0x66, 0x90});
  flip(true, 0x4560);
  EXPECT_EQ(destinationOfTrap(address()), 0x4560u);
  flip(false, 0);
  EXPECT_EQ(code[16], 0x66);
}

TEST_F(Trapped, WhatWasPreparedButNotFlippedIsNotOn) {
  place(32, {0x90});
  ASSERT_EQ(startTrap(site, 0x1230, &toggle), TPRT_REFUSAL_NONE);
  finishTraps();
  EXPECT_FALSE(isTrapped(site));
}

TEST_F(Trapped, AStrangersBytesStay) {
  place(16, {0x90});
  flip(true, 0x1230);
  code[16] = 0xe9;
  planTrap(site, &toggle);
  EXPECT_EQ(toggle.now, SledForm::Other);
  code[16] = 0xcc;
  flip(false, 0);
}

// Another program has removed the int3, for example by removing a uprobe. The
// next attach may set the trap again, and a detach has nothing to do.
TEST_F(Trapped, GivenBackBytesAreOff) {
  place(16, {0x90});
  flip(true, 0x1230);
  code[16] = 0x90;
  EXPECT_EQ(formByTrap(site), SledForm::Off);
  planTrap(site, &toggle);
  EXPECT_EQ(toggle.now, SledForm::Off);
  site.enabled = false;
  finishTraps();
  EXPECT_FALSE(isTrapped(site));
}

// Uses many more traps than there are lists.
TEST_F(Trapped, ManyAreFoundEach) {
  constexpr size_t kCount = 100000;
  auto many = std::make_unique<uint8_t[]>(kCount * 2);
  std::vector<tprt_site> all(kCount);
  place(0, {0x90});
  memset(many.get(), 0x90, kCount * 2);
  module.origin = reinterpret_cast<uint64_t>(many.get());
  for (size_t i = 0; i < kCount; ++i) {
    all[i] = site;
    all[i].sledAt = static_cast<uint32_t>(i * 2);
    ASSERT_EQ(startTrap(all[i], i + 1, &toggle), TPRT_REFUSAL_NONE);
    all[i].enabled = true;
  }
  finishTraps();
  for (size_t i = 0; i < kCount; ++i) {
    ASSERT_EQ(destinationOfTrap(module.origin + i * 2), i + 1);
    ASSERT_EQ(destinationOfTrap(module.origin + i * 2 + 1), 0u);
    many[i * 2] = kInt3;
    planTrap(all[i], &toggle);
    ASSERT_EQ(toggle.now, SledForm::On);
    all[i].enabled = false;
  }
  finishTraps();
}

TEST_F(Trapped, ExecutedItReachesTheStub) {
  auto *page = static_cast<uint8_t *>(mmap(nullptr, 4096,
                                           PROT_READ | PROT_WRITE | PROT_EXEC,
                                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(page, MAP_FAILED);
  const uint8_t function[] = {0x90, 0xb8, 1, 0, 0, 0, 0xc3}; // nop; return 1
  const uint8_t stub[] = {0xb8, 2, 0, 0, 0, 0xc3};           // return 2
  memcpy(page, function, sizeof function);
  memcpy(page + 64, stub, sizeof stub);
  place(0, {0x90});
  module.origin = reinterpret_cast<uint64_t>(page);
  auto call = reinterpret_cast<int (*)()>(page);
  EXPECT_EQ(call(), 1);
  flip(true, module.origin + 64);
  EXPECT_EQ(call(), 2);
  flip(false, 0);
  EXPECT_EQ(call(), 1);
  munmap(page, 4096);
}
