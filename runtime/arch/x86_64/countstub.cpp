// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// x86-64 counting stubs. Such a stub counts its hit directly and makes no call.
// There are three kinds, for different sets of free registers at the site:
//
//   writeCountStub()      r11 and the flags: entries and exits
//   writeFullCountStub()  nothing: sites in code without sleds
//   writeInnerCountStub() nothing, and data may lie below rsp: instructions,
//                         and entries and exits where keepsBelow() holds
//
// Called under the lock, except belowInCount().
#include "stub.h"

namespace tprt {

static uint64_t firstCounterTlsOffset() {
  uint64_t offset;
  TLS_OFFSET("__tprt_first_counter", offset);
  return offset;
}

bool canCountInStub(const tprt_site &site) {
  return kHasTlsOffsets && !needsFullStub(site) && !site.isStaticBranch();
}

// The addition carries only if the word is negative and the thread has counters
// (counters.h); then the sum is the address of the site's counter. Tail exits
// have no such stub, because the flags and r11 are live at them.
void writeCountStub(uint8_t *out, uint64_t address, uint64_t word,
                    uint64_t general, const tprt_site &site) {
  static constexpr uint8_t code[kCountStubBytes] = {
      0x4c, 0x63, 0x1d, 0,    0,    0, 0,       // movslq word(%rip), %r11
      0x64, 0x4c, 0x03, 0x1c, 0x25, 0, 0, 0, 0, // addq %fs:counter, %r11
      0x0f, 0x83, 0,    0,    0,    0,          // jnc general
      0x49, 0xff, 0x03,                         // incq (%r11)
      0xe9, 0,    0,    0,    0,                // jmp end of the sled
      0xcc, 0xcc,
  };
  uint64_t shift = shiftOf(out, address);
  memcpy(out, code, sizeof code);
  lead(out + 3, shift, word);
  put32(out + 12, firstCounterTlsOffset());
  lead(out + 18, shift, general);
  if (site.shape() == TPRT_SHAPE_RET)
    out[25] = kRet;
  else
    lead(out + 26, shift, resumeAt(site));
}

// The stub where keepsBelow() holds, which moves rsp first (stub.h). Two pushes
// save rcx and rax.
static constexpr uint8_t kInnerCount[] = {
    0,    0,    0,    0,    0,          // leaq -128(%rsp), %rsp
    0x51,                               // pushq %rcx
    0x48, 0x63, 0x0d, 0,    0, 0, 0,    // movslq word(%rip), %rcx
    0x64, 0x48, 0x8b, 0x09,             // movq %fs:(%rcx), %rcx
    0xe3, 0x1e,                         // jrcxz other
    0x50,                               // pushq %rax
    0x9f,                               // lahf
    0x0f, 0x90, 0xc0,                   // seto %al
    0x48, 0xff, 0x81, 0,    0, 0, 0,    // incq counter(%rcx)
    0x04, 0x7f,                         // addb $127, %al
    0x9e,                               // sahf
    0x58,                               // popq %rax
    0x59,                               // popq %rcx
    0,    0,    0,    0,    0, 0, 0, 0, // leaq 128(%rsp), %rsp
    0xe9, 0,    0,    0,    0,          // jmp copy of the instruction
    0x59,                               // other: popq %rcx
    0,    0,    0,    0,    0, 0, 0, 0, // leaq 128(%rsp), %rsp
    0xe9, 0,    0,    0,    0,          // jmp general
};
static_assert(sizeof kInnerCount <= kFullCountStubBytes);

static void writeInnerCountStub(uint8_t *out, uint64_t address, uint64_t word,
                                uint64_t general, int32_t counter,
                                const tprt_site &site) {
  uint64_t shift = shiftOf(out, address);
  int64_t moved = RED_ZONE - pushedAt(site);
  memset(out, 0xcc, kFullCountStubBytes);
  memcpy(out, kInnerCount, sizeof kInnerCount);
  writeShortMove(out, -moved);
  lead(out + 9, shift, word);
  put32(out + 27, static_cast<uint64_t>(int64_t{counter}));
  writeMove(out + 36, moved);
  lead(out + 45, shift, resumeAt(site));
  writeMove(out + 50, moved);
  lead(out + 59, shift, general);
}

int64_t belowInCount(size_t inside, int64_t pushed) {
  if (inside < kShortMoveBytes || (inside >= 44 && inside < 49) || inside >= 58)
    return pushed;
  if (inside == 5 || (inside >= 36 && inside < 44) || inside >= 50)
    return RED_ZONE;
  return RED_ZONE + (inside >= 20 && inside < 35 ? 16 : 8);
}

bool canCountInFullStub(const tprt_site &site) {
  return kHasTlsOffsets && site.shape() == TPRT_SHAPE_CODE;
}

// No register is free at these sites, and the flags are preserved. The function
// keeps no live data below rsp (docs/explanation/code-probes.md), and a signal
// does not change the 128 bytes there (psABI, 3.2.2). The two lowest of these
// words are used, because an unwinder may read popped registers from higher
// words (stub.cpp). So the stub does not move the stack pointer, and an
// unwinder that starts anywhere in it finds the same callers as at the site.
// jrcxz does not change the flags. The lowest word is stored first. So if the
// stack is too small for the stub, the stub has changed nothing (fault_pc.cpp).
// lahf reads all relevant flags except OF (Intel SDM vol. 2, LAHF); 127 + 1
// overflows.
void writeFullCountStub(uint8_t *out, uint64_t address, uint64_t word,
                        uint64_t general, int32_t counter,
                        const tprt_site &site) {
  static constexpr uint8_t code[kFullCountStubBytes] = {
      0x48, 0x89, 0x4c, 0x24, 0x80,       // movq %rcx, -128(%rsp)
      0x48, 0x63, 0x0d, 0,    0,    0, 0, // movslq word(%rip), %rcx
      0x64, 0x48, 0x8b, 0x09,             // movq %fs:(%rcx), %rcx
      0xe3, 0x22,                         // jrcxz other
      0x48, 0x89, 0x44, 0x24, 0x88,       // movq %rax, -120(%rsp)
      0x9f,                               // lahf
      0x0f, 0x90, 0xc0,                   // seto %al
      0x48, 0xff, 0x81, 0,    0,    0, 0, // incq counter(%rcx)
      0x04, 0x7f,                         // addb $127, %al
      0x9e,                               // sahf
      0x48, 0x8b, 0x44, 0x24, 0x88,       // movq -120(%rsp), %rax
      0x48, 0x8b, 0x4c, 0x24, 0x80,       // movq -128(%rsp), %rcx
      0xe9, 0,    0,    0,    0,          // jmp copy of the instruction
      0x48, 0x8b, 0x4c, 0x24, 0x80,       // other: movq -128(%rsp), %rcx
      0xe9, 0,    0,    0,    0,          // jmp general
      0xcc, 0xcc,
  };
  if (keepsBelow(site))
    return writeInnerCountStub(out, address, word, general, counter, site);
  uint64_t shift = shiftOf(out, address);
  memcpy(out, code, sizeof code);
  lead(out + 8, shift, word);
  put32(out + 30, static_cast<uint64_t>(int64_t{counter}));
  lead(out + 48, shift, resumeAfterPushes(site));
  lead(out + 58, shift, general);
}

static uint64_t noCounterTlsOffset() {
  uint64_t offset;
  TLS_OFFSET("__tprt_no_counter", offset);
  return offset;
}

int32_t wordOfFullCountStub(bool may) {
  return static_cast<int32_t>(may ? firstCounterTlsOffset()
                                  : noCounterTlsOffset());
}

} // namespace tprt
