// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sites in code without sleds: what libtprt-code.so finds in a module's code
// (runtime/decode/), and what the flip engine needs to know of each. Plain
// data.
#ifndef TPRT_SITES_CODE_SITE_H
#define TPRT_SITES_CODE_SITE_H

#include "base/array.h"
#include "base/extent.h"
#include "sites/padding.h"

namespace tprt {

// How the instruction at a site becomes a jump. The bytes of one instruction
// are changed, never a neighbour's (docs/explanation/code-probes.md).
enum class Means : uint8_t {
  None, // It does not; `refusal` says why.
  // Five own bytes or more in one aligned word: jmp rel32. AArch64: b.
  Jump,
  ShortJump, // Two own bytes or more: jmp rel8 to dead bytes, which hold jmp
             // rel32.
  Return,    // A ret before four dead bytes, as TPRT_SHAPE_RET.
  // jmp rel32, or a jump through a word at a distance of 32 bits, whose last
  // bytes are those of the next instructions.
  Pun,
  Trap, // int3, where the probe asks for that.
  // A call: its distance is changed, such that it calls the stub. AArch64: bl.
  Call,
};

// What batches have done to a site, written under the lock (patch/overlap.h).
enum CodeUse : uint8_t {
  // It is on, or a batch is about to turn it on.
  kInUse = 1,
  // It was on, so its slot may hold a jump that a thread is on its way to.
  kWasUsed = 2,
  // Of an instruction: its slot is its own.
  kSlotChosen = 4
};

// CodeSite::starts of an instruction after which too little code follows, and
// of all of AArch64.
constexpr uint8_t kNoPun = 0xff;

// What a profiler is called for (elf/mcount_calls.h).
enum class Profiler : uint8_t {
  None,   // It is no call of a profiler.
  Fentry, // A function begins, in front of everything else: __fentry__.
  Mcount, // A function has begun: mcount.
  Enter,  // The same: __cyg_profile_func_enter.
  Exit,   // A function ends: __cyg_profile_func_exit.
};

constexpr unsigned kMostInstructionBytes = 15;
constexpr unsigned kDeadBytes = 5;
// CodeSite::pushes has so many bytes at most, and its instructions take so much
// stack at most.
constexpr unsigned kMostPushBytes = 7;
constexpr unsigned kMostPushed = 127;
// Room for a veneer: six nops.
constexpr uint32_t kVeneerRoom = 24;

// One instruction where a function begins or is left, or inside a function.
// Offsets are from the module's origin.
struct CodeSite {
  uint32_t at;
  uint32_t function; // Where its function begins.
  // ShortJump: where the dead bytes are. AArch64: where kVeneerRoom bytes of
  // nops lie in front of the function; 0: nowhere.
  uint32_t slot;
  uint8_t kind;   // enum tprt_kind
  uint8_t length; // The instruction's.
  Means means;
  uint8_t refusal; // tprt_refusal
  // The field in the instruction that counts from the instruction's end: its
  // offset and size in bytes. No field: 0.
  uint8_t field, fieldBytes;
  // The instruction as the reader found it, and the bytes after it.
  uint8_t code[kMostInstructionBytes + 5];
  // ShortJump: the dead bytes. Return: the first four are those after the ret.
  uint8_t dead[kDeadBytes];
  // How many bytes from its first one on may change: the instruction's, and
  // dead bytes right after it.
  uint8_t own;
  // Pun: at which of the jump's last four bytes, its distance, another
  // instruction begins; bit 0 is the first of these. Once it has islands:
  // where threads are to meet a breakpoint, for which there is an island
  // (text/pun_islands.h).
  uint8_t starts;
  // Not None: it is a call of a profiler, a jump to one, or the nop that a
  // compiler has left in place of a call. A hit continues after it, and the
  // profiler is not called.
  Profiler profiler;
  // It is neither where its function begins nor where it is left, and a site
  // for selectors with TPRT_SELECT_PROFILERS alone.
  bool isInside : 1;
  // A jump that leaves a function with another stack pointer than where the
  // function began: the last jump of longjmp, or of an unwinder.
  bool changesStack : 1;
  // An entry or a jump where it is not certain that the function keeps no data
  // below the stack pointer.
  bool keepsBelow : 1;
  // Jump, ShortJump and Pun on x86-64: the first byte is a REX prefix and
  // stays, as a jump ignores it (Intel SDM vol. 2, 2.2.1). The jump begins
  // after it.
  bool keepsPrefix : 1;
  // Pun on x86-64: 67 ff 25 rel32, which jumps through a word. The word's
  // address is taken modulo 2^32 (Intel SDM vol. 2, 2.2.1.6).
  bool isByWord : 1;
  // x86-64: the copy of the instruction after its stub continues with those
  // after it (runBytes). Written under the lock before the copy is.
  bool runsOn : 1;
  // ShortJump: it stays one, though it might have become a pun
  // (patch/overlap.h).
  bool staysShortJump : 1;
  uint8_t use; // CodeUse
  // Of an entry on x86-64 for which there was no room where the function
  // begins: the bytes of the instructions between that and the entry, in order,
  // and how many there are. They are push, sub $N,%rsp, and what makes a frame
  // pointer. A hit takes back what they did, and does it again after the
  // handler (arch/x86_64/code_patch.cpp). `pushed` is how much stack they take.
  uint8_t pushBytes, pushed;
  uint8_t pushes[kMostPushBytes];
  // Of a Pun, and of a ShortJump that may become one: how many bytes the
  // instructions after it have that begin inside its jump, if each of them can
  // run elsewhere; else 0. The last one may end after the jump. Processors find
  // a jump slow that leads back into the bytes of another one, so copies go on
  // until there (arch/x86_64/displaced.cpp).
  uint8_t runBytes;
  // At which of the jump's last four bytes these begin, and which of them are
  // jumps with one byte of distance, as in `starts`; and the offset in `code`
  // of the last one's field of four bytes that counts from its end, or 0.
  uint8_t runStarts : 4, runShorts : 4;
  uint8_t runField;
};
// Whether these make a frame pointer of rbp: pushq %rbp; movq %rsp, %rbp.
inline bool makesFrame(const uint8_t *pushes, unsigned bytes) {
  constexpr uint8_t kFrame[] = {0x55, 0x48, 0x89, 0xe5};
  bool makes = bytes >= sizeof kFrame;
  for (unsigned i = 0; i < sizeof kFrame && makes; ++i)
    makes = pushes[i] == kFrame[i];
  return makes;
}
static_assert(sizeof(CodeSite) == 60);

// Where the bytes begin that differ while the site is on. Of a call that is its
// distance.
inline uint32_t changedFrom(const CodeSite &site) {
  return site.at +
         (site.means == Means::Call ? site.field : uint32_t{site.keepsPrefix});
}
// How many bytes the jump has that is not a short one.
inline uint32_t jumpBytes(const CodeSite &site) {
  return site.isByWord ? 7 : 5;
}
// How many of the site's own bytes differ then, from there on.
inline uint32_t changedBytes(const CodeSite &site) {
  constexpr uint32_t kShortJumpBytes = 2;
  switch (site.means) {
  case Means::ShortJump:
    return kShortJumpBytes;
  case Means::Return:
  case Means::Trap:
    return 1;
  case Means::Call:
    return 4;
  default:
    break;
  }
  const uint32_t own = site.own - uint32_t{site.keepsPrefix};
  return own < jumpBytes(site) ? own : jumpBytes(site);
}
// Whether the instruction's own bytes become a jump by themselves.
inline bool becomesJump(const CodeSite &site) {
  return site.means == Means::Jump || site.means == Means::ShortJump ||
         site.means == Means::Pun;
}
// Whether the jump's other bytes, after the first byte of the file's
// instruction, would make an instruction that nobody wrote: somebody may put
// that byte back (patch/uprobe_yield.h).
inline bool needsFirstByte(const CodeSite &site) {
  constexpr uint8_t kJump = 0xe9;
  bool isSame =
      site.code[0] == kJump && site.means != Means::ShortJump && !site.isByWord;
  return becomesJump(site) && !isSame && !site.keepsPrefix && site.length > 1 &&
         changedBytes(site) > 1;
}

// A function's symbol, as far as the reader needs it.
struct CodeSymbol {
  uint32_t at; // The offset from the module's origin.
  // It names the part of a function that a compiler moved away.
  bool isCold;
  uint8_t unused;
  Profiler profiler; // It names a profiler's function: elf/mcount_calls.h.
};

// A word that the loader sets to the address of a profiler's function.
struct ProfilerWord {
  uint64_t address;
  Profiler profiler;
};

// A byte of code that libtprt may have changed, as it was before.
struct CodePatch {
  uint32_t at;
  uint8_t value;
};

// A function, or a part of one, whose instructions were read. Offsets.
struct CodeExtent {
  uint32_t start, end, function;
};

// What is read of a module.
struct CodeView {
  const Segment *segments;
  size_t segmentCount;
  uint64_t origin;
  uint64_t frames; // The address of its .eh_frame_hdr.
  // It was linked for the address where it is, so any number in it may be an
  // address.
  bool isFixed;
  // OneByte::Always of code/code_modules.h.
  bool changesOneByte;
  // The initialised data that may be written, and what the loader has made
  // read-only after it relocated the module. They may overlap.
  Extent data, relocated;
  // Offsets, in order, of sleds and their slots, and of code that the program
  // has written or may write at any time. Up to five bytes from each on change,
  // so they are no padding, and no jump ends in them.
  const uint32_t *kept;
  size_t keptCount;
  // In any order; a function may have none, or several.
  const CodeSymbol *symbols;
  size_t symbolCount;
  // The words through which a profiler of another module is called, and the
  // offsets of calls, or of nops in place of calls, that the compiler has
  // listed: elf/mcount_calls.h.
  const ProfilerWord *profilerWords;
  size_t profilerWordCount;
  const uint32_t *profilerCalls;
  size_t profilerCallCount;
  // In order; what is in memory there does not count.
  const CodePatch *patches;
  size_t patchCount;
};

// The instructions of some functions.
struct InnerCode {
  Array<CodeSite> sites; // In order of address.
  Array<CodeExtent> extents;
  DeadBytes dead; // What entries and exits leave of the module's dead bytes.
};

} // namespace tprt

#endif
