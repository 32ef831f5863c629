// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See FunctionAndKey.h.

#include "FunctionAndKey.h"

#include "shared/UsageError.h"
#include "llvm/ADT/Twine.h"
#include <vector>

using namespace llvm;

namespace tpctl::expressions {

static bool isRegex(StringRef Text) {
  return Text.starts_with("/") || Text.contains("!/");
}

/// The places of the colons that are neither part of a `::` nor in brackets or
/// quotes. Of `:::` the first one counts: the name of a scope does not end with
/// `::`.
static std::vector<size_t> colonsOf(StringRef Text) {
  std::vector<size_t> Places;
  int Depth = 0;
  char Quote = 0;
  for (size_t I = 0; I < Text.size(); ++I) {
    const char C = Text[I];
    if (Quote) {
      I += C == '\\';
      Quote = C == Quote ? '\0' : Quote;
      continue;
    }
    // A pattern has no quotes.
    if (!Places.empty() && (C == '"' || C == '\''))
      Quote = C;
    Depth += StringRef("([{").contains(C);
    Depth -= StringRef(")]}").contains(C) && Depth;
    if (C != ':')
      continue;
    const size_t Run = Text.find_first_not_of(':', I);
    const size_t Length = (Run == StringRef::npos ? Text.size() : Run) - I;
    if (!Depth && Length != 2)
      Places.push_back(I);
    I += Length - 1;
  }
  return Places;
}

Expected<FunctionAndKey> FunctionAndKey::parse(StringRef Text) {
  auto wrong = [&](const Twine &Why) {
    return wrongUsage("'" + Text + "' " + Why);
  };
  constexpr StringRef Form = "FUNCTION:EXPR, as in 'enqueue:arg0'";
  if (Text.starts_with("point:"))
    return wrong("is a point, and pairs are of calls of functions");
  std::vector<size_t> Places = colonsOf(Text);
  // A regular expression may have any character.
  if (isRegex(Text)) {
    Places.clear();
    if (const size_t End = Text.rfind("/:"); End != StringRef::npos)
      Places.push_back(End + 1);
  }
  if (Places.empty())
    return wrong("lacks the key of the pair: write " + Form);
  if (Places.size() > 1)
    return wrong("can be read in several ways: put the ? : of its expression "
                 "in parentheses, as in 'f:(a ? b : c)'");
  FunctionAndKey Of{Text.take_front(Places[0]).trim().str(),
                    Text.drop_front(Places[0] + 1).trim().str()};
  if (Of.Function.empty() || Of.Key.empty())
    return wrong(Twine("lacks ") +
                 (Of.Key.empty() ? "the key of the pair" : "the function") +
                 ": write " + Form);
  if (Of.Function[0] == '@' &&
      Of.Key.find_first_not_of("0123456789") == std::string::npos)
    return wrong("is a line, and pairs are of calls of functions");
  return Of;
}

} // namespace tpctl::expressions
