// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// x86-64 copies of displaced instructions: where a hit continues after the
// general stub of a site in code without sleds. Called under the lock, except
// afterInstruction().
//
// The copy of a pun's instruction also contains the following instructions that
// begin inside the pun's jump (CodeSite::runBytes). The purpose is speed. A
// jump back to these instructions would have a target inside bytes that the
// processor knows as a jump, and would be mispredicted at each call: 10 ns on
// an Intel Xeon. Only the first instruction changes, so a jump to one of the
// other instructions works as before.
//
//   stub                          call trampoline
//   copy      48 89 f8            movq %rdi, %rax
//             48 f7 d8            negq %rax: begins inside e9 89 f8 48 f7
//             e9 ...              jmp past negq
//
// A breakpoint at one of these instructions is a byte of the pun's distance. In
// that case the jump leads to another island, and from that island to a stub
// that copies only the first instruction (kShortCopy in text/stub_kind.h). So
// the thread executes the breakpoint.
#include "code_patch.h"
#include "sites/arch.h"
#include "stub.h"

#include <string.h>

namespace tprt {

namespace {
// Writes instructions that will run elsewhere.
struct Writer {
  uint8_t *out;
  uint8_t *const end; // end of the room
  uint64_t address;   // The address at which *out will run.
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
  // Writes the last four bytes of an instruction: a distance relative to its
  // end.
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

// A copied instruction.
struct Copied {
  const uint8_t *code;
  unsigned length;
  // The field that is relative to the instruction's end; 0 means no field.
  unsigned field, fieldBytes;

  // The target of the field if the instruction ends at `end`.
  uint64_t referredTo(uint64_t end) const {
    int32_t distance = static_cast<int8_t>(code[field]);
    if (fieldBytes == 4)
      memcpy(&distance, code + field, sizeof distance);
    return end + static_cast<uint64_t>(int64_t{distance});
  }
  bool isShortJump() const { return code[field - 1] == kJumpShort; }
  // A jump with one byte of distance is copied in the form with four bytes: jmp
  // is eb and e9, jcc is 7x and 0f 8x (Intel SDM vol. 2, JMP and Jcc).
  unsigned bytesOfCopy() const {
    return fieldBytes != 1 ? length : isShortJump() ? 5 : 6;
  }
};
} // namespace

static Copied firstOf(const CodeSite &code) {
  return {code.code, code.length, code.field, code.fieldBytes};
}

// Calls visit(instruction, offset) for each further instruction of the copy,
// until it returns false.
template <class Visit>
static void visitRun(const CodeSite &code, const Visit &visit) {
  constexpr unsigned kDistanceBytes = 4, kJumpBytes = 5;
  // A short jump can be turned into a pun. That pun has neither a prefix nor a
  // word.
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

// Writes the instruction so that its field refers to the same address. `end` is
// the end of the original instruction.
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
  // An immediate may follow the field. The field is relative to the
  // instruction's end.
  const unsigned after = one.length - one.field - 4u;
  to.address += after;
  to.distanceTo(target);
  to.address -= after;
  to.bytes(one.code + one.field + 4, after);
}

// An entry after pushes: a thread arrives at the site after it has executed
// these pushes. The handler must see the state that the function's caller left.
// So the stub begins with an instruction that restores the stack pointer, and
// copies of the pushes precede the copy of the instruction. Neither changes any
// other register. A push does not change the flags, and sub sets them as before
// (Intel SDM vol. 2, LEA, PUSH, SUB).
//
// If the pushes made a frame pointer, leave undoes all of them, including rbp.
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
  // The stub was called, so the called function already has its return address.
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

// The copy of the first instruction is followed either by a jump to the next
// instruction or by a copy of the next instruction. Both correspond to the same
// address in the program.
size_t afterInstruction(const tprt_site &site, size_t inside) {
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
    const bool isAfter = inside >= copy;
    original += isAfter ? one.length : 0;
    return isAfter;
  });
  return original;
}

} // namespace tprt
