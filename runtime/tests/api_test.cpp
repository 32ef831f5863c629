// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the public functions in a program without any table: every misuse
// returns a status and a message.
#include "probes/api.h"
#include "tprt/duration.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <string>

namespace {
void handler(const tprt_event *, const tprt_regs *, void *) {}
const tprt_action kCall = {TPRT_ACTION_CALL, 0, handler, nullptr};
// A selector and a result with fields that a later version may add.
struct LaterSelector : tprt_selector {
  uint64_t More;
};
struct LaterResult : tprt_result {
  uint64_t More;
};

TEST(Api, LaterLibrariesTakeShorterStructuresForTheWhole) {
  struct {
    tprt_selector Given;
    uint64_t After;
  } Program = {{}, 77};
  Program.Given.function = "f";
  tprt::Taken<LaterSelector> Selector(
      reinterpret_cast<const LaterSelector *>(&Program.Given),
      sizeof Program.Given);
  EXPECT_STREQ(Selector.get()->function, "f");
  EXPECT_EQ(Selector.get()->More, 0u);
  EXPECT_EQ(tprt::Taken<LaterSelector>(nullptr, sizeof(tprt_selector)).get(),
            nullptr);
}

TEST(Api, LaterLibrariesFillNoMoreThanThereIs) {
  struct {
    tprt_result Result;
    uint64_t After;
  } Program = {{}, 77};
  LaterResult Filled = {};
  Filled.matched = 3;
  Filled.first_refusal = TPRT_REFUSAL_MOVED;
  Filled.More = 5;
  tprt::copyStructure(&Program.Result, sizeof Program.Result, &Filled,
                      sizeof Filled);
  EXPECT_EQ(Program.Result.matched, 3u);
  EXPECT_EQ(Program.Result.first_refusal, TPRT_REFUSAL_MOVED);
  EXPECT_EQ(Program.After, 77u);
}

} // namespace

TEST(Api, ProgramWithoutTableSaysHowToGetOne) {
  tprt_selector selector{};
  selector.function = "main";
  tprt_probe *probe = reinterpret_cast<tprt_probe *>(1);
  tprt_result result;
  EXPECT_EQ(tprt_probe_attach(&selector, &kCall, &probe, &result),
            TPRT_STATUS_NO_TABLE);
  EXPECT_EQ(probe, nullptr);
  EXPECT_EQ(result.matched, 0u);
  EXPECT_NE(std::string(tprt_error_string()).find("tp-clang"),
            std::string::npos);
}

