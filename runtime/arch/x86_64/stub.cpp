// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// x86-64 stubs, and the counting code in front of them. Written before they are
// executable; final from then on.
#include "core/arch.h"
#include "core/threads.h"

#include <string.h>

extern "C" {
void __tprt_entry_one();
void __tprt_entry_three();
void __tprt_entry_arguments();
void __tprt_entry_three_vectors();
void __tprt_entry_trampoline();
void __tprt_exit_one();
void __tprt_exit_trampoline();
void __tprt_full_trampoline();
void __tprt_redirect_trampoline();
void __tprt_count_trampoline();
void __tprt_full_count();
}

namespace tprt {

// rel32 reaches 2 GiB; less what sled, slot and jump themselves take.
const int64_t kStubReach = (int64_t{1} << 31) - 4096;

static void put32(uint8_t *out, int64_t value) {
  auto narrow = static_cast<int32_t>(value);
  memcpy(out, &narrow, sizeof narrow);
}

// Whether nothing at all is free at the site, r11 and the flags included.
static bool isFull(const tprt_site &site) {
  return site.event.event == TPRT_RECORD_TAIL_EXIT ||
         site.needs & TPRT_NEEDS_OTHER;
}

// Bytes of a nop sled, behind which the function goes on.
static unsigned resumeAfter(const tprt_site &site) {
  return site.shape() == TPRT_SHAPE_SHORT     ? 2
         : site.shape() == TPRT_SHAPE_FOREIGN ? site.size
                                              : 5;
}

void writeStub(uint8_t *out, uint64_t address, uint64_t, uint64_t data,
               const tprt_site &site) {
  static constexpr uint8_t code[16] = {
      0x4c, 0x8d, 0x1d, 0, 0, 0, 0, // lea data(%rip), %r11
      0x41, 0xff, 0x13,             // call *(%r11)
      0xe9, 0,    0,    0, 0,       // jmp end of the sled
      0xcc,
  };
  static constexpr uint8_t full[16] = {
      0xff, 0x15, 0,    0,    0,    0, // call *data(%rip)
      0xe9, 0,    0,    0,    0,       // jmp end of the sled
      0xcc, 0xcc, 0xcc, 0xcc, 0xcc,
  };
  unsigned call = isFull(site) ? 6 : 10;
  memcpy(out, isFull(site) ? full : code, sizeof code);
  put32(out + (isFull(site) ? 2 : 3),
        static_cast<int64_t>(data - (address + (isFull(site) ? 6 : 7))));
  // Behind a ret the displacement is for unwinders, which look at the byte
  // before what they take for a return address: it leads to the ret itself.
  unsigned sledBytes = site.shape() == TPRT_SHAPE_RET ? 1 : resumeAfter(site);
  if (site.shape() == TPRT_SHAPE_RET)
    out[call] = 0xc3;
  put32(out + call + 1,
        static_cast<int64_t>(reinterpret_cast<uint64_t>(site.sled()) +
                             sledBytes - (address + call + 5)));
}

// Offsets of this thread's words from the thread pointer, the same in every
// thread (initial-exec model; Drepper, "ELF Handling For Thread-Local Storage",
// 4.4.6). By hand: compilers subtract it from the GOT, which GNU ld cannot
// relax in a static program.
static int32_t countersTlsOffset() {
  int64_t offset;
  __asm__("movq __tprt_counters@gottpoff(%%rip), %0" : "=r"(offset));
  return static_cast<int32_t>(offset);
}
static int32_t firstCounterTlsOffset() {
  int64_t offset;
  __asm__("movq __tprt_first_counter@gottpoff(%%rip), %0" : "=r"(offset));
  return static_cast<int32_t>(offset);
}

bool canCountInStub(const tprt_site &site) { return !isFull(site); }

// The sum carries only if the word is negative and the thread has counters
// (threads.h); then it is the address of the site's counter. At a tail exit the
// flags would be live, and r11; there is no such stub.
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
  memcpy(out, code, sizeof code);
  put32(out + 3, static_cast<int64_t>(word - (address + 7)));
  put32(out + 12, firstCounterTlsOffset());
  put32(out + 18, static_cast<int64_t>(usual - (address + 22)));
  if (site.shape() == TPRT_SHAPE_RET)
    out[25] = 0xc3;
  else
    put32(out + 26,
          static_cast<int64_t>(reinterpret_cast<uint64_t>(site.sled()) +
                               resumeAfter(site) - (address + 30)));
}

