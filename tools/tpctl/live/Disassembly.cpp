// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Disassembly.h.

#include "Disassembly.h"

#include "llvm-c/Disassembler.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

extern "C" {
void LLVMInitializeX86TargetInfo();
void LLVMInitializeX86TargetMC();
void LLVMInitializeX86Disassembler();
}

namespace tpctl {

/// Knows no symbol. Where there is a function that looks symbols up, LLVM shows
/// where a jump leads, in place of the distance.
static const char *lookUp(void *, uint64_t, uint64_t *Type, uint64_t,
                          const char **) {
  *Type = LLVMDisassembler_ReferenceType_InOut_None;
  return nullptr;
}

static LLVMDisasmContextRef makeContext() {
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86Disassembler();
  LLVMDisasmContextRef Made =
      LLVMCreateDisasm("x86_64-linux-gnu", nullptr, 0, nullptr, lookUp);
  LLVMSetDisasmOptions(Made, LLVMDisassembler_Option_PrintImmHex);
  return Made;
}

std::string disassemble(StringRef Bytes, uint64_t Address) {
  static LLVMDisasmContextRef Context = makeContext();
  std::string Copy = Bytes.str();
  char Text[256];
  if (!Context ||
      !LLVMDisasmInstruction(Context, reinterpret_cast<uint8_t *>(Copy.data()),
                             Copy.size(), Address, Text, sizeof Text))
    return "";
  // The mnemonic stands between tabs.
  std::string Line = StringRef(Text).trim().str();
  for (char &C : Line)
    C = C == '\t' ? ' ' : C;
  return Line;
}

} // namespace tpctl
