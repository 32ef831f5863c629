// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds a program's quick condition; see program.h. The operations before the
// first FILTER are followed as long as each has a value of a kind below.
#include "programs/quick_condition.h"
#include "programs/program.h"
#include "programs/program_check.h"

namespace tprt {

namespace {
struct Followed {
  enum Kind : uint8_t { Other, Constant, Argument, Condition } kind = Other;
  uint64_t constant = 0;
  QuickCondition condition{}; // Of an argument, only what says which it is.
};

class Walk {
public:
  explicit Walk(const Program &program) : program(program) {}
  QuickCondition run();

private:
  bool follow(const Operation &operation);
  Followed extended(const Operation &operation) const;
  Followed compared(const Operation &operation) const;
  bool isUsedAfter(const Operation *filter) const;

  const Program &program;
  Followed registers[TPRT_PROGRAM_REGISTERS];
};
} // namespace

// The condition that a value is in a range of signed or unsigned numbers, from
// their least to `last`. `isEmpty`: there is none.
static void setRange(QuickCondition &of, bool isSigned, uint64_t last,
                     bool isEmpty) {
  constexpr auto kLeast = static_cast<uint64_t>(INT64_MIN);
  of.low = isSigned ? kLeast : 0;
  of.span = isEmpty ? UINT64_MAX : last - of.low;
  of.isOutside ^= isEmpty;
}

Followed Walk::extended(const Operation &operation) const {
  Followed to = registers[operation.a];
  if (to.kind != Followed::Argument || to.condition.shift)
    return {};
  to.condition.shift = static_cast<uint8_t>(64 - operation.number);
  to.condition.isSigned = operation.code == TPRT_PROGRAM_SIGN_EXTEND;
  return to;
}

// Comparisons of an argument with a constant, and of a comparison with 0, as
// negations have it.
Followed Walk::compared(const Operation &operation) const {
  Followed left = registers[operation.a], right;
  if (operation.code & TPRT_PROGRAM_IMMEDIATE) {
    right.kind = Followed::Constant;
    right.constant = static_cast<uint64_t>(int64_t{operation.number});
  } else {
    right = registers[operation.b];
  }
  unsigned code = operation.code & ~unsigned{TPRT_PROGRAM_IMMEDIATE};
  const bool isEquality =
      code == TPRT_PROGRAM_EQUAL || code == TPRT_PROGRAM_NOT_EQUAL;
  // Equal to 0 or not is the same as the opposite or the same.
  if (left.kind == Followed::Condition && right.kind == Followed::Constant &&
      !right.constant && isEquality) {
    left.condition.isOutside ^= code == TPRT_PROGRAM_EQUAL;
    return left;
  }
  // c < x is the opposite of x <= c.
  const bool isExchanged =
      left.kind == Followed::Constant && right.kind == Followed::Argument;
  if (isExchanged) {
    const Followed constant = left;
    left = right;
    right = constant;
  }
  if (left.kind != Followed::Argument || right.kind != Followed::Constant)
    return {};
  left.kind = Followed::Condition;
  QuickCondition &to = left.condition;
  const uint64_t c = right.constant;
  if (isEquality) {
    to.low = c;
    to.span = 0;
    to.isOutside = code == TPRT_PROGRAM_NOT_EQUAL;
    return left;
  }
  const bool isSigned =
      code == TPRT_PROGRAM_LESS || code == TPRT_PROGRAM_LESS_EQUAL;
  const bool isLess = (code == TPRT_PROGRAM_LESS ||
                       code == TPRT_PROGRAM_LESS_UNSIGNED) != isExchanged;
  to.isOutside = isExchanged;
  const uint64_t least = isSigned ? static_cast<uint64_t>(INT64_MIN) : 0;
  setRange(to, isSigned, isLess ? c - 1 : c, isLess && c == least);
  return left;
}

// Whether the operation's result is known.
bool Walk::follow(const Operation &operation) {
  Followed &to = registers[operation.to];
  const unsigned code = operation.code & ~unsigned{TPRT_PROGRAM_IMMEDIATE};
  if (operation.code == TPRT_PROGRAM_CONSTANT) {
    to = {};
    to.kind = Followed::Constant;
    to.constant = static_cast<uint64_t>(int64_t{operation.number});
  } else if (operation.code == TPRT_PROGRAM_CONSTANT_HIGH) {
    if (to.kind != Followed::Constant)
      return false;
    to.constant = static_cast<uint32_t>(to.constant) |
                  uint64_t{static_cast<uint32_t>(operation.number)} << 32;
  } else if (operation.code == TPRT_PROGRAM_ARGUMENT) {
    to = {};
    to.kind = Followed::Argument;
    to.condition.argument = static_cast<uint8_t>(operation.number);
  } else if (operation.code == TPRT_PROGRAM_SIGN_EXTEND ||
             operation.code == TPRT_PROGRAM_ZERO_EXTEND) {
    to = extended(operation);
  } else if (code >= TPRT_PROGRAM_EQUAL &&
             code <= TPRT_PROGRAM_LESS_EQUAL_UNSIGNED) {
    to = compared(operation);
  } else {
    return false;
  }
  return to.kind != Followed::Other;
}

bool Walk::isUsedAfter(const Operation *filter) const {
  uint32_t used = 0;
  for (const Operation *at = program.begin(); at < filter; ++at)
    used |= 1u << at->to;
  for (const Operation *at = filter + 1; at < program.end(); ++at) {
    const Form form = formOf(at->code);
    if ((form.a && used >> at->a & 1) || (form.b && used >> at->b & 1) ||
        (at->code == TPRT_PROGRAM_CONSTANT_HIGH && used >> at->to & 1))
      return true;
  }
  return false;
}

QuickCondition Walk::run() {
  for (const Operation *at = program.begin(); at < program.end(); ++at) {
    if (at->code != TPRT_PROGRAM_FILTER) {
      if (!follow(*at))
        return {};
      continue;
    }
    Followed of = registers[at->a];
    if (of.kind == Followed::Argument) { // that is not 0
      of.condition.isOutside = true;
    } else if (of.kind != Followed::Condition) {
      return {};
    }
    of.condition.operations = static_cast<uint8_t>(at + 1 - program.begin());
    of.condition.isUsedAgain = isUsedAfter(at);
    return of.condition;
  }
  return {};
}

QuickCondition quickConditionOf(const Program &program) {
  return Walk(program).run();
}

} // namespace tprt
