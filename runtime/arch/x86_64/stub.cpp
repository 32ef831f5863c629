// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// x86-64 stubs that use a trampoline: the general stub of each site, the header
// before a region's stubs, and the code by which a redirected function can
// still be called. countstub.cpp and recordstub.cpp contain the other stubs.
// All of this code is written before it becomes executable, and does not change
// afterwards. Called under the lock, except stackBelow().
#include "stub.h"
#include "trampolines.h"

namespace tprt {

// rel32 reaches 2 GiB. The subtracted bytes leave room for the sled, the slot
// and the jump themselves.
const int64_t kStubReach = (int64_t{1} << 31) - 4096;

// In the full kind, only unwinders use `resume`. They must see the program's
// code and not the copy of an instruction.
//
// At an exit, a function has popped registers, but its unwind table may say
// that they are still in the words from which they were popped, below the stack
// pointer. GCC's tables do. The call of the trampoline overwrites these words.
// But all of these registers have their former values again. So unwinders are
// told that the thread is at the function's first instruction, where the stack
// pointer is the same. An unwinder searches for the instruction before the
// address. If a stub has undone pushes, `resume` is set in the same manner.
void initialiseData(StubData &data, tprt_site &site) {
  data.siteAt = indexOf(&site) * static_cast<uint32_t>(sizeof site);
  auto here = reinterpret_cast<uint64_t>(&data);
  data.resume = static_cast<int32_t>(endOf(site) - here);
  if (!(leavesAsEntered(site) || isAfterPushes(site)) || !needsFullStub(site))
    return;
  auto distance = static_cast<int64_t>(beginningOf(site) + 1 - here);
  if (distance == static_cast<int32_t>(distance))
    data.resume = static_cast<int32_t>(distance);
}

// The copy of a jump may fault, and a handler of the fault must see the jump.
// The copy of a ret does not fault.
bool isAtBeginning(size_t inside, const tprt_site &site) {
  constexpr size_t kCalled = 7;
  if (isAfterPushes(site))
    return inside < kStubBytes || inside >= startInStub(site) + kShortMoveBytes;
  return leavesAsEntered(site) && !keepsBelow(site) && inside >= kCalled &&
         (inside < kStubBytes || site.event.kind == TPRT_KIND_EXIT);
}

// The trampoline for a site's stub, chosen by the live registers at the site,
// if needsFullStub() is false. If a return is not a single ret, the sled is
// before the return, and the thread continues after the sled. So such a return
// does not use kExit and kExitOne, which end in the ret.
static Trampoline trampolineOf(const tprt_site &site) {
  // Indexed by TPRT_LIVE_...; the first row with vectors, the second without.
  static constexpr uint8_t entry[2][4] = {
      {kEntry, kEntryThreeVectors, kEntryThreeVectors, kEntry},
      {kEntry, kEntryOne, kEntryThree, kEntryArguments}};
  static constexpr uint8_t exit[2][4] = {{kExit, kExit, kExit, kExit},
                                         {kExit, kExitOne, kExit, kExit}};
  static_assert(TPRT_LIVE_ALL == 0 && TPRT_LIVE_ONE == 1 &&
                TPRT_LIVE_THREE == 2 && TPRT_LIVE_ARGUMENTS == 3);
  bool isExit = site.event.kind == TPRT_KIND_EXIT;
  if (site.isPoint())
    return kPoint;
  if (isExit && site.shape() != TPRT_SHAPE_RET)
    return kEntry;
  bool plain = site.traits & TPRT_RECORD_NO_VECTORS;
  return static_cast<Trampoline>((isExit ? exit : entry)[plain][site.live()]);
}

// After the trampolines' addresses the header has code, which the stubs of
// static branches call.
static constexpr size_t kHeaderCode = 8 * kTrampolines;
// The offset of the call's end in a static branch's stub.
static constexpr size_t kBranchCalled = 9;
// After that code, the jump to the trampoline that preserves the data below the
// stack pointer.
static constexpr size_t kHeaderBelow = kHeaderCode + 21;
static_assert(kHeaderBelow + 7 <= kStubHeaderBytes);

// At a static branch, no register is free. So r11 is pushed, and StubData's
// address is computed from the call's return address. This is possible because
// all stubs have one size, and so have their data.
static void writeBranchHeader(uint8_t *out, uint64_t address, uint64_t data) {
  static constexpr uint8_t code[] = {
      0x41, 0x53,                         // pushq %r11
      0x4c, 0x8b, 0x5c, 0x24, 0x08,       // movq 8(%rsp), %r11
      0x4d, 0x8d, 0x9b, 0,    0,    0, 0, // leaq bias(%r11), %r11
      0x3e, 0xff, 0x25, 0,    0,    0, 0, // notrack jmp *trampoline
  };
  static_assert(kHeaderCode + sizeof code == kHeaderBelow);
  static_assert(kStubHeaderBytes % kStubBytes == 0 &&
                kStubBytes == sizeof(StubData));
  memcpy(out + kHeaderCode, code, sizeof code);
  put32(out + kHeaderCode + 10,
        data - (address + kStubHeaderBytes + kBranchCalled));
  lead(out + kHeaderCode + 17, shiftOf(out, address),
       address + 8 * kBranchCount);
}

// The header contains the trampolines' addresses, for stubs that are not within
// reach of a copy of the trampolines.
void writeStubHeader(uint8_t *out, uint64_t address, uint64_t data, bool) {
  static constexpr uint8_t jump[] = {0x3e, 0xff, 0x25}; // notrack jmp
  for (unsigned i = 0; i < kTrampolines; ++i) {
    uint64_t code = ownTrampoline(static_cast<Trampoline>(i));
    memcpy(out + 8 * i, &code, sizeof code);
  }
  writeBranchHeader(out, address, data);
  memcpy(out + kHeaderBelow, jump, sizeof jump);
  lead(out + kHeaderBelow + sizeof jump, shiftOf(out, address),
       address + 8 * kBelow);
}

// A static branch's stub skips the red zone, and the trampoline moves the stack
// pointer back when it returns to the stub. The code after a static branch does
// not need the flags.
static void writeBranchStub(uint8_t *out, uint64_t address, uint64_t header,
                            const tprt_site &site) {
  static constexpr uint8_t code[14] = {
      0x48, 0x83, 0xc4, 0x80,    // addq $-RED_ZONE, %rsp
      0xe8, 0,    0,    0,    0, // call header
      0xe9, 0,    0,    0,    0, // jmp past the static branch
  };
  static_assert(RED_ZONE == 128 && kBranchCalled == 9);
  uint64_t shift = shiftOf(out, address);
  memcpy(out, code, sizeof code);
  lead(out + 5, shift, header + kHeaderCode);
  lead(out + 10, shift, resumeAt(site));
}

// Writes seven bytes that jump to the trampoline or call it. The direct call
// ends at the same byte as the indirect call. The bytes after the direct jump
// are never executed.
static void writeWay(uint8_t *out, uint64_t shift, uint64_t header,
                     Trampoline which) {
  static constexpr uint8_t ways[2][2][7] = {
      {{0x3e, 0xff, 0x25}, {0xe9, 0, 0, 0, 0, 0xcc, 0xcc}}, // notrack jmp; jmp
      {{0x3e, 0xff, 0x15}, {0x66, 0x90, 0xe8}}, // notrack call; nop, call
  };
  bool call = which == kFull || which == kInner;
  size_t end = call ? 7 : 5;
  uint64_t code =
      trampolineWithin(which, reinterpret_cast<uint64_t>(out) + shift + end);
  memcpy(out, ways[call][code != 0], 7);
  lead(code ? out + end - 4 : out + 3, shift, code ? code : header + 8 * which);
}

// In full stubs, the call is followed by a nop of nine bytes. Its last four
// bytes refer to StubData.
static constexpr uint8_t kDataNop[FULL_STUB_DATA] = {0x66, 0x0f, 0x1f, 0x84,
                                                     0x00};

// The stub of an entry or tail exit where keepsBelow() holds. The trampoline's
// ret moves the stack pointer back by the 128 bytes. A call through the header
// has the same length. The call is followed by a jump over the four bytes that
// refer to StubData.
static constexpr size_t kBelowCalled = kShortMoveBytes + 5;

static void writeBelowStub(uint8_t *out, uint64_t address, uint64_t header,
                           uint64_t data) {
  static constexpr uint8_t code[] = {
      0,    0,    0, 0, 0,    // leaq -RED_ZONE(%rsp), %rsp
      0xe8, 0,    0, 0, 0,    // call trampoline or header
      0xeb, 0x04, 0, 0, 0, 0, // jmp copy of the instruction
  };
  static_assert(sizeof code == kStubBytes);
  static_assert(sizeof code == kBelowCalled + BELOW_STUB_DATA + 4);
  uint64_t shift = shiftOf(out, address);
  uint64_t near = trampolineWithin(kBelow, address + kBelowCalled);
  memcpy(out, code, sizeof code);
  writeShortMove(out, -RED_ZONE);
  lead(out + kShortMoveBytes + 1, shift, near ? near : header + kHeaderBelow);
  lead(out + kBelowCalled + BELOW_STUB_DATA, shift, data + BELOW_STUB_DATA + 4);
}

static void writeInnerStub(uint8_t *out, uint64_t address, uint64_t header,
                           uint64_t data, const tprt_site &site) {
  constexpr size_t kCallBytes = 7, kCalled = kMoveBytes + kCallBytes;
  uint64_t shift = shiftOf(out, address);
  int64_t moved = INNER_BELOW - pushedAt(site);
  writeMove(out, -moved);
  writeWay(out + kMoveBytes, shift, header, kInner);
  memcpy(out + kCalled, kDataNop, sizeof kDataNop);
  lead(out + kCalled + FULL_STUB_DATA, shift, data + FULL_STUB_DATA + 4);
  writeMove(out + kCalled + FULL_STUB_DATA + 4, moved);
  static_assert(kCalled + FULL_STUB_DATA + 4 + kMoveBytes == kInnerStubBytes);
}

int64_t stackBelow(InnerStub stub, size_t inside, const tprt_site &site) {
  int64_t pushed = pushedAt(site);
  switch (stub) {
  case InnerStub::Counting:
    return belowInCount(inside, pushed);
  case InnerStub::Recording:
    return belowInRecord(inside, pushed);
  case InnerStub::General:
    if (!site.isInstruction()) // Most stubs call without changing the stack
                               // pointer before.
      return keepsBelow(site) && inside >= kShortMoveBytes &&
                     inside < kBelowCalled
                 ? RED_ZONE
                 : 0;
    break;
  }
  return inside < kMoveBytes || inside >= kInnerStubBytes ? pushed
                                                          : INNER_BELOW;
}

void writeStub(uint8_t *out, uint64_t address, uint64_t header, uint64_t data,
               uint64_t, const tprt_site &site) {
  if (site.isInstruction())
    return writeInnerStub(out, address, header, data, site);
  if (keepsBelow(site))
    return writeBelowStub(out, address, header, data);
  static constexpr uint8_t load[7] = {0x4c, 0x8d, 0x1d}; // lea data(%rip), %r11
  uint64_t shift = shiftOf(out, address);
  bool full = needsFullStub(site);
  memset(out, 0xcc, kStubBytes);
  if (site.isStaticBranch())
    return writeBranchStub(out, address, header, site);
  writeWay(full ? out : out + 7, shift, header,
           full ? kFull : trampolineOf(site));
  if (!full) {
    memcpy(out, load, sizeof load);
    return lead(out + 3, shift, data);
  }
  // The call is followed by a jmp to the address where the thread continues, or
  // by ret. In code without sleds, the copy of the instruction is right after
  // the stub, and the thread reaches it through a nop.
  if (site.shape() == TPRT_SHAPE_CODE) {
    memcpy(out + 7, kDataNop, sizeof kDataNop);
  } else {
    out[7] = site.shape() == TPRT_SHAPE_RET ? kRet : kJumpNear;
    lead(out + 8, shift, resumeAt(site));
  }
  // The distance is relative to the call's end.
  static_assert(7 + FULL_STUB_DATA + 4 == kStubBytes);
  lead(out + 7 + FULL_STUB_DATA, shift, data + FULL_STUB_DATA + 4);
}

// On x86-64 no stub is far.
void writeWayBack(uint8_t *, uint64_t, const tprt_site &) {}

// This code may be called, so it begins with a landing pad for IBT. Then it
// jumps past the sled, which may be on. In code without sleds, it executes a
// copy of the site's instruction only, because threads must execute a
// breakpoint after that instruction.
void writeOriginal(uint8_t *out, uint64_t address, uint64_t,
                   const tprt_site &site) {
  static constexpr uint8_t code[9] = {0xf3, 0x0f, 0x1e, 0xfa,
                                      0xe9}; // endbr64; jmp end of the sled
  static_assert(kOriginalCopy + kDisplacedBytes <= kOriginalBytes);
  memcpy(out, code, sizeof code);
  if (site.shape() != TPRT_SHAPE_CODE ||
      !writeDisplaced(out + kOriginalCopy, address + kOriginalCopy, site,
                      false))
    lead(out + 5, shiftOf(out, address), resumeAt(site));
}

} // namespace tprt
