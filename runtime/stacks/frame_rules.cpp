// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See frame_rules.h.
#include "stacks/frame_rules.h"
#include "sites/arch.h"

namespace tprt {

// Operations (DWARF 5, 7.24, and LSB Core, 10.5.2). The first three have an
// operand in the low bits.
enum : uint8_t {
  kAdvance = 0x40,
  kOffset = 0x80,
  kRestore = 0xc0,
  kNoOperation = 0x00,
  kAdvance1 = 0x02,
  kAdvance2 = 0x03,
  kAdvance4 = 0x04,
  kOffsetExtended = 0x05,
  kRestoreExtended = 0x06,
  kUndefined = 0x07,
  kSameValue = 0x08,
  kRegister = 0x09,
  kRememberState = 0x0a,
  kRestoreState = 0x0b,
  kDefCfa = 0x0c,
  kDefCfaRegister = 0x0d,
  kDefCfaOffset = 0x0e,
  kDefCfaExpression = 0x0f,
  kExpression = 0x10,
  kOffsetExtendedSigned = 0x11,
  kDefCfaSigned = 0x12,
  kDefCfaOffsetSigned = 0x13,
  kValueOffset = 0x14,
  kValueOffsetSigned = 0x15,
  kValueExpression = 0x16,
  kNegateState = 0x2d, // AArch64: whether the return address is signed.
  kGnuArgsSize = 0x2e,
};
// Operations of expressions: a register plus a number, and a load.
enum : uint8_t { kRegisterPlus = 0x70, kDereference = 0x06 };

bool readCommonEntry(FrameReader in, CommonEntry &to) {
  to = {};
  if (in.take<uint32_t>() != 0)
    return false;
  const auto version = in.take<uint8_t>();
  FrameReader letters = in;
  while (in.take<uint8_t>())
    ;
  to.codeUnit = in.takeLeb();
  to.dataUnit = in.takeSignedLeb();
  const uint64_t column = version == 1 ? in.take<uint8_t>() : in.takeLeb();
  if ((version != 1 && version != 3) || column != kReturnColumn ||
      letters.take<uint8_t>() != 'z')
    return false;
  const uint64_t bytes = in.takeLeb();
  FrameReader data = in;
  if (!in.skip(bytes))
    return false;
  to.instructions = in;
  bool known = false;
  while (const auto letter = letters.take<uint8_t>()) {
    constexpr uint8_t kPcRelativeSigned4 = 0x1b;
    if (letter == 'R') {
      known = data.take<uint8_t>() == kPcRelativeSigned4;
    } else if (letter == 'L') {
      data.take<uint8_t>();
    } else if (letter == 'P') {
      const uint8_t format = data.take<uint8_t>() & 0x07;
      data.skip(format == 0 || format == 4 ? 8 : 4);
    } else if (letter == 'S') {
      to.isSignal = true;
    } else if (letter != 'B' && letter != 'G') { // AArch64: no data
      return false;
    }
  }
  return known;
}

FrameRules::FrameRules(const CommonEntry &common)
    : common(common), now{Form::Unknown,         0,    0, UnwindRow::kUnchanged,
                          UnwindRow::kUnchanged, false},
      initial(now) {
  FrameReader in = common.instructions;
  uint64_t at = 0;
  while (run(in, at))
    ;
  initial = now;
}

// `place`: a distance from the CFA, or one of UnwindRow's values.
void FrameRules::set(uint64_t column, int32_t place) {
  if (column == kFrameColumn)
    now.frame = place;
  if (column != kReturnColumn)
    return;
  now.back = place;
  now.isOutermost = false;
}

void FrameRules::setScaled(uint64_t column, int64_t units) {
  constexpr int64_t kMost = int64_t{1} << 30;
  const int64_t place =
      units > -kMost && units < kMost ? units * common.dataUnit : kMost;
  set(column, place > -kMost && place < kMost ? static_cast<int32_t>(place)
                                              : UnwindRow::kLost);
}

void FrameRules::restore(uint64_t column) {
  if (column == kFrameColumn)
    now.frame = initial.frame;
  if (column != kReturnColumn)
    return;
  now.back = initial.back;
  now.isOutermost = initial.isOutermost;
}

static bool isSame(FrameReader bytes, const uint8_t *other, size_t count) {
  return static_cast<size_t>(bytes.end - bytes.at) == count &&
         memcmp(bytes.at, other, count) == 0;
}

// The CFA is the value of an expression. Three are known: that of linkage
// tables (as GNU ld and lld write it), in which only the number after which an
// entry has pushed differs; that of a signal's frame; and that of functions
// that align their stack, which keep the CFA in memory at the frame pointer.
void FrameRules::defineBy(FrameReader expression) {
  now.form = Form::Unknown;
  FrameReader in = expression;
  const auto code = in.take<uint8_t>();
  if (code == kRegisterPlus + kFrameColumn) {
    now.offset = in.takeSignedLeb();
    const uint8_t load[] = {kDereference};
    if (isSame(in, load, sizeof load))
      now.form = Form::Memory;
    return;
  }
  if (common.isSignal) {
    if (isSame(expression, kSignalExpression, sizeof kSignalExpression))
      now.form = Form::Signal;
    return;
  }
  // breg7 8, breg16 0, lit15, and, litN, ge, lit3, shl, plus
  uint8_t stub[] = {0x77, 8, 0x80, 0, 0x3f, 0x1a, 0, 0x2a, 0x33, 0x24, 0x22};
  constexpr size_t kNumber = 6;
  constexpr uint8_t kLiteral0 = 0x30;
  if (expression.end - expression.at != sizeof stub)
    return;
  stub[kNumber] = expression.at[kNumber];
  if (kCallsPush && isSame(expression, stub, sizeof stub) &&
      stub[kNumber] >= kLiteral0 && stub[kNumber] < kLiteral0 + 16) {
    now.form = Form::Stub;
    now.offset = stub[kNumber] - kLiteral0;
  }
}

bool FrameRules::remember() {
  if (keptCount == kMostKept)
    return false;
  kept[keptCount++] = now;
  return true;
}

static FrameReader takeBlock(FrameReader &in) {
  const uint64_t bytes = in.takeLeb();
  FrameReader block = in;
  if (!in.skip(bytes))
    return {in.end, in.end};
  block.end = in.at;
  return block;
}

// All but those that advance. False: not known.
bool FrameRules::runOne(uint8_t code, FrameReader &in) {
  const uint8_t low = code & 0x3f;
  switch (code & 0xc0 ? code & 0xc0 : code) {
  case kNoOperation:
  case kNegateState: // All return addresses are freed of their signatures.
    return true;
  case kGnuArgsSize:
    in.takeLeb();
    return true;
  case kOffset:
    setScaled(low, static_cast<int64_t>(in.takeLeb()));
    return true;
  case kOffsetExtended: {
    const uint64_t column = in.takeLeb();
    setScaled(column, static_cast<int64_t>(in.takeLeb()));
    return true;
  }
  case kOffsetExtendedSigned: {
    const uint64_t column = in.takeLeb();
    setScaled(column, in.takeSignedLeb());
    return true;
  }
  case kRestore:
    restore(low);
    return true;
  case kRestoreExtended:
    restore(in.takeLeb());
    return true;
  case kUndefined: {
    const uint64_t column = in.takeLeb();
    set(column, UnwindRow::kLost);
    now.isOutermost |= column == kReturnColumn;
    return true;
  }
  case kSameValue:
    set(in.takeLeb(), UnwindRow::kUnchanged);
    return true;
  case kRegister:
  case kValueOffset:
    set(in.takeLeb(), UnwindRow::kLost);
    in.takeLeb();
    return true;
  case kValueOffsetSigned:
    set(in.takeLeb(), UnwindRow::kLost);
    in.takeSignedLeb();
    return true;
  case kExpression: {
    const uint64_t column = in.takeLeb();
    const uint8_t atFrame[] = {kRegisterPlus + kFrameColumn, 0};
    const bool is = isSame(takeBlock(in), atFrame, sizeof atFrame);
    set(column,
        is && column == kFrameColumn ? UnwindRow::kAtFrame : UnwindRow::kLost);
    return true;
  }
  case kValueExpression:
    set(in.takeLeb(), UnwindRow::kLost);
    takeBlock(in);
    return true;
  case kRememberState:
    return remember();
  case kRestoreState:
    if (keptCount)
      now = kept[--keptCount];
    return true;
  case kDefCfa:
  case kDefCfaSigned:
    now.form = Form::Register;
    now.base = in.takeLeb();
    now.offset = code == kDefCfa ? static_cast<int64_t>(in.takeLeb())
                                 : in.takeSignedLeb() * common.dataUnit;
    return true;
  case kDefCfaRegister:
    now.form = now.form == Form::Register ? Form::Register : Form::Unknown;
    now.base = in.takeLeb();
    return true;
  case kDefCfaOffset:
    now.offset = static_cast<int64_t>(in.takeLeb());
    return true;
  case kDefCfaOffsetSigned:
    now.offset = in.takeSignedLeb() * common.dataUnit;
    return true;
  case kDefCfaExpression:
    defineBy(takeBlock(in));
    return true;
  default:
    return false;
  }
}

bool FrameRules::run(FrameReader &in, uint64_t &at) {
  while (in.at < in.end) {
    const auto code = in.take<uint8_t>();
    if ((code & 0xc0) == kAdvance) {
      at += (code & 0x3f) * common.codeUnit;
      return true;
    }
    switch (code) {
    case kAdvance1:
      at += in.take<uint8_t>() * common.codeUnit;
      return true;
    case kAdvance2:
      at += in.take<uint16_t>() * common.codeUnit;
      return true;
    case kAdvance4:
      at += in.take<uint32_t>() * common.codeUnit;
      return true;
    default:
      break;
    }
    if (!runOne(code, in)) {
      isKnown = false;
      return false;
    }
  }
  return false;
}

UnwindRow FrameRules::row() const {
  constexpr int64_t kMost = int64_t{1} << 30;
  constexpr UnwindRow kUnknown = {UnwindRow::Unknown, 0, 0, 0};
  if (!isKnown || now.offset <= -kMost || now.offset >= kMost)
    return kUnknown;
  if (now.isOutermost)
    return {UnwindRow::Outermost, 0, 0, 0};
  UnwindRow row = {UnwindRow::Unknown, static_cast<int32_t>(now.offset),
                   now.frame, now.back};
  switch (now.form) {
  case Form::Register:
    row.kind = now.base == kStackColumn   ? UnwindRow::ByStack
               : now.base == kFrameColumn ? UnwindRow::ByFrame
                                          : UnwindRow::ByOther;
    break;
  case Form::Memory:
    row.kind = UnwindRow::InMemory;
    break;
  case Form::Stub:
    row.kind = UnwindRow::InStub;
    break;
  case Form::Signal:
    return {UnwindRow::Signal, 0, 0, 0};
  case Form::Unknown:
    return kUnknown;
  }
  return row;
}

} // namespace tprt
