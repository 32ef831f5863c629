// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See SledTarget.h. This file has the list of processors, and the defaults that
// most of them share.

#include "SledTarget.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace tp {

#define SLED_TARGET(NAME) const SledTarget &NAME##SledTarget();
#include "SledTargets.def"
#undef SLED_TARGET

static ArrayRef<const SledTarget *> allTargets() {
  static const SledTarget *const All[] = {
#define SLED_TARGET(NAME) &NAME##SledTarget(),
#include "SledTargets.def"
#undef SLED_TARGET
  };
  return All;
}

const SledTarget *SledTarget::find(const Triple &T) {
  if (T.isOSBinFormatELF())
    for (const SledTarget *Target : allTargets())
      if (Target->handles(T))
        return Target;
  return nullptr;
}

const SledTarget &SledTarget::of(const MachineFunction &MF) {
  return *find(MF.getTarget().getTargetTriple());
}

std::string SledTarget::refusal(const Triple &T) {
  std::string Names;
  for (const SledTarget *Target : allTargets())
    Names += (Names.empty()                   ? ""
              : Target == allTargets().back() ? " or "
                                              : ", ") +
             Target->name().str();
  return "tp: no sleds for target '" + T.str() + "': expected " + Names +
         ", ELF, with 64-bit pointers";
}

unsigned findOpcode(const TargetInstrInfo &TII, StringRef Name) {
  unsigned I = 0;
  while (I != TII.getNumOpcodes() && TII.getName(I) != Name)
    ++I;
  return I;
}

bool SledTarget::isReturn(StringRef Opcode) const {
  // RET64, RETI64, RETAA, ... but not IRET64, UIRET, EH_RETURN64.
  return Opcode.starts_with("RET");
}

bool SledTarget::isUsualConvention(CallingConv::ID CC) const {
  // Cold is missing: on some processors, this convention preserves most
  // registers.
  return CC == CallingConv::C || CC == CallingConv::Fast;
}

MachineInstr &SledTarget::makeUnconditional(MachineInstr &) const {
  llvm_unreachable("this processor has no conditional exits");
}

} // namespace tp
