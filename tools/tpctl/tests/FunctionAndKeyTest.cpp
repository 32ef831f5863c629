// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests how FUNCTION:EXPR is divided. A wrong place would select other
// functions, or compute another key.
#include "expressions/FunctionAndKey.h"

#include <gtest/gtest.h>

using namespace tpctl::expressions;

namespace {

/// The two parts with a | between them, or the error.
std::string parts(llvm::StringRef Text) {
  auto Of = FunctionAndKey::parse(Text);
  return Of ? Of->Function + "|" + Of->Key : llvm::toString(Of.takeError());
}

TEST(FunctionAndKey, DividesAtTheOnlyColon) {
  EXPECT_EQ(parts("enqueue:task"), "enqueue|task");
  EXPECT_EQ(parts("libc!malloc:result"), "libc!malloc|result");
  EXPECT_EQ(parts("app::Queue::push:item"), "app::Queue::push|item");
  EXPECT_EQ(parts("app::Queue::*:this->id + 1"), "app::Queue::*|this->id + 1");
  EXPECT_EQ(parts("f(std::string):arg0"), "f(std::string)|arg0");
  EXPECT_EQ(parts("std::vector<a::b>::push_back:this"),
            "std::vector<a::b>::push_back|this");
  EXPECT_EQ(parts("A::operator():arg1"), "A::operator()|arg1");
  EXPECT_EQ(parts("A::operator[]:arg1"), "A::operator[]|arg1");
  EXPECT_EQ(parts("f: arg0 "), "f|arg0");
  EXPECT_EQ(parts("@pool.c:arg0"), "@pool.c|arg0");
}

TEST(FunctionAndKey, LeavesScopesAndParenthesesToTheExpression) {
  EXPECT_EQ(parts("f:(app::Mode)arg0"), "f|(app::Mode)arg0");
  EXPECT_EQ(parts("f:app::counter"), "f|app::counter");
  EXPECT_EQ(parts("f:::counter"), "f|::counter");
  EXPECT_EQ(parts("f:(a ? b : c)"), "f|(a ? b : c)");
  EXPECT_EQ(parts("f:table[a ? 0 : 1]"), "f|table[a ? 0 : 1]");
  EXPECT_EQ(parts("f:c == ':'"), "f|c == ':'");
  EXPECT_EQ(parts("f:c == '\\'' + ':'"), "f|c == '\\'' + ':'");
}

TEST(FunctionAndKey, ReadsRegularExpressionsToTheirEnd) {
  EXPECT_EQ(parts("/a:b|c::d/:arg0"), "/a:b|c::d/|arg0");
  EXPECT_EQ(parts("libc!/m(alloc/:result"), "libc!/m(alloc/|result");
}

TEST(FunctionAndKey, SaysWhatIsWrong) {
  auto says = [](llvm::StringRef Text, llvm::StringRef What) {
    return parts(Text).find(What) != std::string::npos;
  };
  EXPECT_TRUE(says("enqueue", "lacks the key of the pair"));
  EXPECT_TRUE(says("app::push", "lacks the key of the pair"));
  EXPECT_TRUE(says("/f/", "lacks the key of the pair"));
  EXPECT_TRUE(says("/a:b/", "lacks the key of the pair"));
  EXPECT_TRUE(says("f:", "lacks the key of the pair"));
  EXPECT_TRUE(says(":arg0", "lacks the function"));
  EXPECT_TRUE(says("f:a ? b : c", "in parentheses"));
  EXPECT_TRUE(says("point:p:arg0", "is a point"));
  EXPECT_TRUE(says("@pool.c:12", "is a line"));
}

} // namespace
