// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the sled after every instruction of an attach and a detach.
#include "stepping.h"

using namespace stress;

namespace {

// Watches the sleds that match the selector.
void watch(const tprt_selector &Selector) {
  WatchedSleds.clear();
  tprt_site_visit(
      &Selector,
      [](const tprt_site *Site, void *) {
        tprt_site_info Info;
        tprt_site_describe(Site, &Info);
        auto At = reinterpret_cast<uint64_t>(Info.sled);
        const unsigned Bits = Info.shape == TPRT_SHAPE_SHORT  ? 16
                              : Info.shape == TPRT_SHAPE_LONG ? 40
                                                              : 8;
        uint64_t Mask = ((uint64_t{1} << Bits) - 1) << At % 8 * 8;
        auto *Word = reinterpret_cast<const uint64_t *>(At & ~uint64_t{7});
        WatchedSleds.push_back({nullptr, Word, Mask, *Word & Mask, 0});
        return 0;
      },
      nullptr);
}

// Three faults appear here as a torn sled or as a crash in the called function:
// a store in two halves, a sled that is flipped before its slot or stub exists,
// and an action list that is published too early. Of the races with other
// cores, the test finds those with states that no core may ever see.
TEST_F(Step, SledsAreWholeAtEveryInstructionOfAttachAndDetach) {
  for (const StressFunction &Function : functions()) {
    if (Function.Needs || Function.LandingPad || Function.Offset != 24 ||
        Function.Kind != (Function.Shape == TPRT_SHAPE_RET ? TPRT_KIND_EXIT
                                                           : TPRT_KIND_ENTRY))
      continue; // one of each shape
    tprt_selector Selector = {};
    Selector.address = Function.Entry;
    Selector.kinds = TPRT_KIND_SET_ALL;
    Selector.flags = TPRT_SELECT_TRAPS;
    watch(Selector);
    ASSERT_EQ(WatchedSleds.size(), 1u);
    tprt_action Action = {};
    Action.handler = onHit;
    Action.data = &Data;
    Watched &Sled = WatchedSleds[0];
    Sled.Function = &Function;
    const unsigned Shift = static_cast<unsigned>(__builtin_ctzll(Sled.Mask));
    // The jump to the slot, 5 bytes before the sled. At a ret only the opcode
    // changes.
    Sled.On = uint64_t{Function.Shape == TPRT_SHAPE_RET     ? 0xe9u
                       : Function.Shape == TPRT_SHAPE_PLAIN ? 0xccu
                                                            : 0xf9ebu}
              << Shift;
    if (Function.Shape == TPRT_SHAPE_LONG) { // the target is a stub that is
                                             // never removed
      attach(onHit);
      Sled.On = *Sled.Word & Sled.Mask;
      detach();
    }
    Now.Work = AtEachStep::CheckSleds;
    Now.FromLibrary = 0;
    Now.Masked = false;
    for (int Round = 0; Round < 2; ++Round) {
      tprt_probe *Probe = nullptr;
      tprt_status Status;
      {
        Stepping Stepping;
        Status = tprt_probe_attach(&Selector, &Action, &Probe, nullptr);
      }
      ASSERT_EQ(Status, TPRT_STATUS_OK) << tprt_error_string();
      NestedHits = 0;
      {
        Stepping Stepping;
        Status = tprt_probe_detach(Probe, 5000);
      }
      EXPECT_EQ(Status, TPRT_STATUS_OK) << tprt_error_string();
      EXPECT_GT(NestedHits, 0u) << "detach went by unseen";
    }
  }
}

} // namespace
