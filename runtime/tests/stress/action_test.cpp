// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests actions other than a plain call of a handler: handlers that change
// registers, replacements, every n-th hit, and times. They use the handmade
// functions of sleds.S, whose records say whether they are opaque.
#include "workers.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <ctime>

using namespace stress;

namespace {

const tprt_site *siteOf(const char *Name) {
  std::vector<const tprt_site *> Found = sitesNamed(Name);
  return Found.size() == 1 ? Found[0] : nullptr;
}

const void *entryOf(const tprt_site *Site) {
  tprt_site_info Info;
  tprt_site_describe(Site, &Info);
  return Info.function;
}

CallState arguments() {
  CallState In;
  auto *Words = reinterpret_cast<uint64_t *>(&In);
  for (size_t I = 0; I < sizeof(In) / sizeof(*Words); ++I)
    Words[I] = 0x0123456789abcdefu * (I + 3);
  In.makeFlagsValid();
  return In;
}

uint64_t call(const void *Function, const CallState &In) {
  CallState Out;
  stress_call_128(&In, &Out, Function);
  return Out.result();
}

// A probe on one site, which is detached when the object's scope ends.
struct Attached {
  tprt_probe *Probe = nullptr;
  tprt_status Status;
  tprt_result Result = {};
  Attached(const tprt_site *Site, tprt_action Action) {
    tprt_selector Selector = {};
    Selector.sites = &Site;
    Selector.site_count = 1;
    Selector.kinds = TPRT_KIND_SET_ALL;
    Status = tprt_probe_attach(&Selector, &Action, &Probe, &Result);
  }
  ~Attached() {
    if (Probe)
      EXPECT_EQ(tprt_probe_detach(Probe, -1), TPRT_STATUS_OK)
          << tprt_error_string();
  }
};

tprt_action calling(tprt_handler Handler, void *Data, uint32_t Flags = 0) {
  tprt_action Action = {};
  Action.handler = Handler;
  Action.data = Data;
  Action.flags = Flags;
  return Action;
}

extern "C" __attribute__((used)) uint64_t action_replacement(uint64_t First,
                                                             uint64_t Second) {
  return First * 3 + Second;
}

uint64_t replaced(const CallState &In) {
  return action_replacement(In.firstArgument(), In.secondArgument());
}

tprt_action
redirecting(const void *Replacement =
                reinterpret_cast<const void *>(&action_replacement)) {
  tprt_action Action = {};
  Action.kind = TPRT_ACTION_REDIRECT;
  Action.replacement = Replacement;
  return Action;
}

void countUp(const tprt_event *, const tprt_regs *, void *Data) {
  __atomic_fetch_add(static_cast<uint64_t *>(Data), 1, __ATOMIC_RELAXED);
}

void addToFirstArgument(const tprt_event *Event, const tprt_regs *Regs,
                        void *Data) {
  tprt_regs *Own = tprt_regs_change(Event, Regs);
  if (Own)
    firstArgumentOf(*Own) += *static_cast<uint64_t *>(Data);
  else
    stress_fault("handler may not change", 0, 1);
}

void setResult(const tprt_event *Event, const tprt_regs *Regs, void *Data) {
  resultOf(*tprt_regs_change(Event, Regs)) = *static_cast<uint64_t *>(Data);
  auto *Vectors = static_cast<uint64_t *>(tprt_regs_vectors(Event, Regs));
  Vectors[0] = 77;
}

} // namespace

TEST(Action, HandlerChangesAnArgument) {
  for (const char *Name : OpaqueEntries) {
    const tprt_site *Site = siteOf(Name);
    ASSERT_TRUE(Site);
    CallState In = arguments(), Changed = In;
    uint64_t More = 0x1111;
    Changed.firstArgument() += More;
    const uint64_t Plain = call(entryOf(Site), In),
                   Wanted = call(entryOf(Site), Changed);
    for (uint32_t Flags : {uint32_t{TPRT_HANDLER_CHANGES_REGS},
                           uint32_t{TPRT_HANDLER_CHANGES_REGS |
                                    TPRT_HANDLER_GENERAL_REGS_ONLY}}) {
      Attached Probe(Site, calling(addToFirstArgument, &More, Flags));
      ASSERT_EQ(Probe.Status, TPRT_STATUS_OK) << tprt_error_string();
      EXPECT_EQ(call(entryOf(Site), In), Wanted);
    }
    EXPECT_EQ(call(entryOf(Site), In), Plain);
  }
}

TEST(Action, HandlerChangesAVectorArgument) {
  for (const char *Name : OpaqueEntries) {
    const tprt_site *Site = siteOf(Name);
    ASSERT_TRUE(Site);
    const CallState In = arguments();
    CallState Out;
    Attached Probe(
        Site, calling(
                  [](const tprt_event *Event, const tprt_regs *Regs, void *) {
                    static_cast<uint64_t *>(
                        tprt_regs_vectors(Event, Regs))[2 * 7 + 1] = 77;
                  },
                  nullptr, TPRT_HANDLER_CHANGES_REGS));
    ASSERT_EQ(Probe.Status, TPRT_STATUS_OK) << tprt_error_string();
    stress_call_128(&In, &Out, entryOf(Site));
    EXPECT_EQ(Out.Vector[7][1], 77u); // the function does not change them
    EXPECT_EQ(Out.Vector[7][0], In.Vector[7][0]);
    EXPECT_EQ(Out.Vector[6][1], In.Vector[6][1]);
  }
}

