// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What processors with instructions of one 4-byte word have in common. A sled
// is one nop, an ordinary instruction. The machine passes insert the nop,
// branch relaxation counts it, and the emitter writes only records. A flipped
// sled is one branch.

#ifndef TP_WORDSLEDTARGET_H
#define TP_WORDSLEDTARGET_H

#include "SledTarget.h"
#include "tprt/table.h"

namespace tp {

class WordSledTarget : public SledTarget {
public:
  bool sledsAreInstructions() const final { return true; }

  EntryLayout layOutEntry(const EntryFacts &X) const final;
  llvm::Constant *nopData(llvm::LLVMContext &Context,
                          unsigned Count) const final;
  uint8_t deadByte() const final { return 0; }

  ExitSled exitSled(const llvm::MachineInstr &, SledLabel) const final {
    return {TPRT_SHAPE_WORD, WordBytes, ExitSled::Instructions};
  }
  bool hasWideVectors() const final { return false; }
  bool pairsIntegers() const final { return true; }

protected:
  static constexpr unsigned WordBytes = 4;

  virtual uint32_t nop() const = 0;
  /// The size of libtprt's veneer. The entry has a slot if at least that many
  /// nops precede the label. 0 if libtprt has no veneers for the processor.
  virtual unsigned veneerWords() const = 0;
};

} // namespace tp

#endif
