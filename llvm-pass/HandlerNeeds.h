// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes from a signature what the record says about registers: which
// registers a handler at this sled must preserve in addition, and which
// registers it need not preserve. No state; called by the emitter, on its
// thread.

#ifndef TP_HANDLERNEEDS_H
#define TP_HANDLERNEEDS_H

#include <cstdint>

namespace llvm {
class Function;
class MachineInstr;
class Type;
} // namespace llvm

namespace tp {

class SledTarget;

/// Computes what handlers must preserve at the sleds of one function.
class HandlerNeeds {
public:
  HandlerNeeds(const SledTarget &Target, const llvm::Function &F)
      : Target(Target), F(F) {}

  // Bits of enum tprt_needs.

  uint8_t atEntry() const;
  /// \p Return is the instruction that the sled precedes: the return, or what
  /// hardening has put in its place.
  uint8_t atReturn(const llvm::MachineInstr &Return) const;
  uint8_t atTailCall(const llvm::MachineInstr &Jump) const;

  // The bits of the record's kind that say which registers are live:
  // TPRT_RECORD_LIVE and TPRT_RECORD_NO_VECTORS. 0 if nothing is certain.

  uint8_t liveAtEntry() const;
  /// At an exit by return.
  uint8_t liveAtExit() const;

private:
  uint8_t conventionNeeds() const;
  uint8_t wideNeeds(llvm::Type *T) const;
  uint8_t scalarNeeds(llvm::Type *T) const;
  bool hasHardFloat() const;

  const SledTarget &Target;
  const llvm::Function &F;
};

} // namespace tp

#endif
