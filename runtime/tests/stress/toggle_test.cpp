// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The multithreaded toggle test. Four threads call instrumented functions of
// one shape, which lie at every offset of a cache line, while the main thread
// attaches and detaches. Every argument, result and preserved register is
// checked at each call. The data of a detached handler is made unreadable.
#include "workers.h"

#include <gtest/gtest.h>

#include <cstdio>

using namespace stress;

namespace {

struct ToggleCase {
  Group Functions;
  const char *Name; // name of the actions
  unsigned Actions;
};

std::string nameOf(const testing::TestParamInfo<ToggleCase> &Info) {
  return std::string(Info.param.Functions.Name) + Info.param.Name;
}

void PrintTo(const ToggleCase &Case, std::ostream *Out) {
  *Out << Case.Functions.Name << Case.Name;
}

std::vector<ToggleCase> allCases() {
  std::vector<ToggleCase> Cases;
  for (const Group &Functions : Groups)
    for (ToggleCase Case : {ToggleCase{Functions, "General", General},
                            {Functions, "Trample", Trample},
                            {Functions, "Count", Count},
                            {Functions, "Mixed", AllActions}})
      Cases.push_back(Case);
  for (const Group &Functions : OtherGroups)
    Cases.push_back({Functions, "Mixed", AllActions});
  return Cases;
}

class Toggle : public testing::TestWithParam<ToggleCase> {};

TEST_P(Toggle, CallsStayRight) {
  const auto &[Functions, Name, Actions] = GetParam();
  Faults::reset();
  std::vector<const tprt_site *> Sites = sitesNamed(Functions.Glob);
  ASSERT_EQ(Sites.size(), Functions.Sites) << Faults::first();
  const auto End = std::chrono::steady_clock::now() + timeFor(4);
  Workers Workers(4, functionsAt(functions(), Sites));
  Toggler Toggler(Sites, Actions, 42);
  Toggler.runUntil(End);
  while (!Toggler.hits() && !Faults::count())
    Toggler.toggleOnce();
  const uint64_t Calls = Workers.stop();
  EXPECT_EQ(Faults::count(), 0u) << Faults::first();
  printf("%s%s: %lu toggles, %lu calls, %lu hits\n", Functions.Name, Name,
         static_cast<unsigned long>(Toggler.toggles()),
         static_cast<unsigned long>(Calls),
         static_cast<unsigned long>(Toggler.hits()));
}

INSTANTIATE_TEST_SUITE_P(Shapes, Toggle, testing::ValuesIn(allCases()), nameOf);

// Runs without threads. Each function is hit once by each action, and not at
// all after the probe is detached.
TEST(EveryFunction, IsHitOnceByEachActionAndThenNoMore) {
  Faults::reset();
  Caller Caller(3);
  const std::vector<const tprt_site *> Sites = sitesNamed("stress_*");
  const std::vector<StressFunction> All = functionsAt(functions(), Sites);
  for (tprt_handler Handler :
       {tprt_handler{stress_handler_general},
        tprt_handler{stress_handler_trample}, tprt_handler{nullptr}}) {
    stress_data Data = {STRESS_DATA_ALIVE, 0};
    tprt_selector Selector = {};
    Selector.sites = Sites.data();
    Selector.site_count = Sites.size();
    Selector.kinds = TPRT_KIND_SET_ALL;
    Selector.flags = TPRT_SELECT_TRAPS;
    tprt_action Action = {};
    Action.kind = Handler ? TPRT_ACTION_CALL : TPRT_ACTION_COUNT;
    if (Handler == stress_handler_general)
      Action.flags = TPRT_HANDLER_GENERAL_REGS_ONLY;
    Action.handler = Handler;
    Action.data = &Data;
    tprt_probe *Probe = nullptr;
    ASSERT_EQ(tprt_probe_attach(&Selector, &Action, &Probe, nullptr),
              TPRT_STATUS_OK)
        << tprt_error_string();
    for (const StressFunction &Function : All)
      Caller.call(Function);
    EXPECT_EQ(Handler ? Data.hits : tprt_probe_count(Probe), All.size());
    ASSERT_EQ(tprt_probe_detach(Probe, -1), TPRT_STATUS_OK);
    const uint64_t Before = Data.hits;
    for (const StressFunction &Function : All)
      Caller.call(Function);
    EXPECT_EQ(Data.hits, Before);
  }
  EXPECT_EQ(Faults::count(), 0u) << Faults::first();
}

} // namespace
