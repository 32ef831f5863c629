// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declarations for stub.cpp, countstub.cpp and recordstub.cpp. Called under the
// lock.
//
// A stub is written to `out` and runs later at another address, `address`.
#ifndef TPRT_ARCH_STUB_H
#define TPRT_ARCH_STUB_H

#include "frame.h"
#include "sites/arch.h"

#include <string.h>

namespace tprt {

inline void put32(uint8_t *out, uint64_t value) {
  auto narrow = static_cast<uint32_t>(value);
  memcpy(out, &narrow, sizeof narrow);
}

// Fills in the last four bytes of an instruction: a distance relative to the
// instruction's end. `shift` is the distance from the address of the written
// instruction to the address at which it runs.
inline void lead(uint8_t *field, uint64_t shift, uint64_t to) {
  put32(field, to - (reinterpret_cast<uint64_t>(field) + shift + 4));
}
inline uint64_t shiftOf(const uint8_t *out, uint64_t address) {
  return address - reinterpret_cast<uint64_t>(out);
}

// Whether no register is free at the site, including r11 and the flags.
inline bool needsFullStub(const tprt_site &site) {
  return site.event.kind == TPRT_KIND_TAIL_EXIT ||
         (site.needs & TPRT_NEEDS_OTHER && !site.isPoint());
}

inline bool isCall(const tprt_site &site) {
  return site.isInstruction() && codeOf(site).means == Means::Call;
}

inline uint64_t endOf(const tprt_site &site) {
  return reinterpret_cast<uint64_t>(site.sled()) + sledBytes(site);
}

// The address at which a thread continues after a hit that was not at a ret.
inline uint64_t resumeAt(const tprt_site &site) {
  return site.shape() == TPRT_SHAPE_CODE ? displacedOf(site) : endOf(site);
}
// The address at which a thread continues after a hit that has not undone
// pushes.
inline uint64_t resumeAfterPushes(const tprt_site &site) {
  return resumeAt(site) + (isAfterPushes(site) ? codeOf(site).pushBytes : 0u);
}

// --- stubs at instructions ---------------------------------------------------
//
// And stubs at entries and exits where keepsBelow() holds (sites/arch.h).
//
// A function may keep data in the 128 bytes below rsp (psABI, 3.2.2). A signal
// preserves these bytes, but no bytes below them. So rsp is moved before any
// data is stored. lea does not change the flags. A call has already pushed its
// return address, and at a call the function keeps no data below rsp.

// How much a call has moved rsp.
inline int64_t pushedAt(const tprt_site &site) { return isCall(site) ? 8 : 0; }

inline constexpr size_t kMoveBytes = 8, kShortMoveBytes = 5;

// lea bytes(%rsp), %rsp
inline void writeMove(uint8_t *out, int64_t bytes) {
  static constexpr uint8_t move[4] = {0x48, 0x8d, 0xa4, 0x24};
  memcpy(out, move, sizeof move);
  put32(out + sizeof move, static_cast<uint64_t>(bytes));
}
inline void writeShortMove(uint8_t *out, int64_t bytes) {
  static constexpr uint8_t move[4] = {0x48, 0x8d, 0x64, 0x24};
  memcpy(out, move, sizeof move);
  out[4] = static_cast<uint8_t>(bytes);
}

// For a thread that is `inside` bytes after the beginning of the counting or
// recording stub of a site with keepsBelow(): the distance in bytes between its
// stack pointer and the stack pointer at the site. `pushed` is pushedAt() of
// the site. Async-signal-safe.
int64_t belowInCount(size_t inside, int64_t pushed);
int64_t belowInRecord(size_t inside, int64_t pushed);

// --- words of the thread -----------------------------------------------------
//
// Counting and recording stubs find the thread's words by their offsets from
// the thread pointer. With dynamic TLS there is no such offset, and the
// trampolines do the work of these stubs.
#ifdef TPRT_DYNAMIC_TLS
#define TLS_OFFSET(symbol, to) to = 0
inline constexpr bool kHasTlsOffsets = false;
#else
// An offset is the same in every thread (initial-exec model; Drepper, "ELF
// Handling For Thread-Local Storage", 4.4.6). The offset is read by assembly,
// because compilers subtract it from the GOT, and GNU ld cannot relax that in a
// static program.
#define TLS_OFFSET(symbol, to)                                                 \
  __asm__("movq " symbol "@gottpoff(%%rip), %0" : "=r"(to))
inline constexpr bool kHasTlsOffsets = true;
#endif

} // namespace tprt

#endif
