// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// x86-64 stubs. They are written before they are executable, and are final from
// then on. Called under the lock, except addOne().
#include "core/arch.h"
#include "core/plain/cursor.h"
#include "frame.h"
#include "trampolines.h"

#include <stddef.h>
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
static bool needsFullStub(const tprt_site &site) {
  return site.event.kind == TPRT_KIND_TAIL_EXIT ||
         (site.needs & TPRT_NEEDS_OTHER && !site.isPoint());
}

static bool isCall(const tprt_site &site) {
  return site.isInstruction() && codeOf(site).means == Means::Call;
}

static uint64_t endOf(const tprt_site &site) {
  return reinterpret_cast<uint64_t>(site.sled()) + sledBytes(site);
}

// Where a thread goes on after a hit that was not at a ret.
static uint64_t resumeAt(const tprt_site &site) {
  return site.shape() == TPRT_SHAPE_CODE ? displacedOf(site) : endOf(site);
}

// Trampolines of the full kind read `resume` for unwinders alone, which are to
// see the program's code and not the copy of an instruction.
void initialiseData(StubData &data, tprt_site &site) {
  data.siteAt = indexOf(&site) * static_cast<uint32_t>(sizeof site);
  data.resume =
      static_cast<int32_t>(endOf(site) - reinterpret_cast<uint64_t>(&data));
}

// Which trampoline a site's stub leads to, by what is live at the site, if
// needsFullStub() is false. A return that is not a ret by itself has its sled
// in front and goes on there. So it does not use kExit and kExitOne, which end
// in the ret.
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
  if (site.isPoint())
    return kPoint;
  if (isExit && site.shape() != TPRT_SHAPE_RET)
    return kEntry;
  bool plain = site.traits & TPRT_RECORD_NO_VECTORS;
  return static_cast<Trampoline>((isExit ? exit : entry)[plain][site.live()]);
}

// Behind the trampolines' addresses the header has code, which the stubs of
// gates call.
static constexpr size_t kHeaderCode = 8 * kTrampolines;
// In a gate's stub: the offset of the call's end.
static constexpr size_t kGateCalled = 9;

// At a gate no register is free. So r11 is pushed, and StubData's address is
// found from the call's return address: stubs and their data are of one size.
static void writeGateHeader(uint8_t *out, uint64_t address, uint64_t data) {
  static constexpr uint8_t code[] = {
      0x41, 0x53,                         // pushq %r11
      0x4c, 0x8b, 0x5c, 0x24, 0x08,       // movq 8(%rsp), %r11
      0x4d, 0x8d, 0x9b, 0,    0,    0, 0, // leaq bias(%r11), %r11
      0x3e, 0xff, 0x25, 0,    0,    0, 0, // notrack jmp *trampoline
  };
  static_assert(kHeaderCode + sizeof code <= kStubHeaderBytes);
  static_assert(kStubHeaderBytes % kStubBytes == 0 &&
                kStubBytes == sizeof(StubData));
  memcpy(out + kHeaderCode, code, sizeof code);
  put32(out + kHeaderCode + 10,
        data - (address + kStubHeaderBytes + kGateCalled));
  lead(out + kHeaderCode + 17, shiftOf(out, address), address + 8 * kGateCount);
}

// The header has the trampolines' addresses, for stubs that no copy of the
// trampolines is near.
void writeStubHeader(uint8_t *out, uint64_t address, uint64_t data, bool) {
  for (unsigned i = 0; i < kTrampolines; ++i) {
    uint64_t code = ownTrampoline(static_cast<Trampoline>(i));
    memcpy(out + 8 * i, &code, sizeof code);
  }
  writeGateHeader(out, address, data);
}

