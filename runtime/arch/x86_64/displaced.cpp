// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// x86-64 copies of displaced instructions: where a hit continues after the
// general stub of a site in code without sleds. Called under the lock, except
// behindInstruction().
//
// The copy of a pun's instruction continues with those after it that begin
// inside the pun's jump (CodeSite::runBytes). The problem is one of speed. A
// jump back to these would lead into the bytes of a jump that the processor
// knows as one, and it steers wrong at each call: 10 ns on an Intel Xeon. No
// instruction but the first one changes, so whoever jumps to the others finds
// them.
//
//   stub                          call trampoline
//   copy      48 89 f8            movq %rdi, %rax
//             48 f7 d8            negq %rax: begins inside e9 89 f8 48 f7
//             e9 ...              jmp past negq
//
// A breakpoint at one of these instructions is a byte of the pun's distance, so
// the jump leads to another island then. That leads to a stub whose copy is of
// the one instruction (kShortCopy in text/stubs.h), and the thread meets the
// breakpoint.
#include "code_patch.h"
#include "sites/arch.h"
#include "stub.h"

#include <string.h>

namespace tprt {

namespace {
// Writes instructions that will run elsewhere.
struct Writer {
  uint8_t *out;
  uint8_t *const end; // of the room
  uint64_t address;   // Where *out will run.
  bool fits = true;

  void bytes(const uint8_t *from, size_t count) {
    fits = fits && count <= static_cast<size_t>(end - out);
    if (!fits)
      return;
    memcpy(out, from, count);
    out += count;
    address += count;
  }
  void byte(uint8_t value) { bytes(&value, 1); }
  // The last four bytes of an instruction, which count from its end.
  void distanceTo(uint64_t to) {
    auto distance = static_cast<int64_t>(to - (address + 4));
    fits = fits && tprt::fits(distance, 32);
    auto narrow = static_cast<int32_t>(distance);
    uint8_t field[4];
    memcpy(field, &narrow, sizeof field);
    bytes(field, sizeof field);
  }
  void jumpTo(uint64_t to) {
    byte(kJumpNear);
    distanceTo(to);
  }
};

// An instruction of which there is a copy.
struct Copied {
  const uint8_t *code;
  unsigned length;
  // The field that counts from the instruction's end; 0: no field.
  unsigned field, fieldBytes;