TEST(Api, AttachRefusesBadArguments) {
  tprt_probe *probe;
  tprt_selector selector{};
  EXPECT_EQ(tprt_probe_attach(&selector, nullptr, &probe, nullptr),
            TPRT_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(tprt_probe_attach(&selector, &kCall, nullptr, nullptr),
            TPRT_STATUS_INVALID_ARGUMENT);
  tprt_action none = {TPRT_ACTION_CALL, 0, nullptr, nullptr};
  EXPECT_EQ(tprt_probe_attach(&selector, &none, &probe, nullptr),
            TPRT_STATUS_INVALID_ARGUMENT);
  tprt_action flags = {TPRT_ACTION_CALL, 0x80, handler, nullptr};
  EXPECT_EQ(tprt_probe_attach(&selector, &flags, &probe, nullptr),
            TPRT_STATUS_INVALID_ARGUMENT);
  selector.function = "f[";
  EXPECT_EQ(tprt_probe_attach(&selector, &kCall, &probe, nullptr),
            TPRT_STATUS_INVALID_ARGUMENT);
  EXPECT_NE(std::string(tprt_error_string()).find("']'"), std::string::npos);
}

TEST(Api, DetachOfNothingIsRefused) {
  EXPECT_EQ(tprt_probe_detach(nullptr, 0), TPRT_STATUS_INVALID_ARGUMENT);
}

TEST(Api, DescribeRefusesWhatIsNoSite) {
  tprt_site_info info;
  int other = 0;
  EXPECT_EQ(
      tprt_site_describe(reinterpret_cast<const tprt_site *>(&other), &info),
      TPRT_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(tprt_site_describe(nullptr, &info), TPRT_STATUS_INVALID_ARGUMENT);
}

TEST(Api, WhatNoCallGaveIsRefusedByEveryFunction) {
  // A null pointer, an unmapped address, a misaligned pointer, a pointer to
  // memory of libtprt with any content, and a pointer to the program's memory.
  alignas(64) static char own[512];
  void *const wild[] = {nullptr,
                        reinterpret_cast<void *>(uintptr_t{1} << 46),
                        reinterpret_cast<void *>(3),
                        own,
                        &own[1],
                        const_cast<char *>(tprt_error_string())};
  for (void *pointer : wild) {
    SCOPED_TRACE(pointer);
    auto *probe = static_cast<tprt_probe *>(pointer);
    auto *site = static_cast<const tprt_site *>(pointer);
    auto *durations = static_cast<tprt_duration_probe *>(pointer);
    tprt_site_info info;
    EXPECT_EQ(tprt_probe_detach(probe, 0), TPRT_STATUS_INVALID_ARGUMENT);
    EXPECT_EQ(tprt_probe_count(probe), 0u);
    EXPECT_NE(std::string(tprt_error_string()).find("counts need a probe"),
              std::string::npos);
    tprt_probe_visit_counts(
        probe, [](const tprt_site *, uint64_t, void *) { return 0; }, nullptr);
    EXPECT_EQ(tprt_site_describe(site, &info), TPRT_STATUS_INVALID_ARGUMENT);
    EXPECT_EQ(tprt_site_original(site), nullptr);
    EXPECT_EQ(tprt_duration_probe_detach(durations, 0),
              TPRT_STATUS_INVALID_ARGUMENT);
    EXPECT_EQ(tprt_duration_probe_depth(durations), 0u);
    tprt_selector list{};
    list.sites = &site;
    list.site_count = 1;
    EXPECT_EQ(tprt_probe_attach(&list, &kCall, &probe, nullptr),
              TPRT_STATUS_INVALID_ARGUMENT);
    EXPECT_EQ(tprt_site_visit(
                  &list, [](const tprt_site *, void *) { return 0; }, nullptr),
              TPRT_STATUS_INVALID_ARGUMENT);
    EXPECT_NE(std::string(tprt_error_string()).find("not a site"),
              std::string::npos);
  }
  EXPECT_EQ(tprt_site_visit(nullptr, nullptr, nullptr),
            TPRT_STATUS_INVALID_ARGUMENT);
  tprt_stats_read(nullptr);
}

TEST(Api, DetachedProbesAreRefused) {
  tprt_selector selector{};
  selector.function = "not there yet";
  selector.flags = TPRT_SELECT_AWAIT;
  tprt_probe *probe = nullptr;
  tprt_probe_attach(&selector, &kCall, &probe, nullptr);
  ASSERT_NE(probe, nullptr);
  EXPECT_EQ(tprt_probe_detach(probe, -1), TPRT_STATUS_OK);
  EXPECT_EQ(tprt_probe_detach(probe, -1), TPRT_STATUS_INVALID_ARGUMENT);
  EXPECT_NE(std::string(tprt_error_string()).find("still attached"),
            std::string::npos);
  EXPECT_EQ(tprt_probe_count(probe), 0u);
  auto onEnd = [](const tprt_duration *, void *) {};
  tprt_duration_probe *durations = nullptr;
  tprt_duration_probe_attach(&selector, onEnd, nullptr, 0, &durations, nullptr);
  ASSERT_NE(durations, nullptr);
  EXPECT_EQ(tprt_duration_probe_detach(durations, -1), TPRT_STATUS_OK);
  EXPECT_EQ(tprt_duration_probe_detach(durations, -1),
            TPRT_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(tprt_duration_probe_depth(durations), 0u);
}

TEST(Api, EveryStatusHasASentenceOfItsOwn) {
  std::set<std::string> sentences;
  for (int status = TPRT_STATUS_OK; status <= TPRT_STATUS_UNSUPPORTED; ++status)
    EXPECT_TRUE(
        sentences.insert(tprt_status_string(static_cast<tprt_status>(status)))
            .second)
        << status;
  for (int refusal = TPRT_REFUSAL_NONE; refusal <= TPRT_REFUSAL_MAP_COUNT;
       ++refusal)
    EXPECT_TRUE(
        sentences
            .insert(tprt_refusal_string(static_cast<tprt_refusal>(refusal)))
            .second)
        << refusal;
  EXPECT_EQ(sentences.count("unknown status"), 0u);
}

TEST(Api, SentencesSayWhatTheirNumbersMean) {
  auto says = [](const char *sentence, const char *words) {
    EXPECT_NE(strstr(sentence, words), nullptr) << sentence;
  };
  says(tprt_status_string(TPRT_STATUS_OK), "done");
  says(tprt_status_string(TPRT_STATUS_NO_MEMORY), "memory");
  says(tprt_status_string(TPRT_STATUS_NO_BARRIER), "membarrier");
  says(tprt_status_string(TPRT_STATUS_OTHER_COPY), "another copy");
  says(tprt_status_string(TPRT_STATUS_NO_FILE), "file");
  for (int none : {TPRT_STATUS_NO_FILE + 1, 15}) // invalid values of the type
    says(tprt_status_string(static_cast<tprt_status>(none)), "unknown status");
  says(tprt_refusal_string(TPRT_REFUSAL_NONE), "not refused");
  says(tprt_refusal_string(TPRT_REFUSAL_SHAPE), "no room for a jump");
  says(tprt_refusal_string(TPRT_REFUSAL_ALIGNMENT), "one store");
  says(tprt_refusal_string(TPRT_REFUSAL_REACH), "reach");
  says(tprt_refusal_string(TPRT_REFUSAL_NOT_OPAQUE), "opaque");
  says(tprt_refusal_string(TPRT_REFUSAL_SIGTRAP), "SIGTRAP may not reach");
  says(tprt_refusal_string(TPRT_REFUSAL_MOVED), "BOLT moved");
  says(tprt_refusal_string(TPRT_REFUSAL_INSTRUCTION), "call");
  says(tprt_refusal_string(TPRT_REFUSAL_ROOM), "no jump fits");
  says(tprt_refusal_string(TPRT_REFUSAL_SWITCH), "switch");
  says(tprt_refusal_string(TPRT_REFUSAL_XRAY), "XRay");
  says(tprt_refusal_string(TPRT_REFUSAL_BOUNDARY), "no instruction begins");
  says(tprt_refusal_string(TPRT_REFUSAL_EXCHANGE), "not a nop, b or bl");
  says(tprt_refusal_string(TPRT_REFUSAL_MAP_COUNT), "vm.max_map_count");
  for (int none : {TPRT_REFUSAL_MAP_COUNT + 1, 31})
    says(tprt_refusal_string(static_cast<tprt_refusal>(none)),
         "unknown refusal");
}