// A gate's stub leaves the red zone alone, and the trampoline that returns to
// it gives the 128 bytes back. A gate is in front of code that does not need
// the flags.
static void writeGateStub(uint8_t *out, uint64_t address, uint64_t header,
                          const tprt_site &site) {
  static constexpr uint8_t code[14] = {
      0x48, 0x83, 0xc4, 0x80,    // addq $-RED_ZONE, %rsp
      0xe8, 0,    0,    0,    0, // call header
      0xe9, 0,    0,    0,    0, // jmp behind the gate
  };
  static_assert(RED_ZONE == 128 && kGateCalled == 9);
  uint64_t shift = shiftOf(out, address);
  memcpy(out, code, sizeof code);
  lead(out + 5, shift, header + kHeaderCode);
  lead(out + 10, shift, resumeAt(site));
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
  bool call = which == kFull || which == kInner;
  size_t end = call ? 7 : 5;
  uint64_t code =
      trampolineWithin(which, reinterpret_cast<uint64_t>(out) + shift + end);
  memcpy(out, ways[call][code != 0], 7);
  lead(code ? out + end - 4 : out + 3, shift, code ? code : header + 8 * which);
}

// --- stubs at instructions ---------------------------------------------------
//
// A function may keep 128 bytes below rsp (psABI, 3.2.2). A signal leaves these
// alone as well, but nothing further down, so rsp is moved before anything is
// stored. lea leaves the flags alone. A call has pushed its return address
// before it comes here, and there lies no data below rsp at a call.

// How much a call has moved rsp.
static int64_t pushedAt(const tprt_site &site) { return isCall(site) ? 8 : 0; }

constexpr size_t kMoveBytes = 8, kShortMoveBytes = 5;

// lea bytes(%rsp), %rsp
static void writeMove(uint8_t *out, int64_t bytes) {
  static constexpr uint8_t move[4] = {0x48, 0x8d, 0xa4, 0x24};
  memcpy(out, move, sizeof move);
  put32(out + sizeof move, static_cast<uint64_t>(bytes));
}
static void writeShortMove(uint8_t *out, int64_t bytes) {
  static constexpr uint8_t move[4] = {0x48, 0x8d, 0x64, 0x24};
  memcpy(out, move, sizeof move);
  out[4] = static_cast<uint8_t>(bytes);
}

// What the full stubs have behind their call: a nop of nine bytes, of which the
// last four say where StubData is.
static constexpr uint8_t kDataNop[FULL_STUB_DATA] = {0x66, 0x0f, 0x1f, 0x84,
                                                     0x00};

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

// A counting stub. Two pushes keep rcx and rax.
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

static int64_t belowInCount(size_t inside, int64_t pushed) {
  if (inside < kShortMoveBytes || (inside >= 44 && inside < 49) || inside >= 58)
    return pushed;
  if (inside == 5 || (inside >= 36 && inside < 44) || inside >= 50)
    return RED_ZONE;
  return RED_ZONE + (inside >= 20 && inside < 35 ? 16 : 8);
}

static int64_t belowInRecord(size_t inside, int64_t pushed);

int64_t stackBelow(InnerStub stub, size_t inside, const tprt_site &site) {
  int64_t pushed = pushedAt(site);
  switch (stub) {
  case InnerStub::Counting:
    return belowInCount(inside, pushed);
  case InnerStub::Recording:
    return belowInRecord(inside, pushed);
  case InnerStub::General:
    break;
  }
  return inside < kMoveBytes || inside >= kInnerStubBytes ? pushed
                                                          : INNER_BELOW;
}

void writeStub(uint8_t *out, uint64_t address, uint64_t header, uint64_t data,
               uint64_t, const tprt_site &site) {
  if (site.isInstruction())
    return writeInnerStub(out, address, header, data, site);
  static constexpr uint8_t load[7] = {0x4c, 0x8d, 0x1d}; // lea data(%rip), %r11
  uint64_t shift = shiftOf(out, address);
  bool full = needsFullStub(site);
  memset(out, 0xcc, kStubBytes);
  if (site.isGate())
    return writeGateStub(out, address, header, site);
  writeWay(full ? out : out + 7, shift, header,
           full ? kFull : trampolineOf(site));
  if (!full) {
    memcpy(out, load, sizeof load);
    return lead(out + 3, shift, data);
  }
  // Behind the call comes jmp to where the thread goes on, or ret. In code the
  // copy of the instruction comes right behind the stub, and a nop leads there.
  if (site.shape() == TPRT_SHAPE_CODE) {
    memcpy(out + 7, kDataNop, sizeof kDataNop);
  } else {
    out[7] = site.shape() == TPRT_SHAPE_RET ? kRet : kJumpNear;
    lead(out + 8, shift, resumeAt(site));
  }
  // The distance counts from the call's end.
  static_assert(7 + FULL_STUB_DATA + 4 == kStubBytes);
  lead(out + 7 + FULL_STUB_DATA, shift, data + FULL_STUB_DATA + 4);
}

