// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests sites that no store can flip safely. Each is refused individually, with
// a reason, and its function runs unchanged.
#include "workers.h"

#include <gtest/gtest.h>

#include <cstring>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

using namespace stress;

namespace {

// Foreign bytes at a sled or in its slot, for example a debugger's breakpoint.
void refusesBytesAt(const StressFunction &Function, int Offset, uint8_t Byte) {
  Faults::reset();
  auto *Code =
      const_cast<uint8_t *>(static_cast<const uint8_t *>(Function.Entry));
  const size_t Page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  auto *Start = reinterpret_cast<uint8_t *>(
      (reinterpret_cast<uintptr_t>(Code) - 8) & ~(Page - 1));
  auto Protect = [&](int Extra) {
    ASSERT_EQ(mprotect(Start, 2 * Page, PROT_READ | PROT_EXEC | Extra), 0);
  };
  uint8_t Before[16], Between[16];
  Protect(PROT_WRITE);
  const uint8_t Old = std::exchange(Code[Offset], Byte);
  Protect(0);
  memcpy(Before, Code - 8, sizeof(Before));

  tprt_selector Selector = {};
  Selector.address = Function.Entry;
  Selector.flags = TPRT_SELECT_TRAPS;
  tprt_action Action = {};
  Action.kind = TPRT_ACTION_COUNT;
  tprt_probe *Probe = nullptr;
  tprt_result Result = {};
  EXPECT_EQ(tprt_probe_attach(&Selector, &Action, &Probe, &Result),
            TPRT_STATUS_REFUSED);
  EXPECT_EQ(Result.first_refusal, TPRT_REFUSAL_BYTES);
  EXPECT_EQ(Probe, nullptr);
  memcpy(Between, Code - 8, sizeof(Between));
  EXPECT_EQ(memcmp(Before, Between, sizeof(Before)), 0)
      << "bytes that were not ours have changed";

  // After these bytes are removed, the site can be used.
  Protect(PROT_WRITE);
  Code[Offset] = Old;
  Protect(0);
  EXPECT_EQ(tprt_probe_attach(&Selector, &Action, &Probe, &Result),
            TPRT_STATUS_OK)
      << tprt_error_string();
  Caller(5).call(Function);
  EXPECT_EQ(tprt_probe_count(Probe), 1u);
  EXPECT_EQ(tprt_probe_detach(Probe, -1), TPRT_STATUS_OK);
  EXPECT_EQ(Faults::count(), 0u) << Faults::first();
}

const StressFunction *functionNamed(const char *Name) {
  std::vector<StressFunction> Found =
      functionsAt(functions(), sitesNamed(Name));
  for (const StressFunction &Function : functions())
    if (Found.size() == 1 && Function.Entry == Found[0].Entry)
      return &Function;
  return nullptr;
}

class Refusal : public testing::TestWithParam<OddByte> {};

void PrintTo(const OddByte &Case, std::ostream *Out) { *Out << Case.Name; }

TEST_P(Refusal, OfBytesThatAreNotOurs) {
  const StressFunction *Function = functionNamed(GetParam().Function);
  ASSERT_TRUE(Function);
  refusesBytesAt(*Function, GetParam().Offset, GetParam().Byte);
}

INSTANTIATE_TEST_SUITE_P(Bytes, Refusal, testing::ValuesIn(OddBytes),
                         [](const auto &Info) {
                           return std::string(Info.param.Name);
                         });

} // namespace
