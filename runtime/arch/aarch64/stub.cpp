// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// AArch64 stubs, and the header before a region's stubs, which all of them
// call. They are written before they become executable, and do not change
// afterwards. trampoline.S shows the whole path of a hit. Called under the
// lock.
#include "code_patch.h"
#include "frame.h"
#include "sites/arch.h"

#include <string.h>

extern "C" {
void __tprt_four();
void __tprt_four_vectors();
void __tprt_eight();
void __tprt_eight_vectors();
void __tprt_all_trampoline();
void __tprt_whole_trampoline();
void __tprt_inner_trampoline();
void __tprt_redirect_trampoline();
void __tprt_count_trampoline();
void __tprt_whole_count_trampoline();
void __tprt_inner_count_trampoline();
}

namespace tprt {

// B reaches 128 MiB. The subtracted bytes leave room for the sled and the stub
// themselves.
const int64_t kStubReach = (int64_t{1} << 27) - 4096;

// The header's two entry points: for stubs of sites at which all registers must
// be saved, and for all other stubs.
static constexpr size_t kHeaderWhole = 0;
static constexpr size_t kHeaderUsual = 8;
static constexpr size_t kHeaderSelf = 56;

static uint32_t branch(uint32_t opcode, uint64_t from, uint64_t to) {
  return opcode | (static_cast<uint32_t>(static_cast<int64_t>(to - from) >> 2) &
                   0x3ffffff);
}

// Whether all registers must be saved. The target and the arguments of a tail
// call may be in any register, and so may the arguments of another calling
// convention.
static bool isWhole(const tprt_site &site) {
  return site.event.kind == TPRT_KIND_TAIL_EXIT ||
         site.needs & TPRT_NEEDS_OTHER;
}

// The end of a far stub: cbz xzr, which always branches, up to 1 MiB forwards.
// A near stub ends with `b`. The CFI of trampoline.S distinguishes the two by
// bit 31.
static uint32_t branchToWayBack(uint64_t from, uint64_t to) {
  return 0xb400001f | static_cast<uint32_t>((to - from) >> 2) << 5;
}

// The field of stp and ldp for a change of sp by this number of bytes: it has
// seven bits, and counts in units of eight bytes.
static uint32_t framePairs(uint32_t bytes) { return (bytes / 8 & 0x7f) << 15; }

void writeStub(uint8_t *out, uint64_t address, uint64_t header, uint64_t data,
               uint64_t wayBack, const tprt_site &site) {
  // In code without sleds, the code after the stub is its return path, in the
  // same form as that of a far stub. So the CFI finds the word at the same
  // offset.
  if (site.shape() == TPRT_SHAPE_CODE) {
    wayBack = address + kStubBytes;
    memcpy(out + kStubBytes + kCopyData, &data, sizeof data);
  }
  uint64_t enter = header + (isWhole(site) ? kHeaderWhole : kHeaderUsual);
  uint64_t after = reinterpret_cast<uint64_t>(site.sled()) + 4;
  uint32_t frame = site.isInstruction() ? INNER_FRAME_BYTES : FRAME_BYTES;
  uint32_t code[4] = {
      0xa9807bfd | framePairs(-frame),        // stp x29, x30, [sp, #-frame]!
      branch(0x94000000, address + 4, enter), // bl  header
      0xa8c07bfd | framePairs(frame),         // ldp x29, x30, [sp], #frame
      wayBack ? branchToWayBack(address + 12, wayBack)
              : branch(0x14000000, address + 12, after), // b past the sled
  };
  static_assert(sizeof code == kStubBytes);
  memcpy(out, code, sizeof code);
}

void writeWayBack(uint8_t *out, uint64_t, const tprt_site &site) {
  const ModulePlace *module = moduleAt[site.moduleNumber];
  uint64_t addresses[2] = {veneerOf(site, module->origin) + kVeneerBack,
                           reinterpret_cast<uint64_t>(site.sled()) + 4};
  static constexpr uint32_t code[] = {kLoadX16, kBranchX16};
  memcpy(out, code, sizeof code);
  memcpy(out + sizeof code, addresses, sizeof addresses);
  static_assert(sizeof code + sizeof addresses <= kWayBackBytes);
}

// The offset of a thread's block pointer from its thread pointer. It is the
// same in every thread (initial-exec model: ELF for the Arm 64-bit
// Architecture, "Thread Local Storage").
static uint64_t selfTlsOffset() {
  uint64_t offset;
  __asm__("adrp %0, :gottprel:__tprt_self\n\tldr %0, [%0, "
          ":gottprel_lo12:__tprt_self]"
          : "=r"(offset));
  return offset;
}

void writeStubHeader(uint8_t *out, uint64_t address, uint64_t data,
                     bool isCode) {
  // x30 is the return address into stub i: 16 * i + 8 bytes after the first
  // stub. The stub's StubData lies 24 * i bytes after `data`. So its address is
  // 1.5 times x30, plus a bias.
  uint32_t code[] = {
      0xa90e47f0, // stp  x16, x17, [sp, #FRAME_X16]
      0xf90047e9, // str  x9, [sp, #FRAME_X9]
      0x58000150, // ldr  x16, bias
      0xd53bd051, // mrs  x17, tpidr_el0
      0x58000149, // ldr  x9, self
      0x8b1e0210, // add  x16, x16, x30
      0xf8696a29, // ldr  x9, [x17, x9]
      0x8b5e0610, // add  x16, x16, x30, lsr #1
      0xf9400211, // ldr  x17, [x16]
      0xd61f0220, // br   x17
      0xd4200000, // brk  #0
      0xd4200000, // brk  #0
  };
  static_assert(sizeof code == kHeaderBias && kHeaderSelf == kHeaderBias + 8 &&
                kStubHeaderBytes == 64);
  static_assert(FRAME_X16 == 224 && FRAME_X9 == 136 && DATA_TARGET == 0 &&
                sizeof(StubData) == 24);
  // In code without sleds, stubs are further apart, and the address follows
  // each stub.
  static_assert(kBackToData == 32);
  if (isCode) {
    code[2] = 0xf94013d0; // ldr  x16, [x30, #32]
    code[5] = code[7] = kNop;
  }
  uint64_t back = address + kStubHeaderBytes + 8;
  uint64_t bias = isCode ? 0 : data - back - back / 2;
  uint64_t self = selfTlsOffset();
  memcpy(out, code, sizeof code);
  memcpy(out + kHeaderBias, &bias, sizeof bias);
  memcpy(out + kHeaderSelf, &self, sizeof self);
}

// There are no counting stubs. On AArch64 a counter needs a load and a store
// that may fail, so the additional call hardly matters.
bool canCountInStub(const tprt_site &) { return false; }
bool canCountInFullStub(const tprt_site &) { return false; }
void writeFullCountStub(uint8_t *, uint64_t, uint64_t, uint64_t, int32_t,
                        const tprt_site &) {}
int32_t wordOfFullCountStub(bool) { return 0; }
void writeCountStub(uint8_t *, uint64_t, uint64_t, uint64_t,
                    const tprt_site &) {}

// There are no recording stubs either: a site's hits are delivered to the
// recorder's handler.
bool canRecordInStub(const tprt_site &) { return false; }
void writeRecordStub(uint8_t *, uint64_t, uint64_t, uint64_t,
                     const tprt_site &) {}

template <class Code> static const void *at(Code *code) {
  return reinterpret_cast<const void *>(code);
}

static const void *trampolineOf(const tprt_site &site) {
  bool vectors = !(site.traits & TPRT_RECORD_NO_VECTORS);
  if (site.isInstruction())
    return at(&__tprt_inner_trampoline);
  if (isWhole(site))
    return at(&__tprt_whole_trampoline);
  switch (site.live()) {
  case TPRT_LIVE_ONE:
  case TPRT_LIVE_THREE:
    return vectors ? at(&__tprt_four_vectors) : at(&__tprt_four);
  case TPRT_LIVE_ARGUMENTS:
    return vectors ? at(&__tprt_eight_vectors) : at(&__tprt_eight);
  }
  return at(&__tprt_all_trampoline);
}

static const void *countTrampolineOf(const tprt_site &site) {
  if (site.isInstruction())
    return at(&__tprt_inner_count_trampoline);
  return isWhole(site) ? at(&__tprt_whole_count_trampoline)
                       : at(&__tprt_count_trampoline);
}

void leadTo(StubData &data, const tprt_site &site, uint32_t mode) {
  // Hits at a static branch are only counted, never delivered.
  if (site.isStaticBranch())
    mode = kCount;
  // The redirection's own trampoline keeps the registers that an entry of the
  // usual calling convention needs. In code without sleds, a function's
  // convention is unknown.
  if (mode == kRedirect && isWhole(site))
    mode = kSaveAll;
  const void *target = mode == kRedirect ? at(&__tprt_redirect_trampoline)
                       : mode != kCount  ? trampolineOf(site)
                                         : countTrampolineOf(site);
  __atomic_store_n(&data.target, target, __ATOMIC_RELEASE);
}

// This code may be called, so it begins with a landing pad for BTI. Then it
// jumps past the sled, which may be on.
void writeOriginal(uint8_t *out, uint64_t address, uint64_t wayBack,
                   const tprt_site &site) {
  uint64_t after = site.shape() == TPRT_SHAPE_CODE
                       ? displacedOf(site)
                       : reinterpret_cast<uint64_t>(site.sled()) + 4;
  uint32_t code[2] = {
      kLandingPad, branch(0x14000000, address + 4, wayBack ? wayBack : after)};
  memcpy(out, code, sizeof code);
}

// A core fetches instructions through a separate cache, which may not see
// stores. So the data lines are cleaned to the point of unification, and then
// the instruction lines are invalidated (Arm ARM, B2.4.4). CTR_EL0 gives the
// length of the lines, and whether each step is needed at all (IDC, DIC).
void publishCode(uint64_t address, size_t bytes) {
  uint64_t type;
  __asm__("mrs %0, ctr_el0" : "=r"(type));
  uint64_t end = address + bytes;
  if (!(type >> 28 & 1)) {
    uint64_t line = uint64_t{4} << (type >> 16 & 15);
    for (uint64_t at = address & ~(line - 1); at < end; at += line)
      __asm__ volatile("dc cvau, %0" ::"r"(at) : "memory");
  }
  __asm__ volatile("dsb ish" ::: "memory");
  if (!(type >> 29 & 1)) {
    uint64_t line = uint64_t{4} << (type & 15);
    for (uint64_t at = address & ~(line - 1); at < end; at += line)
      __asm__ volatile("ic ivau, %0" ::"r"(at) : "memory");
    __asm__ volatile("dsb ish" ::: "memory");
  }
  __asm__ volatile("isb" ::: "memory");
}

} // namespace tprt
