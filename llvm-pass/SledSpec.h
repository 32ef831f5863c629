// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What one function is to get, and how that travels: string function attributes
// that survive bitcode, LTO and MIR files. Written by the decision pass, read
// by the machine passes and the emitter. No state, safe on every thread.

#ifndef TP_SLEDSPEC_H
#define TP_SLEDSPEC_H

#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace llvm {
class Function;
class Triple;
} // namespace llvm

namespace tp {

/// The attribute names. "tp-sled" is written by the layout pass alone.
inline constexpr llvm::StringLiteral EntryAttr = "tp-entry";
inline constexpr llvm::StringLiteral ExitAttr = "tp-exit";
inline constexpr llvm::StringLiteral SlotAttr = "tp-slot";
inline constexpr llvm::StringLiteral ThresholdAttr = "tp-instruction-threshold";
inline constexpr llvm::StringLiteral NeverAttr = "tp-never";
inline constexpr llvm::StringLiteral OpaqueAttr = "tp-opaque";
inline constexpr llvm::StringLiteral NamesAttr = "tp-names";
inline constexpr llvm::StringLiteral SledAttr = "tp-sled";

/// The largest N, as GCC's.
inline constexpr unsigned MaxNops = 65535;

/// What stood in the source or on the command line.
struct EntrySpec {
  unsigned Total = 0;  ///< N: nops altogether (bytes on x86, words on AArch64)
  unsigned Before = 0; ///< M: how many of them precede the entry label

  unsigned after() const { return Total - Before; }
  __attribute__((visibility("default"))) std::string str() const;
};

/// Parses "N[,M]". On failure returns nothing and puts what was expected into
/// \p Expected, to follow the flag's name in a message.
__attribute__((visibility("default"))) std::optional<EntrySpec>
parseEntrySpec(llvm::StringRef Text, std::string &Expected);

/// The decision that \p F carries, if it is to get nops at its entry. They are
/// a sled if some of them follow the label: with M = N none does.
std::optional<EntrySpec> entrySpecOf(const llvm::Function &F);
/// True if \p F is to get sleds where it returns or ends in a tail call.
bool exitWanted(const llvm::Function &F);
bool slotAllowed(const llvm::Function &F);
unsigned thresholdOf(const llvm::Function &F);
bool isOpaque(const llvm::Function &F);

/// How the entry sled of one function is laid out.
struct SledLayout {
  unsigned Shape = 0;  ///< enum tprt_record_shape
  unsigned Slot = 0;   ///< distance from slot to entry label, 0: no slot
  unsigned Filler = 0; ///< nop bytes in front of the sled, for its alignment
  unsigned Bytes = 0;  ///< bytes of the sled itself
};
void setLayout(llvm::Function &F, const SledLayout &L);
std::optional<SledLayout> layoutOf(const llvm::Function &F);

/// True for the targets whose code we can instrument.
__attribute__((visibility("default"))) bool isSupported(const llvm::Triple &T);
/// What to say of the others.
__attribute__((visibility("default"))) std::string
unsupported(const llvm::Triple &T);

} // namespace tp

#endif
