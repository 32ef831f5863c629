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
  auto *Begin = reinterpret_cast<uint8_t *>(Copy.data());
  // LLVM takes a prefix such as lock for an instruction of its own. So the text
  // is made of pieces.
  std::string Line;
  for (size_t At = 0, Used; At < Copy.size(); At += Used) {
    char Text[256];
    Used = Context
               ? LLVMDisasmInstruction(Context, Begin + At, Copy.size() - At,
                                       Address + At, Text, sizeof Text)
               : 0;
    if (!Used)
      return "";
    Line += (At ? " " : "") + StringRef(Text).trim().str();
  }
  // The mnemonic stands between tabs.
  for (char &C : Line)
    C = C == '\t' ? ' ' : C;
  return Line;
}

} // namespace tpctl