// The stubs below find the thread's words by their offset from the thread
// pointer. In dynamic TLS there is no such offset, and the trampolines do what
// these stubs would do.
#ifdef TPRT_DYNAMIC_TLS
#define TLS_OFFSET(symbol, to) to = 0
static constexpr bool kHasTlsOffsets = false;
#else
// An offset is the same in every thread (initial-exec model; Drepper, "ELF
// Handling For Thread-Local Storage", 4.4.6). It is read by assembly, because
// compilers subtract it from the GOT, and GNU ld cannot relax that in a static
// program.
#define TLS_OFFSET(symbol, to)                                                 \
  __asm__("movq " symbol "@gottpoff(%%rip), %0" : "=r"(to))
static constexpr bool kHasTlsOffsets = true;
#endif

static uint64_t firstCounterTlsOffset() {
  uint64_t offset;
  TLS_OFFSET("__tprt_first_counter", offset);
  return offset;
}

bool canCountInStub(const tprt_site &site) {
  return kHasTlsOffsets && !needsFullStub(site) && !site.isGate();
}

// The addition carries only if the word is negative and the thread has counters
// (counters.h); then the sum is the address of the site's counter. Tail exits
// have no such stub, because the flags and r11 are live there.
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

// No register is free here, and the flags are kept. Nothing that the function
// needs lies below rsp (docs/code-probes.md), and a signal leaves 128 bytes
// there alone (psABI, 3.2.2). So the stub moves no stack pointer, and an
// unwinder that starts anywhere in it finds what it would find at the site.
// jrcxz leaves the flags alone. lahf reads all flags that count except OF
// (Intel SDM vol. 2, LAHF); 127 + 1 overflows.
bool canCountInFullStub(const tprt_site &site) {
  return kHasTlsOffsets && site.shape() == TPRT_SHAPE_CODE;
}

