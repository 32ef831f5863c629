// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The differences between the versions of LLVM that tp is built for, on the
// side of the passes. Only this file, LlvmCompat.cpp and ClangCompat.h ask for
// LLVM's version (scripts/check-compat.sh). A function here has the name and
// the meaning of what the newest LLVM has; its comment says since when.

#ifndef TP_LLVMCOMPAT_H
#define TP_LLVMCOMPAT_H

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/CodeGen/AsmPrinterHandler.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/GlobPattern.h"
#if LLVM_VERSION_MAJOR >= 22
#include "llvm/Plugins/PassPlugin.h"
#else
#include "llvm/Passes/PassPlugin.h"
#endif
#include <initializer_list>
#include <memory>

namespace llvm {
class AsmPrinter;
class DataLayout;
class Function;
class MCExpr;
class MCStreamer;
class MachineFunction;
class MachineInstr;
class Module;
class TargetMachine;
class TargetPassConfig;
class Triple;
class Type;
} // namespace llvm

namespace tp {

//===--- The support library and IR ---===//

#if LLVM_VERSION_MAJOR < 19
// In LLVM since 19. The error has a text and no code.
inline llvm::Error createStringError(const llvm::Twine &Text) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), Text);
}
// In LLVM since 19, for a list of any type.
using llvm::is_contained;
inline bool is_contained(std::initializer_list<const char *> Names,
                         llvm::StringRef Name) {
  return llvm::any_of(Names, [&](const char *N) { return Name == N; });
}
inline bool is_contained(std::initializer_list<unsigned> Set, unsigned Value) {
  return llvm::any_of(Set, [&](unsigned V) { return V == Value; });
}
#endif

/// Before 17, LLVM's globs have no alternatives in braces, so there is nothing
/// to limit.
inline llvm::Expected<llvm::GlobPattern>
createGlob(llvm::StringRef Text, [[maybe_unused]] size_t MaxSubPatterns) {
#if LLVM_VERSION_MAJOR >= 17
  return llvm::GlobPattern::create(Text, MaxSubPatterns);
#else
  return llvm::GlobPattern::create(Text);
#endif
}

/// Ends the process with an error that the user has made.
[[noreturn]] void reportUsageError(const llvm::Twine &Text);

/// llvm::Function::getDataLayout(), which exists since 20.
const llvm::DataLayout &dataLayoutOf(const llvm::Function &F);

/// llvm::Type::isScalableTy(), which exists since 17.
bool isScalable(const llvm::Type &T);

/// llvm::Triple::isGPU(), which exists since 20.
bool isGPU(const llvm::Triple &T);

//===--- Machine code ---===//

/// Whether \p MF has a loop. The dominator tree is made for this alone.
bool hasLoop(llvm::MachineFunction &MF);

/// Gives \p To what the function knows of the call \p From.
void moveCallInfo(llvm::MachineFunction &MF, llvm::MachineInstr &From,
                  llvm::MachineInstr &To);

void rememberCFIState(llvm::MCStreamer &Out);
void restoreCFIState(llvm::MCStreamer &Out);

/// Writes a relocation called \p Name against \p What, at \p Where.
void emitReloc(llvm::AsmPrinter &AP, const llvm::MCExpr &Where,
               llvm::StringRef Name, const llvm::MCExpr *What);

/// Follows an AsmPrinter's output, instruction by instruction. LLVM 19 tells
/// only handlers of debug information about instructions (LLVM PR 96785; taken
/// back in 20 by PR 122297). There, addHandler() adds such a handler, too.
class InstructionHandler : public llvm::AsmPrinterHandler {
public:
#if LLVM_VERSION_MAJOR == 19
  virtual void beginInstruction(const llvm::MachineInstr *MI) = 0;
  virtual void endInstruction() = 0;
#elif LLVM_VERSION_MAJOR < 19
  void setSymbolSize(const llvm::MCSymbol *, uint64_t) override {}
#endif
};

void addHandler(llvm::AsmPrinter &AP,
                std::unique_ptr<InstructionHandler> Handler);

//===--- Code generation ---===//

/// Called for each pipeline of code generation while LLVM builds the pipeline.
using ConfigureHook = void (*)(llvm::TargetMachine &, llvm::TargetPassConfig &);
/// Called for each module before the first pass of code generation. Returns
/// whether the module has changed.
using ModuleHook = bool (*)(llvm::TargetMachine &, llvm::Module &);

/// Has \p Configure and \p Begin called in all pipelines from now on. Call this
/// once, from a static initialiser.
void hookCodeGeneration(ConfigureHook Configure, ModuleHook Begin);

} // namespace tp

#endif
