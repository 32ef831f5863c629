// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the core's calls of optional components (threads/component.h). The
// test's own list of components replaces the library's.
#include "threads/component.h"

#include <gtest/gtest.h>

#include <thread>

using namespace tprt;

namespace {
struct State {
  uint64_t number;
};

int started, begun, ended;
void *lastBegun, *lastEnded;

void start() { ++started; }
void beginThread(void *state) {
  ++begun;
  lastBegun = state;
}
void endThread(void *state) {
  ++ended;
  lastEnded = state;
}

constexpr Component first{.start = start, .stateBytes = sizeof(State)};
constexpr Component second{.stateAt = kComponentBytes - sizeof(State),
                           .stateBytes = sizeof(State),
                           .beginThread = beginThread,
                           .endThread = endThread};
} // namespace

const Component *const tprt::components[] = {&first, &second, nullptr};

namespace {
// Runs in a separate thread, which has a thread block as long as it lives.
template <class Body> void inThread(Body body) {
  std::thread([&] { body(currentThread()); }).join();
}

TEST(Component, StartsWhenTheLibraryIsLoaded) {
  tprt_module_refresh();
  EXPECT_EQ(started, 1);
}

TEST(Component, LearnsWhereAThreadBeginsAndEnds) {
  begun = ended = 0;
  void *state = nullptr;
  inThread([&](Thread *self) {
    state = &stateOf<State>(self, second);
    EXPECT_EQ(currentThread(), self);
    EXPECT_EQ(begun, 1);
    EXPECT_EQ(ended, 0);
  });
  EXPECT_EQ(begun, 1);
  EXPECT_EQ(lastBegun, state);
  EXPECT_EQ(ended, 1);
  EXPECT_EQ(lastEnded, state);
}

TEST(Component, HasItsOwnStateInEachThread) {
  inThread([](Thread *self) {
    inThread([&](Thread *other) {
      stateOf<State>(self, first).number = 1;
      stateOf<State>(self, second).number = 2;
      stateOf<State>(other, first).number = 3;
      stateOf<State>(other, second).number = 4;
    });
    EXPECT_EQ(stateOf<State>(self, first).number, 1);
    EXPECT_EQ(stateOf<State>(self, second).number, 2);
  });
}

TEST(Component, FindsTheStateOfTheBlocksLastOwner) {
  Thread *before = nullptr, *after = nullptr;
  uint64_t found = 0;
  inThread([&](Thread *self) {
    before = self;
    stateOf<State>(self, second).number = 17;
  });
  inThread([&](Thread *self) {
    after = self;
    found = stateOf<State>(self, second).number;
  });
  ASSERT_EQ(after, before);
  EXPECT_EQ(found, 17);
}
} // namespace
