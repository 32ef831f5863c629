// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides for each function of a module whether it gets sleds, and writes the
// decision down as function attributes. Runs first in clang's pipeline, and
// once more before code generation for what the -mllvm options ask for. A
// function that carries a decision keeps it.

#ifndef TP_DECIDEPASS_H
#define TP_DECIDEPASS_H

#include "FilterList.h"
#include "Options.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/PassManager.h"

namespace tp {

/// Prefix of the annotations by which the frontend passes attributes on:
/// "tp.attribute:entry=2,0", "...:exit", "...:never", "...:always",
/// "...:opaque".
inline constexpr llvm::StringLiteral AnnotationPrefix = "tp.attribute:";
/// Behind it, for what stands at a class or namespace around the function.
inline constexpr llvm::StringLiteral ScopePrefix = "scope:";

/// What settled the case of one function.
enum class Rule {
  Naked,     ///< cannot have sleds
  Copy,      ///< available_externally: not part of the object file
  Decided,   ///< carried a decision already
  Attribute, ///< tp_entry, tp_exit, tp_always, tp_never, no_instrument_function
  Filter,    ///< a line of a filter file
  NoFlag,    ///< nothing asks for sleds
  CompilerMade,  ///< no programmer wrote it
  IFuncResolver, ///< runs while the loader relocates
  Flag,
};

struct Decision {
  Rule By = Rule::NoFlag;
  std::optional<EntrySpec> Entry = std::nullopt; ///< none: no entry sled
  bool Exit = false;                             ///< exit sleds
  unsigned Threshold = 0;      ///< and none below this many instructions
  FilterList::Match Line = {}; ///< for Rule::Filter
};

/// Hears of each function with a body, after its decision is written down.
using DecisionObserver =
    llvm::function_ref<void(const llvm::Function &, const Decision &)>;

/// The work itself; returns whether anything changed.
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

} // namespace tp

#endif