  // Where the field leads if the instruction ends at `end`.
  uint64_t referredTo(uint64_t end) const {
    int32_t distance = static_cast<int8_t>(code[field]);
    if (fieldBytes == 4)
      memcpy(&distance, code + field, sizeof distance);
    return end + static_cast<uint64_t>(int64_t{distance});
  }
  bool isShortJump() const { return code[field - 1] == kJumpShort; }
  // A jump with one byte of distance gets its form with four bytes: jmp is eb
  // and e9, jcc is 7x and 0f 8x (Intel SDM vol. 2, JMP and Jcc).
  unsigned bytesOfCopy() const {
    return fieldBytes != 1 ? length : isShortJump() ? 5 : 6;
  }
};
} // namespace

static Copied firstOf(const CodeSite &code) {
  return {code.code, code.length, code.field, code.fieldBytes};
}

// Calls visit(instruction, offset) for each that the copy continues with, until
// it returns false.
template <class Visit>
static void visitRun(const CodeSite &code, const Visit &visit) {
  constexpr unsigned kDistanceBytes = 4, kJumpBytes = 5;
  // That of a short jump which may become a pun has no prefix and no word.
  const bool isPun = code.means == Means::Pun;
  const unsigned distanceAt =
      (isPun ? code.keepsPrefix + jumpBytes(code) : kJumpBytes) -
      kDistanceBytes;
  const unsigned end = code.length + unsigned{code.runBytes};
  for (unsigned at = code.length; at < end;) {
    unsigned next = at + 1, i = at - distanceAt;
    while (next - distanceAt < kDistanceBytes &&
           !(code.runStarts >> (next - distanceAt) & 1))
      ++next;
    if (next - distanceAt >= kDistanceBytes)
      next = end;
    Copied one = {code.code + at, next - at, 0, 0};
    if (code.runShorts >> i & 1)
      one.field = one.length - 1, one.fieldBytes = 1;
    else if (next == end && code.runField)
      one.field = code.runField - at, one.fieldBytes = 4;
    if (!visit(one, at))
      return;
    at = next;
  }
}

// Writes the instruction, such that its field leads where it led. `end` is
// where the original ends.
static void writeMoved(Writer &to, const Copied &one, uint64_t end) {
  if (!one.fieldBytes)
    return to.bytes(one.code, one.length);
  const uint64_t target = one.referredTo(end);
  if (one.fieldBytes == 1) {
    if (one.isShortJump())
      return to.jumpTo(target);
    to.byte(0x0f);
    to.byte(static_cast<uint8_t>(one.code[one.field - 1] + 0x10));
    return to.distanceTo(target);
  }
  to.bytes(one.code, one.field);
  // After the field there may be an immediate. The field counts from the end.
  const unsigned behind = one.length - one.field - 4u;
  to.address += behind;
  to.distanceTo(target);
  to.address -= behind;
  to.bytes(one.code + one.field + 4, behind);
}

// An entry that lies after pushes. A thread comes there with these done. The
// handler is to see what the function's caller has left, so the stub begins
// with an instruction that takes the stack back, and the copies of the pushes
// stand in front of that of the instruction. Both leave all other registers
// alone, and a push leaves the flags alone; what sub does to these the program
// gets once more (Intel SDM vol. 2, LEA, PUSH, SUB).
//
// Where a frame pointer was made, leave takes back all of that, rbp included.
static void writeTakeBack(uint8_t *out, const CodeSite &code) {
  constexpr uint8_t kLeave[kShortMoveBytes] = {0x0f, 0x1f, 0x40, 0, // nop
                                               0xc9};               // leave
  constexpr uint8_t kJump[] = {
      // to the stub's beginning
      kJumpShort, static_cast<uint8_t>(-int{kStubBytes + kDisplacedBytes})};
  static_assert(kTakeBackBytes == kShortMoveBytes + sizeof kJump);
  if (makesFrame(code.pushes, code.pushBytes))
    memcpy(out, kLeave, sizeof kLeave);
  else
    writeShortMove(out, code.pushed);
  memcpy(out + kShortMoveBytes, kJump, sizeof kJump);
}

bool writeDisplaced(uint8_t *out, uint64_t address, const tprt_site &site,
                    bool runsOn) {
  const CodeSite &code = codeOf(site);
  static_assert(kMostInstructionBytes + 5 <= kDisplacedBytes);
  uint8_t made[kDisplacedBytes];
  memset(made, 0xcc, sizeof made);
  const auto sled = reinterpret_cast<uint64_t>(site.sled());
  uint64_t end = sled + code.length;
  const Copied first = firstOf(code);
  Writer to = {made, made + sizeof made - (code.pushBytes ? kTakeBackBytes : 0),
               address};
  if (code.pushBytes) {
    writeTakeBack(made + kDisplacedBytes - kTakeBackBytes, code);
    to.bytes(code.pushes, code.pushBytes);
  }
  // The stub was called, so the function that the call leads to has its return
  // address already.
  if (code.means == Means::Call)
    to.jumpTo(first.referredTo(end));
  else if (code.profiler == Profiler::None)
    writeMoved(to, first, end);
  if (runsOn)
    visitRun(code, [&](const Copied &one, unsigned at) {
      end = sled + at + one.length;
      writeMoved(to, one, end);
      return to.fits;
    });
  // A jump to a profiler ends its function.
  if (endsFunction(code))
    to.byte(kRet);
  else
    to.jumpTo(end);
  if (to.fits)
    memcpy(out, made, sizeof made);
  return to.fits;
}

// What follows the copy of the one instruction is the jump after it, or the
// next copy: both are the same place in the program.
size_t behindInstruction(const tprt_site &site, size_t inside) {
  const CodeSite &code = codeOf(site);
  size_t copy = firstOf(code).bytesOfCopy(), original = code.length;
  const bool isJump =
      code.means == Means::Call || code.profiler != Profiler::None;
  if (isJump || !code.runsOn || !inside)
    return inside ? original : 0;
  if (inside < copy)
    return 0;
  visitRun(code, [&](const Copied &one, unsigned) {
    copy += one.bytesOfCopy();
    const bool isBehind = inside >= copy;
    original += isBehind ? one.length : 0;
    return isBehind;
  });
  return original;
}

} // namespace tprt
