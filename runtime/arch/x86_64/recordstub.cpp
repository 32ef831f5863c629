// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// x86-64 recording stubs. Such a stub stores the event of its hit at the
// thread's cursor and makes no call. Called under the lock, except
// belowInRecord().
#include "sites/record_cursor.h"
#include "stub.h"

#include <stddef.h>

namespace tprt {

static uint64_t recordTlsOffset() {
  uint64_t offset;
  TLS_OFFSET("__tprt_record", offset);
  return offset;
}

bool canRecordInStub(const tprt_site &site) {
  return kHasTlsOffsets && site.isOfFunction();
}

// How a recording stub frees registers depends on the registers that are live
// at the site. The recording code changes rax, rdx, r11 and the flags, and
// saves rax while the counter is read. At entries and exits there is no live
// data below rsp, and a signal does not change the 128 bytes there (psABI,
// 3.2.2). The lowest word is stored first. So if the stack is too small for the
// stub, the stub has changed nothing (fault_pc.cpp).
static constexpr uint8_t kKeepBelow[] = {
    0x48, 0x89, 0x44, 0x24, 0xf8, // movq %rax, -8(%rsp)
};
static constexpr uint8_t kTakeBelow[] = {
    0x48, 0x8b, 0x44, 0x24, 0xf8, // movq -8(%rsp), %rax
};

// At an entry r11 and the flags are free.
static constexpr uint8_t kSaveEntry[] = {
    0x48, 0x89, 0x44, 0x24, 0xe8, // movq %rax, -24(%rsp)
    0x48, 0x89, 0x54, 0x24, 0xf0, // movq %rdx, -16(%rsp)
};
static constexpr uint8_t kRestoreEntry[] = {
    0x48, 0x8b, 0x54, 0x24, 0xf0, // movq -16(%rsp), %rdx
    0x48, 0x8b, 0x44, 0x24, 0xe8, // movq -24(%rsp), %rax
};

// At an exit rsi, rdi and r8 are free, too.
static constexpr uint8_t kSaveExit[] = {
    0x48, 0x89, 0xc6, // movq %rax, %rsi
    0x48, 0x89, 0xd7, // movq %rdx, %rdi
};
static constexpr uint8_t kRestoreExit[] = {
    0x48, 0x89, 0xfa, // movq %rdi, %rdx
    0x48, 0x89, 0xf0, // movq %rsi, %rax
};
static constexpr uint8_t kKeepExit[] = {
    0x49, 0x89, 0xc0, 0x66, 0x90, // movq %rax, %r8; nop
};
static constexpr uint8_t kTakeExit[] = {
    0x4c, 0x89, 0xc0, 0x66, 0x90, // movq %r8, %rax; nop
};

// In the full kind, no register is free. lahf reads all relevant flags except
// OF (Intel SDM vol. 2, LAHF); 127 + 1 overflows. The lowest of the 128 bytes
// are used, because an unwinder may read popped registers from higher bytes
// (stub.cpp).
static constexpr uint8_t kSaveFull[] = {
    0x48, 0x89, 0x44, 0x24, 0x80, // movq %rax, -128(%rsp)
    0x48, 0x89, 0x54, 0x24, 0x98, // movq %rdx, -104(%rsp)
    0x4c, 0x89, 0x5c, 0x24, 0x88, // movq %r11, -120(%rsp)
    0x9f,                         // lahf
    0x0f, 0x90, 0xc0,             // seto %al
    0x48, 0x89, 0x44, 0x24, 0xa0, // movq %rax, -96(%rsp)
};
static constexpr uint8_t kRestoreFull[] = {
    0x48, 0x8b, 0x44, 0x24, 0xa0, // movq -96(%rsp), %rax
    0x04, 0x7f,                   // addb $127, %al
    0x9e,                         // sahf
    0x4c, 0x8b, 0x5c, 0x24, 0x88, // movq -120(%rsp), %r11
    0x48, 0x8b, 0x54, 0x24, 0x98, // movq -104(%rsp), %rdx
    0x48, 0x8b, 0x44, 0x24, 0x80, // movq -128(%rsp), %rax
};
static constexpr uint8_t kKeepFull[] = {
    0x48, 0x89, 0x44, 0x24, 0x90, // movq %rax, -112(%rsp)
};
static constexpr uint8_t kTakeFull[] = {
    0x48, 0x8b, 0x44, 0x24, 0x90, // movq -112(%rsp), %rax
};

namespace {
struct Frame {
  const uint8_t *save, *restore, *keep, *take;
  size_t saveBytes, restoreBytes;
};
} // namespace

static Frame frameFor(const tprt_site &site) {
  if (needsFullStub(site))
    return {kSaveFull, kRestoreFull,     kKeepFull,
            kTakeFull, sizeof kSaveFull, sizeof kRestoreFull};
  if (site.event.kind == TPRT_KIND_EXIT)
    return {kSaveExit, kRestoreExit,     kKeepExit,
            kTakeExit, sizeof kSaveExit, sizeof kRestoreExit};
  return {kSaveEntry, kRestoreEntry,     kKeepBelow,
          kTakeBelow, sizeof kSaveEntry, sizeof kRestoreEntry};
}

// One instruction claims the cursor's position for the event. It needs no lock
// prefix, because only this thread writes its cursor. The position is read
// before the counter. If a signal handler has claimed a position since then,
// the claim fails. So a thread's events are in the order of their times, and
// the position is in a block whose epoch is the counter's.
static constexpr uint8_t kRecordCode[] = {
    0x64, 0x48, 0x8b, 0x04, 0x25, 0,    0, 0, 0, // again: movq %fs:next, %rax
    0x44, 0x8b, 0x1d, 0,    0,    0,    0,       // movl word(%rip), %r11d
    0,    0,    0,    0,    0,                   // keep rax
    0x45, 0x85, 0xdb,                            // testl %r11d, %r11d
    0x74, 0,                                     // jz alternative
    0xa9, 0xc0, 0xff, 0x00, 0x00,                // testl $0xffc0, %eax
    0x74, 0,                                     // jz alternative
    0x0f, 0x31,                                  // rdtsc
    0x64, 0x39, 0x14, 0x25, 0,    0,    0, 0,    // cmpl %edx, %fs:epoch
    0x75, 0,                                     // jne alternative
    0x48, 0xc1, 0xe0, 0x18,                      // shlq $24, %rax
    0x48, 0xc1, 0xe2, 0x38,                      // shlq $56, %rdx
    0x49, 0x09, 0xc3,                            // orq %rax, %r11
    0x49, 0x09, 0xd3,                            // orq %rdx, %r11
    0,    0,    0,    0,    0,                   // take rax
    0x48, 0x8d, 0x50, 0x08,                      // leaq 8(%rax), %rdx
    0x64, 0x48, 0x0f, 0xb1, 0x14, 0x25, 0, 0, 0, 0, // cmpxchgq %rdx, %fs:next
    0x75, 0xb0,                                     // jne again
    0x4c, 0x89, 0x18,                               // movq %r11, (%rax)
};
static_assert(((kRecordBlockBytes - 1) & ~(kRecordHeaderBytes - 1)) == 0xffc0);
static_assert(offsetof(RecordCursor, next) == 0);

// Writes the recording code. `after` is the distance from the end of the code
// to the beginning of the alternative path.
static void writeRecordCode(uint8_t *out, uint64_t shift, uint64_t word,
                            const Frame &frame, size_t after) {
  uint64_t cursor = recordTlsOffset();
  memcpy(out, kRecordCode, sizeof kRecordCode);
  memcpy(out + 16, frame.keep, sizeof kKeepBelow);
  memcpy(out + 59, frame.take, sizeof kTakeBelow);
  put32(out + 5, cursor);
  lead(out + 12, shift, word);
  put32(out + 39, cursor + offsetof(RecordCursor, epoch));
  put32(out + 74, cursor);
  static constexpr uint8_t kJumps[] = {25, 32, 44};
  for (size_t jump : kJumps)
    out[jump] = static_cast<uint8_t>(sizeof kRecordCode + after - (jump + 1));
}

void writeRecordStub(uint8_t *out, uint64_t address, uint64_t word,
                     uint64_t general, const tprt_site &site) {
  const Frame frame = frameFor(site);
  constexpr size_t kJumpBytes = 5;
  static_assert(kShortMoveBytes + sizeof kSaveFull + sizeof kRecordCode +
                    2 * (sizeof kRestoreFull + kMoveBytes + kJumpBytes) <=
                kRecordStubBytes);
  const bool isMoved = keepsBelow(site);
  const int64_t moved = RED_ZONE - pushedAt(site);
  uint64_t shift = shiftOf(out, address);
  memset(out, 0xcc, kRecordStubBytes);
  if (isMoved) {
    writeShortMove(out, -moved);
    out += kShortMoveBytes;
  }
  memcpy(out, frame.save, frame.saveBytes);
  out += frame.saveBytes;
  writeRecordCode(out, shift, word, frame,
                  frame.restoreBytes + kJumpBytes + (isMoved ? kMoveBytes : 0));
  out += sizeof kRecordCode;
  // 0 means the original ret.
  const uint64_t ways[] = {
      site.shape() == TPRT_SHAPE_RET ? 0 : resumeAfterPushes(site), general};
  for (uint64_t to : ways) {
    memcpy(out, frame.restore, frame.restoreBytes);
    out += frame.restoreBytes;
    if (isMoved) {
      writeMove(out, moved);
      out += kMoveBytes;
    }
    *out = to ? kJumpNear : kRet;
    if (to)
      lead(out + 1, shift, to);
    out += kJumpBytes;
  }
}

int64_t belowInRecord(size_t inside, int64_t pushed) {
  constexpr size_t kEnd = kShortMoveBytes + sizeof kSaveFull +
                          sizeof kRecordCode + sizeof kRestoreFull + kMoveBytes,
                   kOther = kEnd + 5,
                   kOtherEnd = kOther + sizeof kRestoreFull + kMoveBytes;
  bool isMoved = inside >= kShortMoveBytes && inside < kOtherEnd &&
                 (inside < kEnd || inside >= kOther);
  return isMoved ? RED_ZONE : pushed;
}

} // namespace tprt
