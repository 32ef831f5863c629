// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the operations of programs that read strings (programs/program.h).
#include "aggregateprogram.h"

namespace {

class AggregateStrings : public AggregateProgram {
protected:
  // What a key of a string is: nothing if it cannot be read.
  struct Text {
    std::string Bytes;
    bool Cut;
    bool operator==(const Text &) const = default;
  };
  std::optional<Text> key(const void *Address, int32_t Most = 128,
                          std::initializer_list<Operations> Before = {},
                          uint8_t Code = TPRT_PROGRAM_KEY_STRING) {
    const Ran Out = run(source(
        join({load(0, Address), join(Before), {{Code, 0, 0, 0, Most}}})));
    if (Out.Keys.at(0) == TPRT_PROGRAM_KEY_UNKNOWN)
      return {};
    const size_t Length = Out.Keys[0] >> kKeyLengthShift;
    const auto *Bytes = reinterpret_cast<const char *>(Out.Keys.data() + 1);
    EXPECT_EQ(Out.Keys.size(), 1 + (Length + 7) / 8);
    for (size_t I = Length; I % 8; ++I)
      EXPECT_EQ(Bytes[I], 0);
    return Text{std::string(Bytes, Length),
                static_cast<uint8_t>(Out.Keys[0]) == TPRT_PROGRAM_KEY_CUT_TEXT};
  }
  std::optional<int64_t> ask(tprt_program_code Code, const void *Address,
                             const std::string &Text) {
    return value(join({load(1, Address), {{+Code, 0, 1, 0, 0}}}), Text + '\0');
  }
};

TEST_F(AggregateStrings, KeysAreCutAtTheirLength) {
  const std::string Long(300, 'x');
  for (size_t Length = 0; Length <= 140; ++Length) {
    const std::string Own = Long.substr(0, Length);
    EXPECT_EQ(
        key(Own.c_str()),
        (Text{Long.substr(0, std::min<size_t>(Length, 128)), Length > 128}));
    EXPECT_EQ(key(Own.c_str(), 5),
              (Text{Long.substr(0, std::min<size_t>(Length, 5)), Length > 5}));
  }
}

TEST_F(AggregateStrings, BytesAreKeysWhateverTheyAre) {
  auto bytes = [&](const void *At, uint64_t Count, int32_t Most = 128) {
    return key(At, Most, {load(1, Count), {{TPRT_PROGRAM_BOUND, 0, 1, 0, 0}}},
               TPRT_PROGRAM_KEY_BYTES);
  };
  Guarded Page(1);
  Page.unmapNext();
  for (size_t Count = 0; Count < 140; ++Count) {
    char *At = Page.last(Count);
    for (size_t I = 0; I < Count; ++I)
      At[I] = static_cast<char>(3 * I);
    EXPECT_EQ(
        bytes(At, Count),
        (Text{std::string(At, std::min<size_t>(Count, 128)), Count > 128}));
    // One byte more is not there.
    EXPECT_EQ(bytes(At, Count + 1).has_value(), Count >= 128);
    EXPECT_EQ(bytes(At, 1000, 5).has_value(), Count >= 5);
  }
  EXPECT_EQ(bytes("abc", UINT64_MAX), std::nullopt);
  EXPECT_EQ(bytes("abc", uint64_t{1} << 63), std::nullopt);
  const size_t Size = Guarded::page();
  std::vector<char> Room(3 * Size, 'b');
  auto Start = (reinterpret_cast<uintptr_t>(Room.data()) + Size) / Size * Size;
  char *At = reinterpret_cast<char *>(Start) + Size - 20;
  At[19] = 0, At[20] = 'c';
  EXPECT_EQ(bytes(At, 22), (Text{std::string(At, 22), false}));
  const Operation Plain = {TPRT_PROGRAM_KEY_BYTES, 0, 0, 0, 5};
  EXPECT_EQ(fault(join({load(0, At), {Plain}})),
            "bytes are read without a bound");
}

TEST_F(AggregateStrings, ReadingEndsAtThePageIfTheStringDoes) {
  Guarded Page(1);
  Page.unmapNext();
  for (size_t Bytes = 1; Bytes < 140; ++Bytes) {
    char *At = Page.last(Bytes);
    memset(At, 'a', Bytes);
    // 128 bytes are enough if one more shows that the string goes on.
    EXPECT_EQ(key(At).has_value(), Bytes > 128);
    EXPECT_EQ(ask(TPRT_PROGRAM_MATCH, At, "a*").has_value(), Bytes > 128);
    At[Bytes - 1] = 0;
    EXPECT_EQ(key(At), (Text{std::string(std::min<size_t>(Bytes - 1, 128), 'a'),
                             Bytes > 129}));
    EXPECT_EQ(ask(TPRT_PROGRAM_MATCH, At, "*"), 1);
  }
}

TEST_F(AggregateStrings, StringsGoOnInTheNextPage) {
  const size_t Page = Guarded::page();
  std::vector<char> Room(3 * Page, 'b');
  auto Start = (reinterpret_cast<uintptr_t>(Room.data()) + Page) / Page * Page;
  char *At = reinterpret_cast<char *>(Start) + Page - 20;
  At[30] = 0;
  EXPECT_EQ(key(At), (Text{std::string(30, 'b'), false}));
  EXPECT_EQ(key(At, 25), (Text{std::string(25, 'b'), true}));
}

TEST_F(AggregateStrings, TextsAreCompared) {
  const char *Own = "/etc/passwd";
  EXPECT_EQ(ask(TPRT_PROGRAM_TEXT_EQUAL, Own, "/etc/passwd"), 1);
  EXPECT_EQ(ask(TPRT_PROGRAM_TEXT_EQUAL, Own, "/etc/passw"), 0);
  EXPECT_EQ(ask(TPRT_PROGRAM_TEXT_EQUAL, Own, "/etc/passwd2"), 0);
  EXPECT_EQ(ask(TPRT_PROGRAM_MATCH, Own, "/etc/*"), 1);
  EXPECT_EQ(ask(TPRT_PROGRAM_MATCH, Own, "*pass?[wx]d"), 0);
  EXPECT_EQ(ask(TPRT_PROGRAM_MATCH, Own, "*pas?[wx]d"), 1);
  EXPECT_EQ(ask(TPRT_PROGRAM_MATCH, Own, "/etc/{passwd,group}"), 0);
  EXPECT_EQ(ask(TPRT_PROGRAM_MATCH, "", "*"), 1);
  EXPECT_EQ(ask(TPRT_PROGRAM_TEXT_EQUAL, "", ""), 1);
  EXPECT_EQ(ask(TPRT_PROGRAM_TEXT_EQUAL, nullptr, ""), std::nullopt);
  // The text at an offset.
  EXPECT_EQ(value(join({load(1, Own), {{TPRT_PROGRAM_TEXT_EQUAL, 0, 1, 0, 2}}}),
                  std::string("x\0/etc/passwd\0", 14)),
            1);
}

TEST_F(AggregateStrings, BoundsEndTexts) {
  const char *Own = "abcdefgh";
  auto keyOf = [&](uint64_t Bound, const char *At, int32_t Most = 128) {
    return key(At, Most, {load(1, Bound), {{TPRT_PROGRAM_BOUND, 0, 1, 0, 0}}});
  };
  EXPECT_EQ(keyOf(3, Own), (Text{"abc", false}));
  EXPECT_EQ(keyOf(0, Own), (Text{"", false}));
  EXPECT_EQ(keyOf(0, nullptr), (Text{"", false}));
  EXPECT_EQ(keyOf(8, Own), (Text{Own, false}));
  EXPECT_EQ(keyOf(100, Own), (Text{Own, false}));
  EXPECT_EQ(keyOf(UINT64_MAX, Own), (Text{Own, false}));
  EXPECT_EQ(keyOf(5, Own, 4), (Text{"abcd", true}));
  EXPECT_EQ(keyOf(4, Own, 4), (Text{"abcd", false}));
  // Nothing after the bound is read.
  Guarded Page(1);
  Page.unmapNext();
  const std::string Long(128, 'z');
  for (size_t Bytes : {1, 7, 127, 128}) {
    char *At = Page.last(Bytes);
    memset(At, 'z', Bytes);
    EXPECT_EQ(keyOf(Bytes, At), (Text{Long.substr(0, Bytes), false}));
    EXPECT_EQ(keyOf(Bytes + 1, At), std::nullopt);
  }
  auto asks = [&](uint8_t Code, uint64_t Bound, const std::string &With) {
    return value(join({load(0, Own),
                       load(1, Bound),
                       {{TPRT_PROGRAM_BOUND, 0, 1, 0, 0}, {Code, 0, 0, 0, 0}}}),
                 With + '\0');
  };
  EXPECT_EQ(asks(TPRT_PROGRAM_TEXT_EQUAL, 3, "abc"), 1);
  EXPECT_EQ(asks(TPRT_PROGRAM_TEXT_EQUAL, 4, "abc"), 0);
  EXPECT_EQ(asks(TPRT_PROGRAM_MATCH, 3, "*c"), 1);
  EXPECT_EQ(asks(TPRT_PROGRAM_MATCH, 9, "*c"), 0);
  // An unknown bound makes the text unknown.
  const Operation Wild = {TPRT_PROGRAM_LOAD, 1, 1, 8, 0};
  EXPECT_EQ(
      key(Own, 128,
          {load(1, uint64_t{0}), {Wild, {TPRT_PROGRAM_BOUND, 0, 1, 0, 0}}}),
      std::nullopt);
  EXPECT_EQ(value(join({load(0, Own),
                        load(1, uint64_t{0}),
                        {Wild,
                         {TPRT_PROGRAM_BOUND, 0, 1, 0, 0},
                         {TPRT_PROGRAM_MATCH, 0, 0, 0, 0}}}),
                  std::string("*\0", 2)),
            std::nullopt);
  // A bound belongs to the next operation.
  const Operation Bound = {TPRT_PROGRAM_BOUND, 0, 0, 0, 0},
                  Key = {TPRT_PROGRAM_KEY_STRING, 0, 0, 0, 9};
  EXPECT_EQ(fault(join({load(0, Own), {Bound, Key}})), "");
  for (const Operations &Wrong :
       {Operations{Bound}, Operations{Bound, Bound, Key},
        Operations{{TPRT_PROGRAM_JUMP_IF_ZERO, 0, 0, 0, 1}, Bound, Key}})
    EXPECT_EQ(fault(join({load(0, Own), Wrong})),
              "a bound is not right before a string that is read");
}

TEST_F(AggregateStrings, GlobsOfCutTextsAreCertainIfTheRestDoesNotMatter) {
  const std::string Long(200, 'x'), Begin(128, 'x');
  auto matches = [&](const std::string &Glob) {
    return ask(TPRT_PROGRAM_MATCH, Long.c_str(), Glob.c_str());
  };
  for (const char *Glob : {"*", "x*", "**", "x*x*", "[xy]*"})
    EXPECT_EQ(matches(Glob), 1) << Glob;
  for (const char *Glob : {"a*b", "a*", "xxa*b*c", "abc", "[a*]*b", "?a?"})
    EXPECT_EQ(matches(Glob), 0) << Glob;
  for (const char *Glob : {"*x", "x*y", "*a*", "x*[x*]"})
    EXPECT_EQ(matches(Glob), std::nullopt) << Glob;
  EXPECT_EQ(matches(Begin + "x*"), std::nullopt);
  EXPECT_EQ(matches(Begin + "*"), 1);
  EXPECT_EQ(ask(TPRT_PROGRAM_TEXT_EQUAL, Long.c_str(), Begin.c_str()), 0);
}

TEST_F(AggregateStrings, KeysFollowOneAnother) {
  const std::string Long(200, 'y');
  const Ran Out = run(source(
      join({load(0, Long.c_str()),
            std::vector<Operation>(TPRT_PROGRAM_MOST_VALUES,
                                   {TPRT_PROGRAM_KEY_STRING, 0, 0, 0, 128})})));
  ASSERT_EQ(Out.Keys.size(), kMostKeyWords - TPRT_PROGRAM_MOST_FRAMES);
  for (size_t I = 0; I < Out.Keys.size(); ++I)
    EXPECT_EQ(Out.Keys[I],
              I % 17 ? 0x7979797979797979u
                     : (128u << kKeyLengthShift | TPRT_PROGRAM_KEY_CUT_TEXT));
}

// --- random programs ---------------------------------------------------------

} // namespace
