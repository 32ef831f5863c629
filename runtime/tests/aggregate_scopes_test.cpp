// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests scopes (programs/scopes.h) and what programs ask about them, and
// programs that end their group (STOP_IF).
#include "aggregategroup.h"
#include "programs/hit_limit.h"
#include "programs/program_check.h"
#include "programs/scopes.h"

#include <csetjmp>
#include <memory>
#include <optional>
#include <thread>

namespace {

struct Around {
  Scope *Made = nullptr;

  explicit Around(const char *Function) {
    EXPECT_TRUE(makeScope(Made));
    EXPECT_EQ(add(Function), TPRT_STATUS_OK) << tprt_error_string();
  }
  Around(const Around &) = delete;
  ~Around() { end(); }
  tprt_status add(const char *Function) {
    tprt_selector Selector = {};
    Selector.function = Function;
    tprt_result Result = {};
    return addScoped(Made, &Selector, Result);
  }
  void end() {
    if (Made)
      EXPECT_EQ(endScope(Made, -1), TPRT_STATUS_OK) << tprt_error_string();
    EXPECT_EQ(Made, nullptr);
  }
};

constexpr Operation kInside = {TPRT_PROGRAM_INSIDE, 0, 0, 0, 0};
constexpr Operation kDepth = {TPRT_PROGRAM_DEPTH, 0, 0, 0, 0};

// A group whose programs refer to a scope.
struct ScopedGroup : Group {
  ScopedGroup(const char *Function, const Operations &Code, const Scope *Of,
              uint32_t Flags = 0) {
    std::vector<uint64_t> Words(sizeof(Program) / 8 + Code.size());
    auto &P = *reinterpret_cast<Program *>(Words.data());
    P = {static_cast<uint32_t>(Code.size()), 0, Flags, 0};
    for (const Operation &Each : Code)
      P.keys += Each.code == TPRT_PROGRAM_KEY;
    memcpy(&P + 1, Code.data(), Code.size() * sizeof(Operation));
    EXPECT_EQ(programFault(P), nullptr);
    if (Of)
      P.inside = P.depth = refOf(Of);
    tprt_selector Selector = {};
    Selector.function = Function;
    tprt_result Result = {};
    EXPECT_EQ(addAggregated(Made, &Selector, P, Result), TPRT_STATUS_OK);
  }
  using Group::hits;
  uint64_t hits(const std::string &Keys) const { return row(Keys).Hits; }
};

TEST(Scopes, CallsInsideAreThoseOfTheThread) {
  Around Outer("timed_outer");
  for (uint32_t Flags : {0, +TPRT_PROGRAM_AT_END}) {
    ScopedGroup All("timed_inner", {kInside, kKey}, Outer.Made, Flags);
    call(timed_inner);
    call(timed_outer, [] {
      call(timed_inner);
      call(timed_other, [] { call(timed_inner); });
      std::thread([] { call(timed_inner); }).join();
    });
    call(timed_other, [] { call(timed_inner); });
    EXPECT_EQ(All.hits(number(1)), 2u);
    EXPECT_EQ(All.hits(number(0)), 3u);
    EXPECT_EQ(All.rows().size(), 2u);
  }
}

TEST(Scopes, TheCallItselfDoesNotCount) {
  // Whichever of the two probes comes first.
  for (bool IsFirst : {false, true}) {
    std::optional<Around> Outer;
    Outer.emplace(IsFirst ? "timed_outer" : "timed_other");
    ScopedGroup All("timed_outer", {kDepth, kKey}, Outer->Made);
    if (!IsFirst)
      EXPECT_EQ(Outer->add("timed_outer"), TPRT_STATUS_OK);
    call(timed_outer, [] { call(timed_outer, [] { call(timed_outer); }); });
    for (uint64_t Depth : {0, 1, 2})
      EXPECT_EQ(All.hits(number(Depth)), 1u) << Depth;
  }
}

// Without libtprt's own longjmp, which is not in this program, a call that was
// left is noticed by its return address on the stack.
TEST(Scopes, CallsThatWereLeftAreNotedAtOnce) {
#ifdef __aarch64__
  GTEST_SKIP() << "calls have no return address on the stack";
#endif
  Around Outer("timed_outer");
  ScopedGroup All("timed_inner", {kInside, kKey}, Outer.Made);
  for (int I = 0; I < 3; ++I) {
    static jmp_buf Place;
    if (!setjmp(Place))
      call(timed_outer, [] { longjmp(Place, 1); });
    // At the same position, and further inside.
    call(timed_inner);
    call(timed_other, [] { call(timed_inner); });
    try {
      call(timed_outer, [] { throw 1; });
    } catch (int) {
      call(timed_other, [] { call(timed_inner); });
    }
  }
  EXPECT_EQ(All.hits(number(0)), 9u);
  EXPECT_EQ(All.hits(number(1)), 0u);
  call(timed_outer, [] { call(timed_inner); });
  EXPECT_EQ(All.hits(number(1)), 1u);
}

TEST(Scopes, CallsThatBeganBeforeAreNotFollowed) {
  call(timed_outer, [] {
    Around Outer("timed_outer");
    ScopedGroup All("timed_inner", {kInside, kKey}, Outer.Made);
    call(timed_inner);
    EXPECT_EQ(All.hits(number(0)), 1u);
  });
}

TEST(Scopes, AfterTheEndNothingIsKnown) {
  std::optional<Around> Outer;
  Outer.emplace("timed_outer");
  ScopedGroup All("timed_inner", {kInside, kKey}, Outer->Made);
  ScopedGroup None("timed_inner", {kInside, kKey}, nullptr);
  call(timed_outer, [&] {
    call(timed_inner);
    Outer->end();
    call(timed_inner);
    // The next scope in the slot starts without open calls.
    Around Other("timed_outer");
    ScopedGroup Later("timed_inner", {kInside, kKey}, Other.Made);
    call(timed_inner);
    EXPECT_EQ(Later.hits(number(0)), 1u);
  });
  EXPECT_EQ(All.hits(number(1)), 1u);
  EXPECT_EQ(All.hits(unknown()), 2u);
  EXPECT_EQ(None.hits(unknown()), 3u);
}

TEST(Scopes, FunctionsWithoutExitsAreSaid) {
  Around Outer("timed_outer");
  EXPECT_EQ(Outer.add("timed_endless"), TPRT_STATUS_PARTIAL);
  EXPECT_NE(strstr(tprt_error_string(), "are not followed"), nullptr);
  ScopedGroup All("timed_inner", {kInside, kKey}, Outer.Made);
  call(timed_endless, [] { call(timed_inner); });
  EXPECT_EQ(All.hits(number(0)), 1u);
}

static void nest(unsigned Left) {
  if (Left)
    call(timed_outer, [=] { nest(Left - 1); });
  else
    call(timed_inner);
}

TEST(Scopes, MoreCallsThanTheListHolds) {
  Around Outer("timed_outer");
  ScopedGroup Inside("timed_inner", {kInside, kKey}, Outer.Made);
  ScopedGroup Depth("timed_inner", {kDepth, kKey}, Outer.Made);
  for (unsigned Depth : {4095, 4096, 5000, 3})
    nest(Depth);
  call(timed_inner);
  EXPECT_EQ(Inside.hits(number(1)), 4u);
  EXPECT_EQ(Inside.hits(number(0)), 1u);
  EXPECT_EQ(Depth.hits(number(4095)), 1u);
  EXPECT_EQ(Depth.hits(unknown()), 2u);
  EXPECT_EQ(Depth.hits(number(3)), 1u);
  EXPECT_EQ(Depth.hits(number(0)), 1u);
}

TEST(Scopes, SlotsAreLimitedAndUsedAgain) {
  std::vector<std::unique_ptr<Around>> All;
  for (unsigned I = 0; I < kMostScopes; ++I)
    All.push_back(std::make_unique<Around>("timed_outer"));
  Scope *More = nullptr;
  EXPECT_FALSE(makeScope(More));
  All.clear();
  EXPECT_TRUE(makeScope(More));
  EXPECT_EQ(endScope(More, -1), TPRT_STATUS_OK);
}

// --- the last hit ------------------------------------------------------------

Operation stopIf(int32_t Number, uint8_t Register = 0) {
  return {TPRT_PROGRAM_STOP_IF, 0, Register, 0, Number};
}
constexpr Operation kTrue = {TPRT_PROGRAM_CONSTANT, 1, 0, 0, 1};
constexpr Operation kIsThree = {TPRT_PROGRAM_EQUAL | TPRT_PROGRAM_IMMEDIATE, 1,
                                0, 0, 3};

TEST(LastHit, NoLaterHitCounts) {
  Group All("timed_inner", {kNumber, kIsThree, stopIf(0, 1), kKey});
  uint64_t Ticks = 0;
  for (uint64_t I = 0; I < 10; ++I) {
    EXPECT_EQ(hasStopped(All.Made, &Ticks), I > 3) << I;
    callWith(timed_inner, I);
  }
  EXPECT_EQ(All.rows().size(), 4u);
  EXPECT_EQ(All.hits(), 4u);
  EXPECT_NE(Ticks, 0u);
}

TEST(LastHit, TheCountIsOfHitsForWhichItIsTrue) {
  Group All("timed_inner", {kNumber, kIsThree, stopIf(2, 1), kKey});
  for (uint64_t I : {3, 1, 2, 3, 3, 1})
    callWith(timed_inner, I);
  EXPECT_EQ(All.hits(), 4u);
}

TEST(LastHit, AnUnknownConditionIsUnread) {
  Group All("timed_inner",
            {kNumber, {TPRT_PROGRAM_LOAD, 1, 0, 8, 0}, stopIf(0, 1), kKey});
  callWith(timed_inner, 8);
  EXPECT_EQ(All.hits(), 0u);
  EXPECT_EQ(All.totals().unread, 1u);
}

TEST(LastHit, ManyThreadsCountExactly) {
  constexpr int32_t Wanted = 30001;
  Group All("timed_inner", {kNumber, kTrue, stopIf(Wanted, 1), kKey});
  uint64_t Ticks = 0;
  std::vector<std::thread> Threads;
  for (int T = 0; T < 8; ++T)
    Threads.emplace_back([] {
      for (uint64_t I = 0; I < 10000; ++I)
        callWith(timed_inner, I % 7);
    });
  for (std::thread &T : Threads)
    T.join();
  EXPECT_EQ(All.hits(), uint64_t{Wanted});
  EXPECT_TRUE(hasStopped(All.Made, &Ticks));
}

TEST(LastHit, ExactlySoManyAreTaken) {
  // All have seen that it is not over yet.
  HitLimit Limit = {};
  for (int I = 0; I < 3; ++I)
    EXPECT_TRUE(Limit.takes(3)) << I;
  EXPECT_FALSE(Limit.takes(3));
  EXPECT_FALSE(Limit.takes(0));
  EXPECT_TRUE(Limit.isOver());
  for (int I = 0; I < 3; ++I) {
    EXPECT_FALSE(Limit.isDone()) << I;
    Limit.finish(3);
  }
  EXPECT_TRUE(Limit.isDone());
}

TEST(LastHit, OneOfSeveralIsTheFirst) {
  HitLimit Limit = {};
  EXPECT_TRUE(Limit.takes(0));
  EXPECT_TRUE(Limit.takes(1));
  EXPECT_FALSE(Limit.takes(1));
  Limit.finish(0);
  EXPECT_FALSE(Limit.isDone());
  Limit.finish(1);
  EXPECT_TRUE(Limit.isDone());
}

TEST(LastHit, AtTheEndOfCalls) {
  Group All("timed_inner", {kNumber, kTrue, stopIf(2, 1), kKey},
            TPRT_PROGRAM_AT_END);
  for (uint64_t I = 0; I < 5; ++I)
    callWith(timed_inner, I);
  EXPECT_EQ(All.rows().size(), 2u);
}

} // namespace
