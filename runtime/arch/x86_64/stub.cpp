// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// x86-64 stubs. They are written before they are executable, and are final from
// then on. Called under the lock, except addOne() and readTicks().
#include "core/arch.h"
#include "frame.h"
#include "trampolines.h"

#include <string.h>

namespace tprt {

// rel32 reaches 2 GiB. The rest is room for sled, slot and jump themselves.
const int64_t kStubReach = (int64_t{1} << 31) - 4096;

static void put32(uint8_t *out, uint64_t value) {
  auto narrow = static_cast<uint32_t>(value);
  memcpy(out, &narrow, sizeof narrow);
}

// Fills in the last four bytes of an instruction: a distance that counts from
// the instruction's end. `shift` is the distance from where the instruction is
// written to where it runs.
static void lead(uint8_t *field, uint64_t shift, uint64_t to) {
  put32(field, to - (reinterpret_cast<uint64_t>(field) + shift + 4));
}
static uint64_t shiftOf(const uint8_t *out, uint64_t address) {
  return address - reinterpret_cast<uint64_t>(out);
}

// Whether no register is free at the site, r11 and the flags included.
static bool isFull(const tprt_site &site) {
  return site.event.kind == TPRT_KIND_TAIL_EXIT ||
         site.needs & TPRT_NEEDS_OTHER;
}

// Where a thread goes on after a hit that was not at a ret.
static uint64_t resumeAt(const tprt_site &site) {
  return reinterpret_cast<uint64_t>(site.sled()) + sledBytes(site);
}

void initialiseData(StubData &data, tprt_site &site) {
  data.siteAt = indexOf(&site) * static_cast<uint32_t>(sizeof site);
  data.resume =
      static_cast<int32_t>(resumeAt(site) - reinterpret_cast<uint64_t>(&data));
}

// Which trampoline a site's stub leads to, by what is live at the site, if
// isFull() is false. A return that is not a ret by itself has its sled in front
// and goes on there. So it does not use kExit and kExitOne, which end in the
// ret.
static Trampoline trampolineOf(const tprt_site &site) {
  // Indexed by TPRT_LIVE_...; first with vectors, then without.
  static constexpr uint8_t entry[2][4] = {
      {kEntry, kEntryThreeVectors, kEntryThreeVectors, kEntry},
      {kEntry, kEntryOne, kEntryThree, kEntryArguments}};
  static constexpr uint8_t exit[2][4] = {{kExit, kExit, kExit, kExit},
                                         {kExit, kExitOne, kExit, kExit}};
  static_assert(TPRT_LIVE_ALL == 0 && TPRT_LIVE_ONE == 1 &&
                TPRT_LIVE_THREE == 2 && TPRT_LIVE_ARGUMENTS == 3);
  bool isExit = site.event.kind == TPRT_KIND_EXIT;
  if (isExit && site.shape() != TPRT_SHAPE_RET)
    return kEntry;
  bool plain = site.traits & TPRT_RECORD_NO_VECTORS;
  return static_cast<Trampoline>((isExit ? exit : entry)[plain][site.live()]);
}

// The header has the trampolines' addresses, for stubs that no copy of the
// trampolines is near.
void writeStubHeader(uint8_t *out, uint64_t, uint64_t) {
  static_assert(kStubHeaderBytes == 8 * kTrampolines);
  for (unsigned i = 0; i < kTrampolines; ++i) {
    uint64_t code = ownTrampoline(static_cast<Trampoline>(i));
    memcpy(out + 8 * i, &code, sizeof code);
  }
}

// Writes seven bytes that jump to the trampoline or call it. The direct call
// ends where the indirect call does. The bytes behind the direct jump are never
// executed.
static void writeWay(uint8_t *out, uint64_t shift, uint64_t header,
                     Trampoline which) {
  static constexpr uint8_t ways[2][2][7] = {
      {{0x3e, 0xff, 0x25}, {0xe9, 0, 0, 0, 0, 0xcc, 0xcc}}, // notrack jmp; jmp
      {{0x3e, 0xff, 0x15}, {0x66, 0x90, 0xe8}}, // notrack call; nop, call
  };
  bool call = which == kFull;
  size_t end = call ? 7 : 5;
  uint64_t code =
      trampolineWithin(which, reinterpret_cast<uint64_t>(out) + shift + end);
  memcpy(out, ways[call][code != 0], 7);
  lead(code ? out + end - 4 : out + 3, shift, code ? code : header + 8 * which);
}

void writeStub(uint8_t *out, uint64_t address, uint64_t header, uint64_t data,
               const tprt_site &site) {
  static constexpr uint8_t load[7] = {0x4c, 0x8d, 0x1d}; // lea data(%rip), %r11
  uint64_t shift = shiftOf(out, address);
  bool full = isFull(site);
  memset(out, 0xcc, kStubBytes);
  writeWay(full ? out : out + 7, shift, header,
           full ? kFull : trampolineOf(site));
  if (!full) {
    memcpy(out, load, sizeof load);
    return lead(out + 3, shift, data);
  }
  // Behind the call comes jmp to the end of the sled, or ret. Behind the ret,
  // the displacement is for unwinders only. They look at the byte before what
  // they take for a return address, so the displacement leads to the ret
  // itself.
  out[7] = site.shape() == TPRT_SHAPE_RET ? kRet : kJumpNear;
  lead(out + 8, shift, resumeAt(site));
  // The distance counts from the call's end.
  static_assert(7 + FULL_STUB_DATA + 4 == kStubBytes);
  lead(out + 7 + FULL_STUB_DATA, shift, data + FULL_STUB_DATA + 4);
}

// The offset of this thread's word from the thread pointer. It is the same in
// every thread (initial-exec model; Drepper, "ELF Handling For Thread-Local
// Storage", 4.4.6). It is read by assembly, because compilers subtract it from
// the GOT, and GNU ld cannot relax that in a static program.
static uint64_t firstCounterTlsOffset() {
  uint64_t offset;
  __asm__("movq __tprt_first_counter@gottpoff(%%rip), %0" : "=r"(offset));
  return offset;
}

bool canCountInStub(const tprt_site &site) { return !isFull(site); }

// The addition carries only if the word is negative and the thread has counters
// (counters.h); then the sum is the address of the site's counter. Tail exits
// have no such stub, because the flags and r11 are live there.
void writeCountStub(uint8_t *out, uint64_t address, uint64_t word,
                    uint64_t usual, const tprt_site &site) {
  static constexpr uint8_t code[kCountStubBytes] = {
      0x4c, 0x63, 0x1d, 0,    0,    0, 0,       // movslq word(%rip), %r11
      0x64, 0x4c, 0x03, 0x1c, 0x25, 0, 0, 0, 0, // addq %fs:counter, %r11
      0x0f, 0x83, 0,    0,    0,    0,          // jnc usual
      0x49, 0xff, 0x03,                         // incq (%r11)
      0xe9, 0,    0,    0,    0,                // jmp end of the sled
      0xcc, 0xcc,
  };
  uint64_t shift = shiftOf(out, address);
  memcpy(out, code, sizeof code);
  lead(out + 3, shift, word);
  put32(out + 12, firstCounterTlsOffset());
  lead(out + 18, shift, usual);
  if (site.shape() == TPRT_SHAPE_RET)
    out[25] = kRet;
  else
    lead(out + 26, shift, resumeAt(site));
}

// The code may be called: it begins with a landing pad for IBT. Then it jumps
// behind the sled, which may be on.
void writeOriginal(uint8_t *out, uint64_t address, const tprt_site &site) {
  static constexpr uint8_t code[9] = {0xf3, 0x0f, 0x1e, 0xfa,
                                      0xe9}; // endbr64; jmp end of the sled
  memcpy(out, code, sizeof code);
  lead(out + 5, shiftOf(out, address), resumeAt(site));
}

uint64_t addOne(uint64_t *counter) {
  __asm__ volatile("incq %0" : "+m"(*counter));
  return *counter;
}

uint64_t readTicks() { return __builtin_ia32_rdtsc(); }

} // namespace tprt
