// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides for each function of a module whether it gets sleds, and stores the
// decision as function attributes. The pass runs first in clang's pipeline, and
// again before code generation, for the -mllvm options. A function that already
// has a decision keeps it. Runs on the thread that compiles the module.

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

/// Called for each function with a body, after the function's decision is
/// stored.
using DecisionObserver =
    llvm::function_ref<void(const llvm::Function &, const SourceDecision &)>;

/// Makes the decisions. Returns whether the module has changed.
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

/// Adds the decision pass at the start of every pipeline that \p PB builds.
TP_EXPORT void addDecidePass(llvm::PassBuilder &PB, const Options &O);

} // namespace tp

#endif
