// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stores the sleds of one function as string attributes of the function. These
// attributes survive bitcode, LTO and MIR files. The decision pass writes them;
// the machine passes and the emitter read them. No state; safe on every thread.

#ifndef TP_SLEDSPEC_H
#define TP_SLEDSPEC_H

#include "EntrySpec.h"
#include <optional>

namespace llvm {
class Function;
} // namespace llvm

namespace tp {

struct SourceDecision;

/// The attribute's value says what Opaque.cpp must undo before code generation.
inline constexpr llvm::StringLiteral OpaqueAttr = "tp-opaque";

/// Stores \p D at the function. \p SlotAllowed and \p Names are values of the
/// flags.
void writeSledSpec(llvm::Function &F, const SourceDecision &D, bool SlotAllowed,
                   bool Names);
/// Stores at \p F that no later setting may give \p F a sled.
void forbidSleds(llvm::Function &F);
/// Removes the decision that \p F gets sleds.
void dropSleds(llvm::Function &F);
/// Whether writeSledSpec() or forbidSleds() has been called for \p F.
bool isDecided(const llvm::Function &F);

/// The nops that \p F gets at its entry. The nops after the label are the sled.
/// With M = N, \p F has no entry sled.
std::optional<EntrySpec> entrySpecOf(const llvm::Function &F);
/// True if \p F gets sleds at its returns and tail calls.
bool exitWanted(const llvm::Function &F);
bool slotAllowed(const llvm::Function &F);
/// The number of machine instructions below which \p F gets no sled.
unsigned thresholdOf(const llvm::Function &F);
bool isOpaque(const llvm::Function &F);
/// True if the name of \p F is written into section tp_names.
bool nameWanted(const llvm::Function &F);

/// The layout of the entry sled of one function. The layout pass writes it for
/// the emitter.
struct SledLayout {
  unsigned Shape = 0; ///< enum tprt_shape
  unsigned Slot = 0;  ///< the distance from slot to entry label; 0: no slot
  unsigned Filler =
      0;              ///< bytes of nops in front of the sled, for its alignment
  unsigned Bytes = 0; ///< bytes of the sled itself
};
void setLayout(llvm::Function &F, const SledLayout &L);
std::optional<SledLayout> layoutOf(const llvm::Function &F);

} // namespace tp

#endif
