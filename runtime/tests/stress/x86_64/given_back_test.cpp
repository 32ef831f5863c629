// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A uprobe is added and removed at random over sleds of each shape, on or off,
// while threads run through the sleds and one thread attaches and detaches. The
// test imitates the kernel's work for a uprobe:
//  - it writes an int3 over the first byte;
//  - it emulates the file's instruction when a thread executes the int3;
//  - at the end it restores the file's first byte.
// Each write goes through /proc/self/mem.
#include "workers.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/ucontext.h>
#include <unistd.h>

using namespace stress;

namespace {

struct Sled {
  uint64_t Address;
  uint8_t First, Bytes; // in the file
};
std::vector<Sled> Sleds; // ascending; constant while threads run

// Does the kernel's work: if a thread executed an int3, executes the
// instruction from the file for it.
void onTrap(int, siginfo_t *, void *Context) {
  greg_t *Registers = static_cast<ucontext_t *>(Context)->uc_mcontext.gregs;
  const auto At = static_cast<uint64_t>(Registers[REG_RIP]) - 1;
  auto Found = std::lower_bound(
      Sleds.begin(), Sleds.end(), At,
      [](const Sled &S, uint64_t Address) { return S.Address < Address; });
  if (Found == Sleds.end() || Found->Address != At)
    abort();
  if (Found->First == 0xc3) {
    memcpy(&Registers[REG_RIP],
           reinterpret_cast<const void *>(Registers[REG_RSP]), 8);
    Registers[REG_RSP] += 8;
  } else {
    Registers[REG_RIP] = static_cast<greg_t>(At + Found->Bytes);
  }
}

class Uprobes {
public:
  explicit Uprobes(uint64_t Seed) : Random(Seed) {
    Memory = open("/proc/self/mem", O_RDWR);
    Thread = std::thread([this] { run(); });
  }
  ~Uprobes() { stop(); }
  uint64_t stop() {
    Stop = true;
    if (Thread.joinable())
      Thread.join();
    if (Memory >= 0)
      close(Memory);
    Memory = -1;
    return Made;
  }

private:
  void write(const Sled &Sled, uint8_t Byte) {
    if (pwrite(Memory, &Byte, 1, static_cast<off_t>(Sled.Address)) != 1)
      abort();
  }
  void run() {
    while (!Stop) {
      const Sled &Sled = Sleds[Random.random(Sleds.size())];
      write(Sled, 0xcc);
      if (Random.random(2))
        std::this_thread::yield();
      write(Sled, Sled.First);
      ++Made;
    }
  }
  Caller Random;
  int Memory;
  uint64_t Made = 0;
  std::atomic<bool> Stop{false};
  std::thread Thread;
};

class GivenBack : public testing::TestWithParam<Group> {
protected:
  void SetUp() override {
    Faults::reset();
    Sites = sitesNamed(GetParam().Glob);
    Sleds.clear();
    for (const tprt_site *Site : Sites) {
      tprt_site_info Info;
      tprt_site_describe(Site, &Info);
      ASSERT_EQ(Info.state, 0);
      const uint8_t Bytes = Info.shape == TPRT_SHAPE_LONG    ? 5
                            : Info.shape == TPRT_SHAPE_SHORT ? 2
                                                             : 1;
      Sleds.push_back({reinterpret_cast<uint64_t>(Info.sled),
                       *static_cast<const uint8_t *>(Info.sled), Bytes});
    }
    std::sort(Sleds.begin(), Sleds.end(),
              [](auto &A, auto &B) { return A.Address < B.Address; });
    struct sigaction Action = {};
    Action.sa_sigaction = onTrap;
    Action.sa_flags = SA_SIGINFO;
    sigaction(SIGTRAP, &Action, &Before);
  }
  void TearDown() override { sigaction(SIGTRAP, &Before, nullptr); }

  tprt_selector all() const {
    tprt_selector Selector = {};
    Selector.sites = Sites.data();
    Selector.site_count = Sites.size();
    Selector.kinds = TPRT_KIND_SET_ALL;
    return Selector;
  }
  // Attaches, waits briefly, and detaches. Any site may be refused, because a
  // uprobe may be on it.
  void toggleOnce(Caller &Random, DataPages &Pages) {
    stress_data *Data = Pages.take();
    const bool Counts = Random.random(3) == 0;
    tprt_action Action = {};
    Action.kind = Counts ? TPRT_ACTION_COUNT : TPRT_ACTION_CALL;
    Action.handler = Counts ? nullptr : stress_handler_trample;
    Action.data = Data;
    tprt_selector Selector = all();
    tprt_probe *Probe = nullptr;
    tprt_result Result = {};
    const tprt_status Status =
        tprt_probe_attach(&Selector, &Action, &Probe, &Result);
    if (Status != TPRT_STATUS_OK && Result.first_refusal != TPRT_REFUSAL_BYTES)
      Faults::report(tprt_error_string(), static_cast<uint64_t>(Status),
                     TPRT_STATUS_OK);
    if (Random.random(2))
      std::this_thread::yield();
    if (Probe)
      compare("detach", static_cast<uint64_t>(tprt_probe_detach(Probe, -1)),
              TPRT_STATUS_OK);
    Pages.poison(Data);
  }

  std::vector<const tprt_site *> Sites;
  struct sigaction Before;
};

TEST_P(GivenBack, CallsStayRightAndSitesAreAttachedAgain) {
  const std::vector<StressFunction> Functions = functionsAt(functions(), Sites);
  const auto End = std::chrono::steady_clock::now() + timeFor(8);
  Workers Workers(3, Functions);
  Uprobes Uprobes(7);
  Caller Random(11);
  DataPages Pages;
  uint64_t Toggles = 0;
  for (; (std::chrono::steady_clock::now() < End || Toggles < 20) &&
         !Faults::count();
       ++Toggles)
    toggleOnce(Random, Pages);
  EXPECT_GT(Uprobes.stop(), 0u);
  EXPECT_GT(Workers.stop(), 0u);
  EXPECT_EQ(Faults::count(), 0u) << Faults::first();

  // Regardless of the bytes that the uprobes have left, all sites are off, and
  // can be attached to again.
  tprt_stats Stats;
  tprt_stats_read(&Stats);
  EXPECT_EQ(Stats.enabled, 0u);
  tprt_selector Selector = all();
  tprt_action Action = {};
  Action.kind = TPRT_ACTION_COUNT;
  tprt_probe *Probe = nullptr;
  ASSERT_EQ(tprt_probe_attach(&Selector, &Action, &Probe, nullptr),
            TPRT_STATUS_OK)
      << tprt_error_string();
  for (const StressFunction &Function : Functions)
    Caller(3).call(Function);
  EXPECT_EQ(tprt_probe_count(Probe), Functions.size());
  ASSERT_EQ(tprt_probe_detach(Probe, -1), TPRT_STATUS_OK);
  for (const Sled &Sled : Sleds)
    EXPECT_EQ(*reinterpret_cast<const uint8_t *>(Sled.Address), Sled.First);
}

constexpr Group Shapes[] = {{"Short", "stress_short_*", 128},
                            {"Long", "stress_long_*", 128},
                            {"Ret", "stress_ret_*", 64},
                            {"Exit", "stress_exit_*", 64},
                            {"Tail", "stress_tail_*", 64}};
INSTANTIATE_TEST_SUITE_P(Shapes, GivenBack, testing::ValuesIn(Shapes),
                         nameOfGroup);

} // namespace