void writeStubHeader(uint8_t *out, uint64_t, uint64_t) {
  // %r11: the site's StubData. A site is 32 bytes and a counter 8, so that the
  // site's address over 4, plus the thread's biased base, is its counter. Here
  // rather than in the library because the thread-pointer offset can then be an
  // immediate, and a hit costs no GOT load.
  static constexpr uint8_t code[] = {
      0xf3, 0x0f, 0x1e, 0xfa,                         // endbr64
      0x64, 0x48, 0x83, 0x3c, 0x25, 0, 0, 0, 0, 0x00, // cmpq $0, %fs:counters
      0x74, 0x15,                                     // je 1f
      0x4d, 0x8b, 0x5b, 0x10,                         // movq 16(%r11), %r11
      0x49, 0xc1, 0xeb, 0x02,                         // shrq $2, %r11
      0x64, 0x4c, 0x03, 0x1c, 0x25, 0, 0, 0, 0,       // addq %fs:counters, %r11
      0x49, 0xff, 0x03,                               // incq (%r11)
      0xc3,                                           // ret
      0xff, 0x25, 0,    0,    0,    0,                // 1: jmp *2f(%rip)
      0,    0,    0,    0,    0,    0, 0, 0, // 2: __tprt_count_trampoline
  };
  static_assert(sizeof code == 51 && 16 + 0x15 == 37 &&
                offsetof(StubData, site) == 16 && sizeof(tprt_site) == 8 << 2);
  memset(out, 0xcc, kStubHeaderBytes);
  memcpy(out, code, sizeof code);
  put32(out + 9, countersTlsOffset());
  put32(out + 29, countersTlsOffset());
  auto slow = reinterpret_cast<uint64_t>(&__tprt_count_trampoline);
  memcpy(out + 43, &slow, sizeof slow);
}

template <class Code> static const void *at(Code *code) {
  return reinterpret_cast<const void *>(code);
}

const void *countTarget(const tprt_site &site, uint64_t header) {
  return isFull(site) ? at(&__tprt_full_count)
                      : reinterpret_cast<const void *>(header);
}

const void *redirectTarget() { return at(&__tprt_redirect_trampoline); }

const void *trampolineOf(const tprt_site &site) {
  bool vectors = !(site.kind & TPRT_RECORD_NO_VECTORS);
  if (isFull(site))
    return at(&__tprt_full_trampoline);
  if (site.event.event == TPRT_RECORD_EXIT)
    return !vectors && site.live() == TPRT_LIVE_ONE
               ? at(&__tprt_exit_one)
               : at(&__tprt_exit_trampoline);
  switch (site.live()) {
  case TPRT_LIVE_ONE:
    return vectors ? at(&__tprt_entry_three_vectors) : at(&__tprt_entry_one);
  case TPRT_LIVE_THREE:
    return vectors ? at(&__tprt_entry_three_vectors) : at(&__tprt_entry_three);
  case TPRT_LIVE_ARGUMENTS:
    return vectors ? at(&__tprt_entry_trampoline) : at(&__tprt_entry_arguments);
  }
  return at(&__tprt_entry_trampoline);
}

// Callable: a landing pad for IBT, then past the sled, which may be on.
size_t writeOriginal(uint8_t *out, uint64_t address, const tprt_site &site) {
  static constexpr uint8_t code[9] = {0xf3, 0x0f, 0x1e, 0xfa,
                                      0xe9}; // endbr64; jmp end of the sled
  uint64_t resume = reinterpret_cast<uint64_t>(site.sled()) + resumeAfter(site);
  memcpy(out, code, sizeof code);
  put32(out + 5, static_cast<int64_t>(resume - (address + sizeof code)));
  return sizeof code;
}

uint64_t addOne(uint64_t *counter) {
  __asm__ volatile("incq %0" : "+m"(*counter));
  return *counter;
}

uint64_t readTicks() { return __builtin_ia32_rdtsc(); }

} // namespace tprt