TEST(Action, HandlerChangesTheResult) {
  const tprt_site *Site = siteOf(OpaqueExit);
  ASSERT_TRUE(Site);
  CallState In = arguments(), Out;
  uint64_t Wanted = 4242;
  Attached Probe(Site, calling(setResult, &Wanted, TPRT_HANDLER_CHANGES_REGS));
  ASSERT_EQ(Probe.Status, TPRT_STATUS_OK) << tprt_error_string();
  stress_call_128(&In, &Out, entryOf(Site));
  EXPECT_EQ(Out.result(), Wanted);
  EXPECT_EQ(Out.Vector[0][0], 77u);
  EXPECT_EQ(Out.Vector[0][1], In.Vector[0][1]);
  EXPECT_EQ(Out.secondResult(), In.secondResult());
}

TEST(Action, ChangesAreRefusedWhereTheFunctionIsNotOpaque) {
  const tprt_site *Site = siteOf(PlainEntries[0]);
  ASSERT_TRUE(Site);
  uint64_t Data = 1;
  Attached Changes(
      Site, calling(addToFirstArgument, &Data, TPRT_HANDLER_CHANGES_REGS));
  EXPECT_EQ(Changes.Status, TPRT_STATUS_REFUSED);
  EXPECT_EQ(Changes.Result.first_refusal, TPRT_REFUSAL_NOT_OPAQUE);
  Attached Redirects(Site, redirecting());
  EXPECT_EQ(Redirects.Status, TPRT_STATUS_REFUSED);
  EXPECT_EQ(Redirects.Result.first_refusal, TPRT_REFUSAL_NOT_OPAQUE);
  const tprt_site *Exit = siteOf(OpaqueExit);
  Attached AtAnExit(Exit, redirecting());
  EXPECT_EQ(AtAnExit.Result.first_refusal, TPRT_REFUSAL_ACTION);
}

TEST(Action, HandlerWithoutTheFlagCannotChange) {
  const tprt_site *Site = siteOf(OpaqueEntries[0]);
  bool Null = false;
  Attached Probe(
      Site, calling(
                [](const tprt_event *Event, const tprt_regs *Regs, void *Data) {
                  *static_cast<bool *>(Data) =
                      tprt_regs_change(Event, Regs) == nullptr;
                },
                &Null));
  call(entryOf(Site), arguments());
  EXPECT_TRUE(Null);
}

TEST(Action, RedirectionRunsTheReplacementAndIsUndone) {
  for (const char *Name : OpaqueEntries) {
    const tprt_site *Site = siteOf(Name);
    ASSERT_TRUE(Site);
    const CallState In = arguments();
    const uint64_t Plain = call(entryOf(Site), In);
    EXPECT_EQ(tprt_site_original(Site), nullptr);
    uint64_t Hits = 0;
    {
      Attached Redirect(Site, redirecting());
      ASSERT_EQ(Redirect.Status, TPRT_STATUS_OK) << tprt_error_string();
      EXPECT_EQ(call(entryOf(Site), In), replaced(In));
      ASSERT_TRUE(tprt_site_original(Site));
      EXPECT_EQ(call(tprt_site_original(Site), In), Plain);
      {
        Attached Handler(Site, calling(countUp, &Hits));
        EXPECT_EQ(call(entryOf(Site), In), replaced(In));
        EXPECT_EQ(Hits, 1u);
      }
      EXPECT_EQ(call(entryOf(Site), In), replaced(In));
    }
    EXPECT_EQ(call(entryOf(Site), In), Plain);
    EXPECT_EQ(Hits, 1u);
  }
}

// The size of the process's mappings, in pages. The size is read from the maps,
// because an emulator counts its own memory in statm.
size_t addressSpace() {
  size_t Bytes = 0;
  if (FILE *File = fopen("/proc/self/maps", "r")) {
    unsigned long From, To;
    while (fscanf(File, "%lx-%lx%*[^\n]", &From, &To) == 2)
      Bytes += To - From;
    fclose(File);
  }
  return Bytes / 4096;
}

TEST(Action, RedirectionGivesItsMemoryBack) {
  const tprt_site *Site = siteOf(OpaqueEntries[0]);
  ASSERT_TRUE(Site);
  size_t Before = 0;
  for (int Round = 0; Round < 3000; ++Round) {
    if (Round == 10)
      Before = addressSpace();
    Attached Redirect(Site, redirecting());
    ASSERT_EQ(Redirect.Status, TPRT_STATUS_OK) << tprt_error_string();
  }
  EXPECT_LT(addressSpace(), Before + 32); // with 128 bytes each, the growth
                                          // would be 90
}

