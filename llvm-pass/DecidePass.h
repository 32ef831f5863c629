// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides for each function of a module whether it gets sleds, and writes the
// decision down as function attributes. Runs first in clang's pipeline, and
// once more before code generation for what the -mllvm options ask for. A
// function that carries a decision keeps it.

#ifndef TP_DECIDEPASS_H
#define TP_DECIDEPASS_H

#include "Options.h"
#include "llvm/IR/PassManager.h"

namespace tp {

/// Prefix of the annotations by which the frontend passes attributes on:
/// "tp.attribute:entry=2,0", "...:never", "...:always".
inline constexpr llvm::StringLiteral AnnotationPrefix = "tp.attribute:";

/// The work itself; returns whether anything changed.
bool decide(llvm::Module &M, const Options &O);

class DecidePass : public llvm::PassInfoMixin<DecidePass> {
public:
  explicit DecidePass(Options O) : Opts(std::move(O)) {}
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }

private:
  Options Opts;
};

} // namespace tp

#endif
