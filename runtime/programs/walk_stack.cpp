// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See walk_stack.h.
//
// Only memory of stacks is read: by loads if it is the thread's own stack from
// here on, which stays (lasting_memory.h), and otherwise by system calls, which
// fail where a load would fault. So the stacks of coroutines and of signal
// handlers can be walked, too, and the parts of a thread's stack that are not
// known to be its own, at a higher price: a system call reads some frames at
// once.
//
// A frame counts only if each step to it was told by a table, if the stack
// pointer has grown, and if its address is in a module's code.
#include "programs/walk_stack.h"
#include "base/page_size.h"
#include "programs/hit_values.h"
#include "programs/read_memory.h"
#include "sites/arch.h"
#include "stacks/stack_tables.h"
#include "text/pc_map.h"
#include "threads/thread_block.h"

namespace tprt {

namespace {
// The stack memory that loads may read.
struct OwnMemory {
  uint64_t low, high;

  explicit OwnMemory(uint64_t here) {
    const StackRange stack = threadInHandler()->stack;
    const bool isOn = here - stack.low < stack.end - stack.low;
    low = isOn ? here : 0;
    high = isOn ? stack.end : 0;
  }
  bool has(uint64_t address) const {
    return address >= low && address < high && high - address >= 8;
  }
};

// Stack memory that a system call has read.
struct CopiedMemory {
  static constexpr uint64_t kWords = 64;
  uint64_t start = 0, bytes = 0;
  uint64_t words[kWords];

  bool find(uint64_t address, uint64_t &to);
};

enum class Stepped : uint8_t { Done, Outermost, Lost };

// A function under way: its registers, and the row for them.
struct Frame {
  uint64_t pc, stack, frame;
  bool isCalled;                                 // pc is a return address.
  enum : uint8_t { Known, OfHit, Gone } frameIs; // Whether `frame` is valid.
  uint16_t row;
};

struct Walk {
  OwnMemory own;
  CopiedMemory &copied;
  const tprt_regs *regs;
  Frame at;

