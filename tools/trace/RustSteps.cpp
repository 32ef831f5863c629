// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See RustSteps.h. The walk follows back references as a demangler does, and
// prints nothing.

#include "RustSteps.h"

#include "llvm/ADT/StringExtras.h"
#include <algorithm>

using namespace llvm;

namespace tp::trace {
namespace {

/// As deep as LLVM's demangler goes.
constexpr unsigned MostDepth = 500;

class Walk {
public:
  Walk(StringRef Name, size_t MostSteps) : Name(Name), Left(MostSteps) {}

  bool symbol() {
    digits(); // a version
    return path() && (isDone() || path());
  }
  bool isWorn() const { return !Left; }

private:
  bool isDone() const { return At >= Name.size() || Name[At] == '.'; }
  bool next(char C) {
    if (At >= Name.size() || Name[At] != C)
      return false;
    ++At;
    return true;
  }
  void digits() {
    while (At < Name.size() && isDigit(Name[At]))
      ++At;
  }
  /// base-62-number: `_` is 0, `0_` is 1.
  bool base62(uint64_t &Value) {
    Value = 0;
    if (next('_'))
      return true;
    for (; At < Name.size() && isAlnum(Name[At]); ++At) {
      char C = Name[At];
      unsigned Digit = isDigit(C)   ? C - '0'
                       : isLower(C) ? C - 'a' + 10
                                    : C - 'A' + 36;
      if (Value > Name.size())
        return false;
      Value = Value * 62 + Digit;
    }
    ++Value;
    return next('_');
  }
  bool skipBase62(char Tag) {
    uint64_t Ignored;
    return !next(Tag) || base62(Ignored);
  }
  bool identifier() { return skipBase62('s') && plainIdentifier(); }
  bool plainIdentifier() {
    next('u');
    size_t Length = 0, Begin = At;
    for (; At < Name.size() && isDigit(Name[At]); ++At) {
      Length = Length * 10 + static_cast<size_t>(Name[At] - '0');
      if (Length > Name.size())
        return false;
    }
    next('_');
    if (At == Begin || Length > Name.size() - At)
      return false;
    At += Length;
    Left -= std::min(Left, Length); // as it is printed each time
    return true;
  }
  bool lifetime() {
    uint64_t Ignored;
    return next('L') && base62(Ignored);
  }
  /// Runs a production at the place that a back reference names.
  bool backReference(bool (Walk::*Production)()) {
    uint64_t To;
    size_t Here = At;
    if (!base62(To) || To >= Here)
      return false;
    size_t Return = At;
    At = To;
    bool Good = (this->*Production)();
    At = Return;
    return Good;
  }
  /// One level of a production; false if there were too many.
  class Level {
  public:
    explicit Level(Walk &W) : W(W) {
      ++W.Depth;
      if (W.Left)
        --W.Left;
    }
    ~Level() { --W.Depth; }
    bool fits() const { return W.Left && W.Depth <= MostDepth; }

  private:
    Walk &W;
  };
  bool untilEnd(bool (Walk::*Production)()) {
    while (!next('E'))
      if (!(this->*Production)())
        return false;
    return true;
  }
  bool path() {
    Level L(*this);
    if (!L.fits() || At >= Name.size())
      return false;
    switch (Name[At++]) {
    case 'C':
      return identifier();
    case 'M':
      return implPath() && type();
    case 'X':
      return implPath() && type() && path();
    case 'Y':
      return type() && path();
    case 'N':
      return At++ < Name.size() && path() && identifier();
    case 'I':
      return path() && untilEnd(&Walk::argument);
    case 'B':
      return backReference(&Walk::path);
    default:
      return false;
    }
  }
  bool implPath() { return skipBase62('s') && path(); }
  bool argument() {
    if (At < Name.size() && Name[At] == 'L')
      return lifetime();
    return next('K') ? constant() : type();
  }
  bool type() {
    Level L(*this);
    if (!L.fits() || At >= Name.size())
      return false;
    char C = Name[At];
    if (isLower(C)) // a basic type
      return ++At;
    switch (C) {
    case 'A':
      return ++At && type() && constant();
    case 'S':
    case 'P':
    case 'O':
      return ++At && type();
    case 'R':
    case 'Q':
      return ++At && skipBase62('L') && type();
    case 'T':
      return ++At && untilEnd(&Walk::type);
    case 'F':
      return ++At && signature();
    case 'D':
      return ++At && skipBase62('G') && untilEnd(&Walk::trait) && lifetime();
    case 'B':
      return ++At && backReference(&Walk::type);
    default:
      return path();
    }
  }
  bool signature() {
    if (!skipBase62('G'))
      return false;
    next('U');
    if (next('K') && !next('C') && !plainIdentifier())
      return false;
    return untilEnd(&Walk::type) && type();
  }
  bool trait() {
    if (!path())
      return false;
    while (next('p'))
      if (!plainIdentifier() || !type())
        return false;
    return true;
  }
  bool constant() {
    Level L(*this);
    if (!L.fits())
      return false;
    if (next('p'))
      return true;
    if (next('B'))
      return backReference(&Walk::constant);
    if (!type())
      return false;
    next('n');
    while (At < Name.size() && isHexDigit(Name[At]))
      ++At;
    return next('_');
  }

  StringRef Name;
  size_t At = 0, Left;
  unsigned Depth = 0;
};

} // namespace

bool hasFewRustSteps(StringRef Name, size_t MostSteps) {
  Name.consume_front("_R");
  Walk W(Name, MostSteps);
  W.symbol();
  return !W.isWorn();
}

} // namespace tp::trace
