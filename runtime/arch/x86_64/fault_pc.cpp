// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Removes a thread from a hit if its stack was too small; see sites/arch.h.
// Runs in signal handlers: async-signal-safe.
//
// The thread continues as if the trampoline had returned. The program's
// register values are in these places:
//  - while the trampoline makes its frame, in the registers themselves or where
//    the trampoline's unwind table says: the table has a row for each push
//  - afterwards, in the frame (frame.h)
//  - for registers that a called function preserves, where the unwind tables of
//    the functions that the trampoline has called say
// A stub first touches the lowest word that it needs, before it changes any
// register. So if a stub cannot continue, it has changed nothing except rsp.
#include "callers.h"
#include "frame.h"
#include "sites/arch.h"
#include "stub.h"
#include "trampolines.h"

#include <string.h>
#include <ucontext.h>

namespace tprt {

namespace {
constexpr int kGregs[Registers::kCount] = {
    REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
    REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
    REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
// The distance from the frame's registers up to the CFA of most trampolines.
constexpr uint64_t kRegsToCfa = FRAME_BYTES - FRAME_REGS;
// The largest nesting of functions in a hit.
constexpr int kMostFrames = 64;

// A hit, as seen from its trampoline.
struct Hit {
  Trampoline which;
  uint64_t stack, cfa;
  bool isWhole; // The frame is complete.
  Peek peek;

  bool isFull() const { return which == kFull || which == kInner; }
  uint64_t above() const { return which == kInner ? INNER_BELOW : 0; }
  uint64_t position() const { return cfa - kRegsToCfa - above(); }
  // In the full kinds: where the return address into the stub is stored.
  uint64_t returnPlace() const {
    return cfa - above() - (which == kBelow ? RED_ZONE + 8 : 8);
  }
  uint64_t word(uint64_t address) const {
    uint64_t value = 0;
    peek(address, &value, sizeof value);
    return value;
  }
  uint64_t distance(uint64_t address) const {
    int32_t value = 0;
    peek(address, &value, sizeof value);
    return static_cast<uint64_t>(int64_t{value});
  }
};
} // namespace

static bool isStackFault(uint64_t fault, uint64_t stack, uint64_t top) {
  constexpr uint64_t kBelow = 256; // a call, a push, and the red zone
  return fault + kBelow >= stack && fault < top;
}

static Registers read(const void *context) {
  Registers registers;
  const auto &from = static_cast<const ucontext_t *>(context)->uc_mcontext;
  for (uint8_t i = 0; i < Registers::kCount; ++i)
    registers[i] = static_cast<uint64_t>(from.gregs[kGregs[i]]);
  return registers;
}

static void write(void *context, const Registers &registers) {
  auto &to = static_cast<ucontext_t *>(context)->uc_mcontext;
  for (uint8_t i = 0; i < Registers::kCount; ++i)
    to.gregs[kGregs[i]] = static_cast<greg_t>(registers.value[i]);
}

// Restores the flags that lahf and seto stored.
static void restoreFlags(void *context, uint64_t stored) {
  constexpr uint64_t kLow = 0xd5, kOverflow = 0x800;
  auto &flags = static_cast<ucontext_t *>(context)->uc_mcontext.gregs[REG_EFL];
  uint64_t others = static_cast<uint64_t>(flags) & ~(kLow | kOverflow);
  flags = static_cast<greg_t>(others | (stored >> 8 & kLow) |
                              (stored & 1 ? kOverflow : 0));
}

static void restoreWholeFrame(const Hit &hit, void *context,
                              Registers &registers) {
  static constexpr uint8_t kSaved[] = {
      Registers::kRdi, Registers::kRsi, Registers::kRdx, Registers::kRcx,
      Registers::kR8,  Registers::kR9,  Registers::kRax, Registers::kR10};
  for (size_t i = 0; i < sizeof kSaved; ++i)
    registers[kSaved[i]] = hit.word(hit.position() + 8 * i);
  if (!hit.isFull() && hit.which != kBelow)
    return;
  constexpr uint64_t kR11Below = FRAME_REGS - FRAME_R11,
                     kFlagsBelow = FRAME_REGS - FRAME_FLAGS;
  registers[Registers::kR11] = hit.word(hit.position() - kR11Below);
  restoreFlags(context, hit.word(hit.position() - kFlagsBelow));
  if (hit.which != kBelow)
    return;
  for (uint64_t at = 0; at < RED_ZONE; at += 8) {
    uint64_t word = hit.word(hit.stack + at);
    memcpy(reinterpret_cast<void *>(hit.cfa - RED_ZONE + at), &word,
           sizeof word);
  }
}

// The address of the hit's StubData.
static uint64_t dataOf(const Hit &hit, Registers &registers) {
  if (hit.isFull() || hit.which == kBelow) {
    uint64_t back = hit.word(hit.returnPlace());
    return back + hit.distance(back + (hit.which == kBelow ? BELOW_STUB_DATA
                                                           : FULL_STUB_DATA));
  }
  if (!hit.isWhole)
    return registers[Registers::kR11];
  bool isExit = hit.which == kExit || hit.which == kExitOne;
  return hit.word(hit.position() + (isExit ? 0 : FRAME_DATA - FRAME_REGS));
}

// Continues the thread after the hit.
static void resume(const Hit &hit, uint64_t data, Registers &registers) {
  registers[Registers::kRsp] = hit.cfa;
  if (hit.isFull() || hit.which == kBelow) {
    registers[Registers::kPc] = hit.word(hit.returnPlace());
    registers[Registers::kRsp] = hit.cfa - hit.above();
  } else if (hit.which == kExit || hit.which == kExitOne) {
    registers[Registers::kPc] = hit.word(hit.cfa);
    registers[Registers::kRsp] += 8;
  } else {
    registers[Registers::kPc] = data + hit.distance(data + DATA_RESUME);
  }
}

bool leaveHit(void *context, uint64_t fault, const UnwindTables &tables,
              Peek peek, LeftHit &left) {
  Registers registers = read(context);
  const uint64_t stack = registers[Registers::kRsp];
  if (!isStackFault(fault, stack, UINT64_MAX))
    return false;
  int depth = 0;
  while (!isTrampolineCode(registers[Registers::kPc] - (depth > 0)))
    if (depth == kMostFrames || !stepOut(tables, registers, depth++ > 0, peek))
      return false;
  Hit hit = {trampolineAt(registers[Registers::kPc] - (depth > 0)),
             registers[Registers::kRsp], 0, false, peek};
  if (hit.which == kPoint || hit.which == kBranchCount ||
      !stepOut(tables, registers, depth > 0, peek))
    return false;
  hit.cfa = registers[Registers::kRsp];
  if (!isStackFault(fault, stack, hit.cfa))
    return false;
  // In the kind that allocates its whole frame at once, only a call accesses
  // memory below the frame.
  hit.isWhole = depth > 0 ||
                hit.stack <= hit.position() - (hit.isFull() ? FRAME_REGS : 0);
  if (hit.which == kBelow)
    hit.isWhole = depth > 0 || fault < hit.stack;
  uint64_t data = dataOf(hit, registers);
  if (hit.isWhole)
    restoreWholeFrame(hit, context, registers);
  resume(hit, data, registers);
  write(context, registers);
  left = {reinterpret_cast<const StubData *>(data),
          hit.isWhole ? hit.position() : 0};
  return true;
}

// --- stubs -------------------------------------------------------------------

// The call is the only instruction of a general stub that writes to memory. The
// thread continues after it.
static bool leaveGeneral(Registers &registers, size_t inside,
                         const tprt_site &site, const StubData *&data) {
  constexpr size_t kCallBytes = 7, kShortCallBytes = 5;
  bool isInner = site.isInstruction(), isShort = !isInner && keepsBelow(site);
  if (!isInner && !isShort && !needsFullStub(site))
    return false;
  size_t call = isInner ? kMoveBytes : isShort ? kShortMoveBytes : 0;
  size_t end = call + (isShort ? kShortCallBytes : kCallBytes);
  if (inside < call || inside >= end)
    return false;
  uint64_t &pc = registers[Registers::kPc];
  pc += end - inside;
  int32_t distance;
  memcpy(&distance,
         reinterpret_cast<const void *>(
             pc + (isShort ? BELOW_STUB_DATA : FULL_STUB_DATA)),
         sizeof distance);
  data = reinterpret_cast<const StubData *>(
      pc + static_cast<uint64_t>(int64_t{distance}));
  if (isShort)
    registers[Registers::kRsp] += RED_ZONE;
  return true;
}

// A counting or recording stub continues after the hit. If a counting stub has
// moved rsp, it pushes rcx and, after it has changed rcx, rax.
static bool leaveSecond(Registers &registers, InnerStub stub, size_t inside,
                        const tprt_site &site, Peek peek) {
  constexpr size_t kPushRcx = kShortMoveBytes, kPushRax = 19;
  uint64_t &stack = registers[Registers::kRsp];
  if (keepsBelow(site)) {
    bool isLater = stub == InnerStub::Counting && inside == kPushRax;
    if (isLater && !peek(stack, &registers[Registers::kRcx], 8))
      return false;
    if (!isLater && inside != kPushRcx)
      return false;
    stack +=
        (isLater ? 8u : 0u) + RED_ZONE - static_cast<uint64_t>(pushedAt(site));
  } else if (inside != 0) {
    return false;
  }
  if (site.shape() != TPRT_SHAPE_RET) {
    registers[Registers::kPc] = resumeAfterPushes(site);
    return true;
  }
  bool known = peek(stack, &registers[Registers::kPc], 8);
  stack += 8;
  return known;
}

bool leaveStub(void *context, uint64_t fault, InnerStub stub, size_t inside,
               const tprt_site &site, Peek peek, const StubData *&data) {
  Registers registers = read(context);
  uint64_t stack = registers[Registers::kRsp];
  data = nullptr;
  constexpr uint64_t kMost = 256;
  bool left = !site.isStaticBranch() &&
              isStackFault(fault, stack, stack + kMost) &&
              (stub == InnerStub::General
                   ? leaveGeneral(registers, inside, site, data)
                   : leaveSecond(registers, stub, inside, site, peek));
  if (left)
    write(context, registers);
  return left;
}

void addressesToUnwind(uint64_t (&addresses)[3]) {
  addresses[0] = ownTrampoline(kEntryOne);
  addresses[1] = nearTrampoline();
  addresses[2] = addressInCLibrary();
}

} // namespace tprt