  bool load(uint64_t address, uint64_t &to) const;
  bool needFrame();
  bool findCfa(const UnwindRow &row, uint64_t &cfa);
  bool findFrame(const UnwindRow &row, uint64_t cfa);
  Stepped leaveSignal();
  Stepped step();
  bool isInCode();
};
} // namespace

// A sanitizer has its own view of the stack.
__attribute__((no_sanitize("address"), no_sanitize("thread"))) static uint64_t
loadWord(uint64_t address) {
  return *reinterpret_cast<const volatile uint64_t *>(address);
}

bool Walk::load(uint64_t address, uint64_t &to) const {
  if (address % 8)
    return false;
  if (__builtin_expect(own.has(address), 1)) {
    to = loadWord(address);
    return true;
  }
  return copied.find(address, to);
}

// The words from the address on are those of its callers.
bool CopiedMemory::find(uint64_t address, uint64_t &to) {
  if (address - start >= bytes) {
    const uint64_t rest = pageBytes() - address % pageBytes();
    bytes = rest < sizeof words ? rest : sizeof words;
    start = address;
    if (!copyMemory(address, words, bytes))
      bytes = 0;
  }
  if (!bytes)
    return false;
  to = words[(address - start) / 8];
  return true;
}

static void findRow(Frame &frame) {
  frame.row = rowNumberAt(frame.pc - frame.isCalled);
}

// x86-64: a hit does not save rbp, so it is found as an unwinder finds it: from
// libtprt's own frames up to the trampoline's, which has the hit's registers in
// its frame and does not change rbp. A thread's first hit takes a slow path, of
// which the same is true: it is known by its CFA, which is found by rbx.
[[gnu::noinline]] static bool findHitsFrame(const Walk &from, uint64_t &to) {
  constexpr int kMostFrames = 64;
  const auto here = reinterpret_cast<uint64_t>(__builtin_frame_address(0));
  const auto end = reinterpret_cast<uint64_t>(from.regs);
  Walk walk = {from.own, from.copied, nullptr, {}};
  walk.own.low = walk.own.high ? here : 0;
  // What a function stores that has a frame pointer: the caller's, and above
  // it the return address.
  walk.at = {loadWord(here + 8), here + 16, loadWord(here), true,
             Frame::Known,       0};
  for (int i = 0; i < kMostFrames; ++i) {
    findRow(walk.at);
    const UnwindRow &row = unwindRow(walk.at.row);
    uint64_t cfa = UINT64_MAX;
    const bool isSlow =
        row.kind == UnwindRow::ByOther && row.frame == UnwindRow::kUnchanged;
    if ((!isSlow && !walk.findCfa(row, cfa)) || walk.at.stack > end)
      return false;
    if (cfa > end) {
      to = walk.at.frame;
      return walk.at.frameIs == Frame::Known;
    }
    if (walk.step() != Stepped::Done)
      return false;
  }
  return false;
}

bool Walk::needFrame() {
  if (at.frameIs == Frame::OfHit) {
    if (kHitsHaveFramePointer)
      at.frame = framePointerIn(*regs);
    const bool isFound =
        kHitsHaveFramePointer || findHitsFrame(*this, at.frame);
    at.frameIs = isFound ? Frame::Known : Frame::Gone;
  }
  return at.frameIs == Frame::Known;
}

bool Walk::findCfa(const UnwindRow &row, uint64_t &cfa) {
  const auto distance = static_cast<uint64_t>(int64_t{row.cfa});
  switch (row.kind) {
  case UnwindRow::ByStack:
    cfa = at.stack + distance;
    break;
  case UnwindRow::ByFrame:
    if (!needFrame())
      return false;
    cfa = at.frame + distance;
    break;
  case UnwindRow::InMemory:
    if (!needFrame() || at.frame + distance < at.stack ||
        !load(at.frame + distance, cfa))
      return false;
    break;
  case UnwindRow::InStub:
    cfa = at.stack + 8 + (at.pc % 16 >= distance ? 8 : 0);
    break;
  default:
    return false;
  }
  // A function that was called has at least its return address on the stack,
  // or has kept it there before it called another one.
  return cfa % 8 == 0 && cfa >= at.stack &&
         (cfa > at.stack || (!kCallsPush && !at.isCalled));
}

// The caller's frame pointer.
bool Walk::findFrame(const UnwindRow &row, uint64_t cfa) {
  if (row.frame == UnwindRow::kUnchanged)
    return true;
  if (row.frame == UnwindRow::kLost) {
    at.frameIs = Frame::Gone;
    return true;
  }
  if (row.frame == UnwindRow::kAtFrame && !needFrame())
    return false;
  const uint64_t place = row.frame == UnwindRow::kAtFrame
                             ? at.frame
                             : cfa + static_cast<uint64_t>(int64_t{row.frame});
  if (place < at.stack || !load(place, at.frame))
    return false;
  at.frameIs = Frame::Known;
  return true;
}

// The handler may have had a stack of its own, so the stack pointer may become
// smaller.
Stepped Walk::leaveSignal() {
  const uint64_t from = at.stack;
  if (!kSignalCode || !load(from + kSignalCode, at.pc) ||
      !load(from + kSignalStack, at.stack) ||
      !load(from + kSignalFrame, at.frame))
    return Stepped::Lost;
  at.isCalled = false;
  at.frameIs = Frame::Known;
  findRow(at);
  if (at.row != RowList::kNoCode)
    return Stepped::Done;
  // The signal may have come in a stub.
  at.pc = originalPcOf(at.pc);
  return at.pc ? Stepped::Done : Stepped::Lost;
}

// Makes the caller the present function.
Stepped Walk::step() {
  const UnwindRow &row = unwindRow(at.row);
  if (row.kind == UnwindRow::Signal)
    return leaveSignal();
  if (row.kind == UnwindRow::Outermost)
    return Stepped::Outermost;
  uint64_t cfa;
  if (row.back == UnwindRow::kUnchanged || row.back == UnwindRow::kLost ||
      !findCfa(row, cfa))
    return Stepped::Lost;
  const uint64_t place = cfa + static_cast<uint64_t>(int64_t{row.back});
  uint64_t back;
  if (place < at.stack || !load(place, back) || !findFrame(row, cfa))
    return Stepped::Lost;
  at.pc = withoutSignature(back);
  at.stack = cfa;
  at.isCalled = true;
  // Some threads begin with no return address.
  return at.pc ? Stepped::Done : Stepped::Outermost;
}

bool Walk::isInCode() {
  findRow(at);
  return at.row != RowList::kNoCode;
}

// Where the hit is inside its function, the first step finds the function's
// return address. False: nothing is known of the stack.
static bool begin(const StackPlace &place, Walk &walk) {
  const tprt_site &site = *place.event->site;
  const auto stack =
      reinterpret_cast<uint64_t>(tprt_event_stack(place.event, place.regs));
  Frame &at = walk.at;
  at = {0, stack, 0, false, Frame::OfHit, 0};
  if (site.isPoint() || site.isStaticBranch())
    return false;
  if (site.isInstruction() || !isAtBeginning(site)) {
    at.pc = reinterpret_cast<uint64_t>(site.sled());
    findRow(at);
    return walk.step() == Stepped::Done;
  }
  at.pc = tprt_regs_return_address(place.regs);
  at.stack += 8 * kWordsBeforeArguments;
  at.isCalled = true;
  return true;
}

WalkedStack walkStack(const StackPlace &place, unsigned most, uint64_t *to) {
  const auto here = reinterpret_cast<uint64_t>(__builtin_frame_address(0));
  CopiedMemory copied;
  Walk walk = {OwnMemory(here), copied, place.regs, {}};
  WalkedStack done = {0, TPRT_PROGRAM_STACK_LOST};
  if (!begin(place, walk))
    return done;
  for (;;) {
    if (!walk.isInCode())
      return done;
    if (done.count == most) {
      done.end = TPRT_PROGRAM_STACK_MORE;
      return done;
    }
    to[done.count++] = walk.at.pc + !walk.at.isCalled;
    const Stepped step = walk.step();
    if (step == Stepped::Done)
      continue;
    if (step == Stepped::Outermost)
      done.end = TPRT_PROGRAM_STACK_WHOLE;
    return done;
  }
}

} // namespace tprt