void writeFullCountStub(uint8_t *out, uint64_t address, uint64_t word,
                        uint64_t general, int32_t counter,
                        const tprt_site &site) {
  static constexpr uint8_t code[kFullCountStubBytes] = {
      0x48, 0x89, 0x4c, 0x24, 0xf8,       // movq %rcx, -8(%rsp)
      0x48, 0x63, 0x0d, 0,    0,    0, 0, // movslq word(%rip), %rcx
      0x64, 0x48, 0x8b, 0x09,             // movq %fs:(%rcx), %rcx
      0xe3, 0x22,                         // jrcxz other
      0x48, 0x89, 0x44, 0x24, 0xf0,       // movq %rax, -16(%rsp)
      0x9f,                               // lahf
      0x0f, 0x90, 0xc0,                   // seto %al
      0x48, 0xff, 0x81, 0,    0,    0, 0, // incq counter(%rcx)
      0x04, 0x7f,                         // addb $127, %al
      0x9e,                               // sahf
      0x48, 0x8b, 0x44, 0x24, 0xf0,       // movq -16(%rsp), %rax
      0x48, 0x8b, 0x4c, 0x24, 0xf8,       // movq -8(%rsp), %rcx
      0xe9, 0,    0,    0,    0,          // jmp copy of the instruction
      0x48, 0x8b, 0x4c, 0x24, 0xf8,       // other: movq -8(%rsp), %rcx
      0xe9, 0,    0,    0,    0,          // jmp general
      0xcc, 0xcc,
  };
  if (site.isInstruction())
    return writeInnerCountStub(out, address, word, general, counter, site);
  uint64_t shift = shiftOf(out, address);
  memcpy(out, code, sizeof code);
  lead(out + 8, shift, word);
  put32(out + 30, static_cast<uint64_t>(int64_t{counter}));
  lead(out + 48, shift, resumeAt(site));
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

// --- recording stubs --------------------------------------------------------

static uint64_t recordTlsOffset() {
  uint64_t offset;
  TLS_OFFSET("__tprt_record", offset);
  return offset;
}

bool canRecordInStub(const tprt_site &site) {
  return kHasTlsOffsets && site.isOfFunction();
}

// How a recording stub gets registers to work with, by what is live at the
// site. The recording code changes rax, rdx, r11 and the flags, and keeps rax
// elsewhere while the counter is read. At entries and exits nothing lies below
// rsp, and a signal leaves 128 bytes there alone (psABI, 3.2.2).
static constexpr uint8_t kKeepBelow[] = {
    0x48, 0x89, 0x44, 0x24, 0xe8, // movq %rax, -24(%rsp)
};
static constexpr uint8_t kTakeBelow[] = {
    0x48, 0x8b, 0x44, 0x24, 0xe8, // movq -24(%rsp), %rax
};

// At an entry r11 and the flags are free.
static constexpr uint8_t kSaveEntry[] = {
    0x48, 0x89, 0x44, 0x24, 0xf8, // movq %rax, -8(%rsp)
    0x48, 0x89, 0x54, 0x24, 0xf0, // movq %rdx, -16(%rsp)
};
static constexpr uint8_t kRestoreEntry[] = {
    0x48, 0x8b, 0x54, 0x24, 0xf0, // movq -16(%rsp), %rdx
    0x48, 0x8b, 0x44, 0x24, 0xf8, // movq -8(%rsp), %rax
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

// In the full kind nothing is free. lahf reads all flags that count except OF
// (Intel SDM vol. 2, LAHF); 127 + 1 overflows.
static constexpr uint8_t kSaveFull[] = {
    0x48, 0x89, 0x44, 0x24, 0xf8, // movq %rax, -8(%rsp)
    0x48, 0x89, 0x54, 0x24, 0xf0, // movq %rdx, -16(%rsp)
    0x4c, 0x89, 0x5c, 0x24, 0xe0, // movq %r11, -32(%rsp)
    0x9f,                         // lahf
    0x0f, 0x90, 0xc0,             // seto %al
    0x48, 0x89, 0x44, 0x24, 0xd8, // movq %rax, -40(%rsp)
};
static constexpr uint8_t kRestoreFull[] = {
    0x48, 0x8b, 0x44, 0x24, 0xd8, // movq -40(%rsp), %rax
    0x04, 0x7f,                   // addb $127, %al
    0x9e,                         // sahf
    0x4c, 0x8b, 0x5c, 0x24, 0xe0, // movq -32(%rsp), %r11
    0x48, 0x8b, 0x54, 0x24, 0xf0, // movq -16(%rsp), %rdx
    0x48, 0x8b, 0x44, 0x24, 0xf8, // movq -8(%rsp), %rax
};

namespace {
struct Frame {
  const uint8_t *save, *restore, *keep, *take;
  size_t saveBytes, restoreBytes;
};
} // namespace

static Frame frameFor(const tprt_site &site) {
  if (needsFullStub(site))
    return {kSaveFull,  kRestoreFull,     kKeepBelow,
            kTakeBelow, sizeof kSaveFull, sizeof kRestoreFull};
  if (site.event.kind == TPRT_KIND_EXIT)
    return {kSaveExit, kRestoreExit,     kKeepExit,
            kTakeExit, sizeof kSaveExit, sizeof kRestoreExit};
  return {kSaveEntry, kRestoreEntry,     kKeepBelow,
          kTakeBelow, sizeof kSaveEntry, sizeof kRestoreEntry};
}

// The place for the event is claimed by one instruction, which needs no lock
// prefix, because only this thread writes its cursor. The claim succeeds only
// if no signal handler has claimed anything since the place was read, which was
// before the counter was. So a thread's events are in the order of their times,
// and the place is in a block whose epoch is that of the counter.
static constexpr uint8_t kRecordCode[] = {
    0x64, 0x48, 0x8b, 0x04, 0x25, 0,    0, 0, 0, // again: movq %fs:next, %rax
    0x44, 0x8b, 0x1d, 0,    0,    0,    0,       // movl word(%rip), %r11d
    0,    0,    0,    0,    0,                   // keep rax
    0x45, 0x85, 0xdb,                            // testl %r11d, %r11d
    0x74, 0,                                     // jz other way
    0xa9, 0xc0, 0xff, 0x00, 0x00,                // testl $0xffc0, %eax
    0x74, 0,                                     // jz other way
    0x0f, 0x31,                                  // rdtsc
    0x64, 0x39, 0x14, 0x25, 0,    0,    0, 0,    // cmpl %edx, %fs:epoch
    0x75, 0,                                     // jne other way
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

// Writes the recording code. `behind` is how far behind the code the other way
// begins.
static void writeRecordCode(uint8_t *out, uint64_t shift, uint64_t word,
                            const Frame &frame, size_t behind) {
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
    out[jump] = static_cast<uint8_t>(sizeof kRecordCode + behind - (jump + 1));
}

void writeRecordStub(uint8_t *out, uint64_t address, uint64_t word,
                     uint64_t general, const tprt_site &site) {
  const Frame frame = frameFor(site);
  constexpr size_t kJumpBytes = 5;
  static_assert(kShortMoveBytes + sizeof kSaveFull + sizeof kRecordCode +
                    2 * (sizeof kRestoreFull + kMoveBytes + kJumpBytes) <=
                kRecordStubBytes);
  const bool isInner = site.isInstruction();
  const int64_t moved = RED_ZONE - pushedAt(site);
  uint64_t shift = shiftOf(out, address);
  memset(out, 0xcc, kRecordStubBytes);
  if (isInner) {
    writeShortMove(out, -moved);
    out += kShortMoveBytes;
  }
  memcpy(out, frame.save, frame.saveBytes);
  out += frame.saveBytes;
  writeRecordCode(out, shift, word, frame,
                  frame.restoreBytes + kJumpBytes + (isInner ? kMoveBytes : 0));
  out += sizeof kRecordCode;
  // 0 stands for the ret that was there.
  const uint64_t ways[] = {site.shape() == TPRT_SHAPE_RET ? 0 : resumeAt(site),
                           general};
  for (uint64_t to : ways) {
    memcpy(out, frame.restore, frame.restoreBytes);
    out += frame.restoreBytes;
    if (isInner) {
      writeMove(out, moved);
      out += kMoveBytes;
    }
    *out = to ? kJumpNear : kRet;
    if (to)
      lead(out + 1, shift, to);
    out += kJumpBytes;
  }
}

static int64_t belowInRecord(size_t inside, int64_t pushed) {
  constexpr size_t kEnd = kShortMoveBytes + sizeof kSaveFull +
                          sizeof kRecordCode + sizeof kRestoreFull + kMoveBytes,
                   kOther = kEnd + 5,
                   kOtherEnd = kOther + sizeof kRestoreFull + kMoveBytes;
  bool isMoved = inside >= kShortMoveBytes && inside < kOtherEnd &&
                 (inside < kEnd || inside >= kOther);
  return isMoved ? RED_ZONE : pushed;
}

// No stub is far.
void writeWayBack(uint8_t *, uint64_t, const tprt_site &) {}

// The code may be called: it begins with a landing pad for IBT. Then it jumps
// behind the sled, which may be on.
void writeOriginal(uint8_t *out, uint64_t address, uint64_t,
                   const tprt_site &site) {
  static constexpr uint8_t code[9] = {0xf3, 0x0f, 0x1e, 0xfa,
                                      0xe9}; // endbr64; jmp end of the sled
  memcpy(out, code, sizeof code);
  lead(out + 5, shiftOf(out, address), resumeAt(site));
}

uint64_t addOne(uint64_t *counter) {
  __asm__ volatile("incq %0" : "+m"(*counter));
  return *counter;
}

bool exchangeOn(uint64_t *word, uint64_t expected, uint64_t wanted) {
  bool done;
  __asm__ volatile("cmpxchgq %3, %0"
                   : "+m"(*word), "+a"(expected), "=@ccz"(done)
                   : "r"(wanted)
                   : "memory");
  return done;
}

void clearWords(uint64_t *words, size_t count) {
  __asm__ volatile("rep stosq"
                   : "+D"(words), "+c"(count)
                   : "a"(uint64_t{0})
                   : "memory");
}

} // namespace tprt
