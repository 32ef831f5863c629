// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// x86-64 stubs. Written before they are executable; final from then on.
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
void __tprt_entry_one_fast();
void __tprt_entry_three_fast();
void __tprt_entry_arguments_fast();
void __tprt_entry_fast();
void __tprt_exit_one_fast();
void __tprt_exit_fast();
void __tprt_fast_to_slow();
void __tprt_redirect_trampoline();
void __tprt_count_jmp();
void __tprt_count_ret();
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

// Where a hit that was not a return goes on.
static uint64_t resumeAt(const tprt_site &site) {
  return reinterpret_cast<uint64_t>(site.sled()) + sledBytes(site);
}

void initialiseData(StubData &data, tprt_site &site) {
  data.siteAt = indexOf(&site) * static_cast<uint32_t>(sizeof site);
  data.resume =
      static_cast<int32_t>(resumeAt(site) - reinterpret_cast<uint64_t>(&data));
}

void writeStub(uint8_t *out, uint64_t address, uint64_t, uint64_t data,
               const tprt_site &site) {
  static constexpr uint8_t code[16] = {
      0x4c, 0x8d, 0x1d, 0,    0,    0,    0, // lea data(%rip), %r11
      0x41, 0xff, 0x23,                      // jmp *(%r11)
      0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc,
  };
  static constexpr uint8_t full[16] = {
      0xff, 0x15, 0,    0,    0,    0, // call *data(%rip)
      0xe9, 0,    0,    0,    0,       // jmp end of the sled
      0xcc, 0xcc, 0xcc, 0xcc, 0xcc,
  };
  if (!isFull(site)) {
    memcpy(out, code, sizeof code);
    return put32(out + 3, static_cast<int64_t>(data - (address + 7)));
  }
  memcpy(out, full, sizeof full);
  put32(out + 2, static_cast<int64_t>(data - (address + 6)));
  // Behind a ret the displacement is for unwinders, which look at the byte
  // before what they take for a return address: it leads to the ret itself.
  if (site.shape() == TPRT_SHAPE_RET)
    out[6] = 0xc3;
  put32(out + 7, static_cast<int64_t>(resumeAt(site) - (address + 11)));
}

// Offset of this thread's word from the thread pointer, the same in every
// thread (initial-exec model; Drepper, "ELF Handling For Thread-Local Storage",
// 4.4.6). By hand: compilers subtract it from the GOT, which GNU ld cannot
// relax in a static program.
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
    put32(out + 26, static_cast<int64_t>(resumeAt(site) - (address + 30)));
}

void writeStubHeader(uint8_t *, uint64_t, uint64_t) {}

template <class Code> static const void *at(Code *code) {
  return reinterpret_cast<const void *>(code);
}

const void *countTarget(const tprt_site &site) {
  return isFull(site)                     ? at(&__tprt_full_count)
         : site.shape() == TPRT_SHAPE_RET ? at(&__tprt_count_ret)
                                          : at(&__tprt_count_jmp);
}

const void *redirectTarget() { return at(&__tprt_redirect_trampoline); }

namespace {
enum Trampoline {
  EntryOne,
  EntryThree,
  EntryArguments,
  EntryThreeVectors,
  Entry,
  ExitOne,
  Exit
};
} // namespace

// Which one, by what is live. A return that is not a ret by itself has its sled
// in front, and goes on there: exit_... end in the ret.
static Trampoline kindOf(const tprt_site &site) {
  bool vectors = !(site.kind & TPRT_RECORD_NO_VECTORS);
  if (site.event.event == TPRT_RECORD_EXIT)
    return site.shape() != TPRT_SHAPE_RET             ? Entry
           : !vectors && site.live() == TPRT_LIVE_ONE ? ExitOne
                                                      : Exit;
  switch (site.live()) {
  case TPRT_LIVE_ONE:
    return vectors ? EntryThreeVectors : EntryOne;
  case TPRT_LIVE_THREE:
    return vectors ? EntryThreeVectors : EntryThree;
  case TPRT_LIVE_ARGUMENTS:
    return vectors ? Entry : EntryArguments;
  }
  return Entry;
}

const void *trampolineOf(const tprt_site &site, bool fast) {
  static constexpr struct {
    void (*usual)(), (*fast)();
  } all[] = {
      {__tprt_entry_one, __tprt_entry_one_fast},
      {__tprt_entry_three, __tprt_entry_three_fast},
      {__tprt_entry_arguments, __tprt_entry_arguments_fast},
      // Without their vectors, which a fast one has no need to save.
      {__tprt_entry_three_vectors, __tprt_entry_three_fast},
      {__tprt_entry_trampoline, __tprt_entry_fast},
      {__tprt_exit_one, __tprt_exit_one_fast},
      {__tprt_exit_trampoline, __tprt_exit_fast},
  };
  if (isFull(site))
    return at(&__tprt_full_trampoline);
  const auto &one = all[kindOf(site)];
  return at(fast ? one.fast : one.usual);
}

tprt_handler fastHandler(tprt_handler handler, bool general) {
  return general ? handler
                 : reinterpret_cast<tprt_handler>(&__tprt_fast_to_slow);
}

// Callable: a landing pad for IBT, then past the sled, which may be on.
size_t writeOriginal(uint8_t *out, uint64_t address, const tprt_site &site) {
  static constexpr uint8_t code[9] = {0xf3, 0x0f, 0x1e, 0xfa,
                                      0xe9}; // endbr64; jmp end of the sled
  uint64_t resume = resumeAt(site);
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
