// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides for each function of a module whether it gets sleds, and writes the
// decision down as function attributes. Runs first in clang's pipeline, and
// once more before code generation for what the -mllvm options ask for. A
// function that carries a decision keeps it. On the thread that compiles the
// module.

#ifndef TP_DECIDEPASS_H
#define TP_DECIDEPASS_H

#include "Options.h"
#include "SourceDecision.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class PassBuilder;
} // namespace llvm

namespace tp {

/// Sees each function with a body, after its decision is written down.
using DecisionObserver =
    llvm::function_ref<void(const llvm::Function &, const SourceDecision &)>;

/// The work itself. Returns whether anything changed.
TP_EXPORT bool decide(llvm::Module &M, const Options &O,
                      DecisionObserver Observer = nullptr);

class DecidePass : public llvm::PassInfoMixin<DecidePass> {
public:
  explicit DecidePass(Options O) : Opts(std::move(O)) {}
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }

private:
  Options Opts;
};

/// Has the decision pass run before every pipeline that \p PB builds.
TP_EXPORT void addDecidePass(llvm::PassBuilder &PB, const Options &O);

} // namespace tp

#endif