// Other threads call the function in the meantime. Each call must run either
// the complete function or its complete replacement, and must preserve every
// callee-saved register.
TEST(Action, RedirectionTogglesUnderThreads) {
  const tprt_site *Site = siteOf(OpaqueEntries[0]);
  ASSERT_TRUE(Site);
  const void *Entry = entryOf(Site);
  const CallState In = arguments();
  const uint64_t Plain = call(Entry, In), Other = replaced(In);
  std::atomic<bool> Stop{false};
  std::atomic<uint64_t> Seen[2] = {}, Wrong{0};
  std::vector<std::thread> Threads;
  for (int I = 0; I < 3; ++I)
    Threads.emplace_back([&] {
      while (!Stop.load(std::memory_order_relaxed)) {
        CallState Out;
        stress_call_128(&In, &Out, Entry);
        const bool Good = (Out.result() == Plain || Out.result() == Other) &&
                          Out.hasCalleeSavedOf(In);
        (Good ? Seen[Out.result() == Other] : Wrong)
            .fetch_add(1, std::memory_order_relaxed);
      }
    });
  const auto End = std::chrono::steady_clock::now() + timeFor(20);
  uint64_t Hits = 0, Rounds = 0;
  while (std::chrono::steady_clock::now() < End || !Seen[0] || !Seen[1]) {
    Attached First(Site,
                   Rounds % 3 == 1 ? calling(countUp, &Hits) : redirecting());
    Attached Second(Site, Rounds % 2 ? redirecting()
                                     : calling(countUp, &Hits,
                                               TPRT_HANDLER_GENERAL_REGS_ONLY));
    ASSERT_EQ(Second.Status, TPRT_STATUS_OK) << tprt_error_string();
    std::this_thread::yield();
    ++Rounds;
  }
  Stop = true;
  for (std::thread &Thread : Threads)
    Thread.join();
  EXPECT_EQ(Wrong, 0u);
  EXPECT_EQ(call(Entry, In), Plain);
}

TEST(Action, EveryNthHit) {
  const tprt_site *Site = siteOf(PlainEntries[1]);
  const CallState In = arguments();
  uint64_t Hits = 0, All = 0;
  tprt_action Action = calling(countUp, &Hits);
  Action.every = 5;
  Attached Probe(Site, Action), Beside(Site, calling(countUp, &All));
  ASSERT_EQ(Probe.Status, TPRT_STATUS_OK);
  for (int I = 0; I < 50; ++I)
    call(entryOf(Site), In);
  EXPECT_EQ(Hits, 10u);
  EXPECT_EQ(All, 50u);
}

TEST(Action, TimeIsOnRequest) {
  const tprt_site *Site = siteOf(PlainEntries[2]);
  const CallState In = arguments();
  std::vector<uint64_t> Times;
  uint64_t Without = 1;
  Attached Timed(
      Site, calling(
                [](const tprt_event *Event, const tprt_regs *, void *Data) {
                  static_cast<std::vector<uint64_t> *>(Data)->push_back(
                      tprt_event_time(Event));
                },
                &Times, TPRT_HANDLER_TIME));
  Attached Plain(
      Site, calling(
                [](const tprt_event *Event, const tprt_regs *, void *Data) {
                  *static_cast<uint64_t *>(Data) = tprt_event_time(Event);
                },
                &Without));
  timespec Before, After;
  clock_gettime(CLOCK_MONOTONIC, &Before);
  call(entryOf(Site), In);
  std::this_thread::sleep_for(std::chrono::milliseconds(60));
  call(entryOf(Site), In);
  clock_gettime(CLOCK_MONOTONIC, &After);
  EXPECT_EQ(Without, 0u);
  ASSERT_EQ(Times.size(), 2u);
  ASSERT_GT(Times[1], Times[0]);
  // The two hits lie between the two readings, and the sleep lies between the
  // hits.
  const double Outer = (After.tv_sec - Before.tv_sec) * 1e9 +
                       double(After.tv_nsec - Before.tv_nsec);
  const double Inner = double(tprt_ticks_to_ns(Times[1] - Times[0]));
  EXPECT_LE(Inner, Outer * 1.01);
  EXPECT_GE(Inner, 60e6 * 0.99);
}

TEST(Action, ActionsThatMakeNoSenseAreNamed) {
  const tprt_site *Site = siteOf(OpaqueEntries[0]);
  tprt_action Bad = redirecting(nullptr);
  EXPECT_EQ(Attached(Site, Bad).Status, TPRT_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(strstr(tprt_error_string(), "replacement"));
  Bad = calling(nullptr, nullptr);
  EXPECT_EQ(Attached(Site, Bad).Status, TPRT_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(strstr(tprt_error_string(), "handler"));
  Bad = redirecting();
  Bad.every = 2;
  EXPECT_EQ(Attached(Site, Bad).Status, TPRT_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(strstr(tprt_error_string(), "fields"));
}
