// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// x86-64 stubs, and the counting code in front of them. Written before they are
// executable; final from then on.
#include "core/arch.h"
#include "core/threads.h"

#include <string.h>

extern "C" void __tprt_entry_trampoline();
extern "C" void __tprt_count_trampoline();

namespace tprt {

const size_t kStubBytes = 16;
const size_t kStubHeaderBytes = 64;
// rel32 reaches 2 GiB; less what sled, slot and jump themselves take.
const int64_t kStubReach = (int64_t{1} << 31) - 4096;

static void put32(uint8_t *out, int64_t value) {
  auto narrow = static_cast<int32_t>(value);
  memcpy(out, &narrow, sizeof narrow);
}

void writeStub(uint8_t *out, uint64_t address, uint64_t data, const tprt_site &site) {
  static constexpr uint8_t code[16] = {
      0x4c, 0x8d, 0x1d, 0, 0, 0, 0, // lea data(%rip), %r11
      0x41, 0xff, 0x13,             // call *(%r11)
      0xe9, 0, 0, 0, 0,             // jmp end of the sled
      0xcc,
  };
  memcpy(out, code, sizeof code);
  put32(out + 3, static_cast<int64_t>(data - (address + 7)));
  uint64_t sledBytes = TPRT_RECORD_SHAPE(site.record.kind) == TPRT_SHAPE_SHORT ? 2 : 5;
  put32(out + 11, static_cast<int64_t>(reinterpret_cast<uint64_t>(site.sled) + sledBytes - (address + 15)));
}

// Offset of this thread's counter pointer from the thread pointer, the same in
// every thread (initial-exec model; Drepper, "ELF Handling For Thread-Local
// Storage", 4.4.6). By hand: compilers subtract it from the GOT, which GNU ld
// cannot relax in a static program.
static int32_t countersTlsOffset() {
  int64_t offset;
  __asm__("movq __tprt_counters@gottpoff(%%rip), %0" : "=r"(offset));
  return static_cast<int32_t>(offset);
}

void writeStubHeader(uint8_t *out, uint64_t) {
  // %r11: the site's StubData. A site is 64 bytes and a counter 8, so that the
  // site's address over 8, plus the thread's biased base, is its counter. Here rather than in the library because the
  // thread-pointer offset can then be an immediate, and a hit costs no GOT load.
  static constexpr uint8_t code[] = {
      0xf3, 0x0f, 0x1e, 0xfa,                         // endbr64
      0x64, 0x48, 0x83, 0x3c, 0x25, 0, 0, 0, 0, 0x00, // cmpq $0, %fs:counters
      0x74, 0x15,                                     // je 1f
      0x4d, 0x8b, 0x5b, 0x10,                         // movq 16(%r11), %r11
      0x49, 0xc1, 0xeb, 0x03,                         // shrq $3, %r11
      0x64, 0x4c, 0x03, 0x1c, 0x25, 0, 0, 0, 0,       // addq %fs:counters, %r11
      0x49, 0xff, 0x03,                               // incq (%r11)
      0xc3,                                           // ret
      0xff, 0x25, 0, 0, 0, 0,                         // 1: jmp *2f(%rip)
      0, 0, 0, 0, 0, 0, 0, 0,                         // 2: __tprt_count_trampoline
  };
  static_assert(sizeof code == 51 && 16 + 0x15 == 37 && offsetof(StubData, site) == 16 && sizeof(tprt_site) == 8 << 3);
  memset(out, 0xcc, kStubHeaderBytes);
  memcpy(out, code, sizeof code);
  put32(out + 9, countersTlsOffset());
  put32(out + 29, countersTlsOffset());
  auto slow = reinterpret_cast<uint64_t>(&__tprt_count_trampoline);
  memcpy(out + 43, &slow, sizeof slow);
}

uint64_t countTarget(uint64_t header) { return header; }

const void *entryTrampoline() { return reinterpret_cast<const void *>(&__tprt_entry_trampoline); }

void addOne(uint64_t *counter) { __asm__ volatile("incq %0" : "+m"(*counter)); }

} // namespace tprt
