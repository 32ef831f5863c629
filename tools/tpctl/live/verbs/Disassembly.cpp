// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Disassembly.h.

#include "Disassembly.h"

#include "llvm-c/Disassembler.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cstring>

using namespace llvm;

extern "C" {
void LLVMInitializeX86TargetInfo();
void LLVMInitializeX86TargetMC();
void LLVMInitializeX86Disassembler();
void LLVMInitializeAArch64TargetInfo();
void LLVMInitializeAArch64TargetMC();
void LLVMInitializeAArch64Disassembler();
}

namespace tpctl {

/// A symbol lookup that finds no symbol. If LLVM has any such function, LLVM
/// shows a jump's target instead of its distance.
static const char *lookUp(void *, uint64_t, uint64_t *Type, uint64_t,
                          const char **) {
  *Type = LLVMDisassembler_ReferenceType_InOut_None;
  return nullptr;
}

static LLVMDisasmContextRef makeContext(const char *Triple) {
  LLVMDisasmContextRef Made =
      LLVMCreateDisasm(Triple, nullptr, 0, nullptr, lookUp);
  if (Made)
    LLVMSetDisasmOptions(Made, LLVMDisassembler_Option_PrintImmHex);
  return Made;
}

static LLVMDisasmContextRef makeX86() {
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86Disassembler();
  return makeContext("x86_64-linux-gnu");
}

static LLVMDisasmContextRef makeAArch64() {
  LLVMInitializeAArch64TargetInfo();
  LLVMInitializeAArch64TargetMC();
  LLVMInitializeAArch64Disassembler();
  return makeContext("aarch64-linux-gnu");
}

static LLVMDisasmContextRef contextFor(Machine For) {
  if (For == Machine::AArch64) {
    static LLVMDisasmContextRef Made = makeAArch64();
    return Made;
  }
  static LLVMDisasmContextRef Made = makeX86();
  return Made;
}

Machine machineOf(StringRef Path) {
  ELF::Elf64_Ehdr Header;
  auto File = MemoryBuffer::getFileSlice(Path, sizeof Header, 0);
  if (!File || (*File)->getBufferSize() < sizeof Header)
    return Machine::X86_64;
  memcpy(&Header, (*File)->getBufferStart(), sizeof Header);
  return Header.checkMagic() && Header.e_machine == ELF::EM_AARCH64
             ? Machine::AArch64
             : Machine::X86_64;
}

std::string disassemble(StringRef Bytes, uint64_t Address, Machine For) {
  LLVMDisasmContextRef Context = contextFor(For);
  std::string Copy = Bytes.str();
  auto *Begin = reinterpret_cast<uint8_t *>(Copy.data());
  // LLVM treats a prefix such as lock as a separate instruction. So the text is
  // joined from pieces.
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
  // The mnemonic is between tabs.
  for (char &C : Line)
    C = C == '\t' ? ' ' : C;
  return Line;
}

} // namespace tpctl
