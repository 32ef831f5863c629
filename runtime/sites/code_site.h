// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sites in code without sleds: what libtprt-code.so finds in a module's code
// (runtime/decode/), and what the flip engine needs for each site. Plain data.
#ifndef TPRT_SITES_CODE_SITE_H
#define TPRT_SITES_CODE_SITE_H

#include "base/array.h"
#include "base/extent.h"
#include "sites/padding.h"

namespace tprt {

// How the instruction at a site becomes a jump. Only bytes of this instruction
// are changed, never bytes of the next instruction
// (docs/explanation/code-probes.md).
enum class Means : uint8_t {
  None, // No jump is possible; `refusal` is the reason.
  // jmp rel32 in place of five or more bytes of the instruction, in one aligned
  // word. On AArch64: b.
  Jump,
  ShortJump, // jmp rel8 in place of two or more bytes of the instruction. The
             // jmp rel8 leads to dead bytes, which contain jmp rel32.
  Return,    // A ret before four dead bytes, like TPRT_SHAPE_RET.
  // jmp rel32, or a jump through a word at a distance of 32 bits, whose last
  // bytes are those of the next instructions.
  Pun,
  Trap, // int3, if the probe requests it.
  // A call whose distance is changed so that it calls the stub. On AArch64: bl.
  Call,
};

// What batches have done to a site, written under the lock (patch/overlap.h).
enum CodeUse : uint8_t {
  // The site is on, or a batch is about to turn the site on.
  kInUse = 1,
  // The site was on, so a thread may be about to execute the jump in its slot.
  kWasUsed = 2,
  // For an instruction: no other site has its slot.
  kSlotChosen = 4
};

// The value of CodeSite::starts for an instruction with too little code after
// it, and for all instructions on AArch64.
constexpr uint8_t kNoPun = 0xff;

// The event at which a profiler is called (elf/mcount_calls.h).
enum class Profiler : uint8_t {
  None,   // Not a call of a profiler.
  Fentry, // A function begins, before all of its other code: __fentry__.
  Mcount, // A function has begun: mcount.
  Enter,  // The same: __cyg_profile_func_enter.
  Exit,   // A function ends: __cyg_profile_func_exit.
};

constexpr unsigned kMostInstructionBytes = 15;
constexpr unsigned kDeadBytes = 5;
// The most bytes of CodeSite::pushes, and the most stack that its instructions
// use.
constexpr unsigned kMostPushBytes = 7;
constexpr unsigned kMostPushed = 127;
// Room for a veneer: six nops.
constexpr uint32_t kVeneerRoom = 24;

// One instruction at which a function begins or is left, or inside a function.
// Offsets are from the module's origin.
struct CodeSite {
  uint32_t at;
  uint32_t function; // Where its function begins.
  // For a ShortJump: where the dead bytes are. On AArch64: where kVeneerRoom
  // bytes of nops lie before the function, or 0 if there are none.
  uint32_t slot;
  uint8_t kind;   // enum tprt_kind
  uint8_t length; // The instruction's.
  Means means;
  uint8_t refusal; // tprt_refusal
  // The instruction's field that is relative to the instruction's end: its
  // offset and size in bytes; 0 if there is no such field.
  uint8_t field, fieldBytes;
  // The original instruction that the reader found, and the bytes after it.
  uint8_t code[kMostInstructionBytes + 5];
  // ShortJump: the dead bytes. Return: the first four are the bytes after the
  // ret.
  uint8_t dead[kDeadBytes];
  // How many bytes may change, from the instruction's first byte on: the
  // instruction, and the dead bytes right after it.
  uint8_t own;
  // For a Pun: a bit for each of the jump's last four bytes, which are its
  // distance. A bit is set if another instruction begins at that byte; bit 0 is
  // the first byte. Once the pun has islands, a set bit means that threads meet
  // a breakpoint at that byte, because islands exist for it
  // (text/pun_islands.h).
  uint8_t starts;
  // If not None, the site is a call of a profiler, a jump to one, or the nop
  // that a compiler has left in place of a call. After a hit, the thread
  // continues after the site, and the profiler is not called.
  Profiler profiler;
  // The site is neither its function's entry nor an exit. Only selectors with
  // TPRT_SELECT_PROFILERS find it.
  bool isInside : 1;
  // A jump that leaves a function with a different stack pointer from that at
  // its beginning: the last jump of longjmp, or of an unwinder.
  bool changesStack : 1;
  // An entry or a jump at which the function may keep data below the stack
  // pointer.
  bool keepsBelow : 1;
  // For Jump, ShortJump and Pun on x86-64: the first byte is a REX prefix. The
  // prefix is kept, because a jump ignores it (Intel SDM vol. 2, 2.2.1). The
  // jump begins after the prefix.
  bool keepsPrefix : 1;
  // Pun on x86-64: 67 ff 25 rel32, which jumps through a word. The word's
  // address is computed modulo 2^32 (Intel SDM vol. 2, 2.2.1.6).
  bool isByWord : 1;
  // x86-64: the copy of the instruction after the stub also contains the
  // instructions that follow it (runBytes). Written under the lock, before the
  // copy is written.
  bool runsOn : 1;
  // The site keeps its ShortJump, although it could have become a pun
  // (patch/overlap.h).
  bool staysShortJump : 1;
  uint8_t use; // CodeUse
  // For an entry after pushes on x86-64: the bytes of the instructions between
  // the function's beginning and the entry, in order, and their number. The
  // instructions are push, sub $N,%rsp, and those that make a frame pointer. A
  // hit undoes these instructions, and repeats them after the handler
  // (arch/x86_64/code_patch.cpp). `pushed` is the stack that they use, in
  // bytes.
  uint8_t pushBytes, pushed;
  uint8_t pushes[kMostPushBytes];
  // For a Pun, and for a ShortJump that may become a pun: the total size of the
  // next instructions that begin inside its jump. The size is 0 if one of these
  // instructions cannot run elsewhere. The last of these instructions may end
  // after the jump. A jump back into the bytes of another jump is slow, so
  // copies contain these instructions, too (arch/x86_64/displaced.cpp).
  uint8_t runBytes;
  // runStarts and runShorts have bits like `starts`: the bytes of the jump's
  // distance at which these instructions begin, and those at which a jump with
  // a one-byte distance begins. If the last instruction has a 4-byte field
  // relative to its end, runField is the field's offset in `code`, else 0.
  uint8_t runStarts : 4, runShorts : 4;
  uint8_t runField;
};
// Whether these bytes make rbp a frame pointer: pushq %rbp; movq %rsp, %rbp.
inline bool makesFrame(const uint8_t *pushes, unsigned bytes) {
  constexpr uint8_t kFrame[] = {0x55, 0x48, 0x89, 0xe5};
  bool makes = bytes >= sizeof kFrame;
  for (unsigned i = 0; i < sizeof kFrame && makes; ++i)
    makes = pushes[i] == kFrame[i];
  return makes;
}
static_assert(sizeof(CodeSite) == 60);

// Offset of the first byte that differs while the site is on. For a call, this
// is the first byte of its distance.
inline uint32_t changedFrom(const CodeSite &site) {
  return site.at +
         (site.means == Means::Call ? site.field : uint32_t{site.keepsPrefix});
}
// The size of the jump, if it is not a short jump.
inline uint32_t jumpBytes(const CodeSite &site) {
  return site.isByWord ? 7 : 5;
}
// How many of the site's own bytes differ while it is on, from changedFrom().
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
// The removal of a uprobe restores the first byte of the file's instruction
// (patch/uprobe_yield.h). Returns true if that byte and the jump's other bytes
// would form another instruction.
inline bool needsFirstByte(const CodeSite &site) {
  constexpr uint8_t kJump = 0xe9;
  bool isSame =
      site.code[0] == kJump && site.means != Means::ShortJump && !site.isByWord;
  return becomesJump(site) && !isSame && !site.keepsPrefix && site.length > 1 &&
         changedBytes(site) > 1;
}

// The parts of a function's symbol that the reader needs.
struct CodeSymbol {
  uint32_t at; // The offset from the module's origin.
  // The symbol names a part of a function that a compiler moved away.
  bool isCold;
  uint8_t unused;
  Profiler profiler; // If the symbol names a profiler's function: see
                     // elf/mcount_calls.h.
};

// A word that the loader sets to the address of a profiler's function.
struct ProfilerWord {
  uint64_t address;
  Profiler profiler;
};

// The original value of a byte of code that libtprt may have changed.
struct CodePatch {
  uint32_t at;
  uint8_t value;
};

// A function, or a part of one, whose instructions were read. Offsets.
struct CodeExtent {
  uint32_t start, end, function;
};

// The parts of a module that are read.
struct CodeView {
  const Segment *segments;
  size_t segmentCount;
  uint64_t origin;
  uint64_t frames; // The address of its .eh_frame_hdr.
  // The module was linked for its present address, so any number in it may be
  // an address.
  bool isFixed;
  // OneByte::Always of code/code_modules.h.
  bool changesOneByte;
  // The initialized writable data, and the part that the loader has made
  // read-only after it relocated the module. The two may overlap.
  Extent data, relocated;
  // Offsets, in order, of sleds and their slots, and of code that the program
  // has written or may write at any time. Up to five bytes from each offset may
  // change. So these bytes are not padding, and no jump may end in them.
  const uint32_t *kept;
  size_t keptCount;
  // In any order; a function may have none, or several.
  const CodeSymbol *symbols;
  size_t symbolCount;
  // The words through which a profiler of another module is called, and the
  // compiler's list of offsets of calls or of nops in place of calls
  // (elf/mcount_calls.h).
  const ProfilerWord *profilerWords;
  size_t profilerWordCount;
  const uint32_t *profilerCalls;
  size_t profilerCallCount;
  // In order. The bytes in memory at these offsets are ignored.
  const CodePatch *patches;
  size_t patchCount;
};

// The instructions of some functions.
struct InnerCode {
  Array<CodeSite> sites; // In order of address.
  Array<CodeExtent> extents;
  DeadBytes dead; // The module's dead bytes that entries and exits do not use.
};

} // namespace tprt

#endif
