// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See DecidePass.h. Attributes override filter files, and filter files override
// flags.

#include "DecidePass.h"
#include "Enclosing.h"
#include "ModuleAnnotations.h"
#include "Opaque.h"
#include "PassRequirement.h"
#include "SledSpec.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/GlobalIFunc.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"

using namespace llvm;

// any_cast compares addresses of this variable. libLLVM has it as well, and
// with -Bsymbolic a copy of our own would have another address. LLVM's header
// says this since 22.
extern template struct llvm::Any::TypeId<const llvm::Module *>;

namespace tp {
namespace {

/// Whether the compiler made \p F, according to the name that clang gives such
/// functions. A probe on such a function would report calls that are not in the
/// source.
bool isCompilerMade(const Function &F) {
  StringRef Name = F.getName();
  if (F.hasFnAttribute("thunk"))
    return true;
  // The constructors and destructors of sanitizers and of profiling, and the
  // functions by which OpenMP copies results.
  for (StringRef Part :
       {".module_ctor", ".module_dtor", ".omp.reduction.", ".omp.copyprivate."})
    if (Name.contains(Part))
      return true;
  for (StringRef Prefix : {"_GLOBAL__",
                           "__cxx_global_",
                           "__clang_",
                           "__tls_init",
                           "__dtor_",
                           "_ZTW",
                           "_ZTH",
                           "__copy_helper_",
                           "__destroy_helper_",
                           "__Block_",
                           "__llvm_",
                           "__sanitizer",
                           "__profile",
                           "__cfi_",
                           "_ZTh",
                           "_ZTv",
                           "_ZTc",
                           "_ZGI",
                           ".objc",
                           ".omp_task_privates_map",
                           ".omp_task_dup"})
    if (Name.starts_with(Prefix))
      return true;
  return false;
}

class Decider {
public:
  Decider(Module &M, const Options &O) : Opts(O) {
    // An ifunc resolver runs while the loader relocates, too early for any
    // handler.
    for (const GlobalIFunc &IFunc : M.ifuncs())
      if (const Function *Resolver = IFunc.getResolverFunction())
        Resolvers.insert(Resolver);
  }

  SourceDecision judge(const Function &F, const SourceAttributes &W) const;
  /// Attaches \p D to the function. Returns whether the module has changed.
  bool apply(Function &F, const SourceDecision &D) const;
  /// Hides \p F if an attribute or a flag requests that. Returns whether \p F
  /// was hidden.
  bool applyOpaque(Function &F, const SourceDecision &D,
                   const SourceAttributes &W, Hider &Hiding) const;

private:
  using Kind = SourceAttribute::Kind;

  FilterList::Match askFilter(const Function &F) const;
  Rule ruleWithoutAttribute(const Function &F,
                            const FilterList::Match &Line) const;
  void chooseSleds(SourceDecision &D, const SourceAttributes &W) const;

  const Options &Opts;
  SmallPtrSet<const Function *, 4> Resolvers;
};

/// A region is looked up by its own name first, then by the name of its
/// function.
FilterList::Match Decider::askFilter(const Function &F) const {
  if (!Opts.Filter)
    return {};
  FilterList::Match Line = Opts.Filter->verdict(F);
  const Function *Whole = regionOf(F);
  return Whole && Line.V == FilterList::Silent ? Opts.Filter->verdict(*Whole)
                                               : Line;
}

Rule Decider::ruleWithoutAttribute(const Function &F,
                                   const FilterList::Match &Line) const {
  if (Line.V != FilterList::Silent)
    return Rule::Filter;
  if (!Opts.Entry && !Opts.Exit)
    return Rule::NoFlag;
  if (isCompilerMade(F))
    return Rule::CompilerMade;
  return Resolvers.contains(&F) ? Rule::IFuncResolver : Rule::Flag;
}

/// If an attribute decides about only one kind of sled, the filter and the
/// flags decide about the other kind.
void Decider::chooseSleds(SourceDecision &D, const SourceAttributes &W) const {
  bool Always = W.has(Kind::Always) ||
                (D.By == Rule::Filter && D.Line.V == FilterList::Always);
  bool Flags = Always || D.By == Rule::Flag;
  auto Written = W.entry();
  if (Written ? Written->Total != 0 : Flags)
    D.Entry = Written ? Written : Opts.Entry;
  D.Exit = W.has(Kind::Exit) || (Flags && Opts.Exit);
  // If no flag gives the size of the sled, this is the smallest sled with a
  // slot.
  if (Always && !Written && !D.Entry && !D.Exit)
    D.Entry = EntrySpec{2, 0};
}

SourceDecision Decider::judge(const Function &F,
                              const SourceAttributes &W) const {
  if (F.hasFnAttribute(Attribute::Naked))
    return {Rule::Naked};
  if (F.hasAvailableExternallyLinkage())
    return {Rule::Copy};
  if (isDecided(F))
    return {Rule::Decided, entrySpecOf(F), exitWanted(F), thresholdOf(F)};
  SourceDecision D;
  D.Attributes.assign(W.deciding().begin(), W.deciding().end());
  D.IsPart = isPartOfFunction(F);
  D.By = Rule::Attribute;
  if (W.refuseSleds())
    return D;
  if (!W.has(Kind::Always)) {
    D.Line = askFilter(F);
    D.By = ruleWithoutAttribute(F, D.Line);
  }
  chooseSleds(D, W);
  if (W.entry() || W.has(Kind::Exit))
    D.By = Rule::Attribute;
  if (D.By == Rule::Flag)
    D.Threshold = Opts.Threshold;
  return D;
}

/// Whether -fpatchable-function-entry or its attribute puts nops at the entry
/// label or before it. A user of __patchable_function_entries would find our
/// sled instead of these nops. The first attribute counts the nops after the
/// label, and the second attribute counts the nops before the label.
bool hasPatchableNops(const Function &F) {
  for (StringRef Name :
       {"patchable-function-entry", "patchable-function-prefix"})
    if (Attribute A = F.getFnAttribute(Name);
        A.isValid() && A.getValueAsString() != "0")
      return true;
  return false;
}

/// Why \p F cannot have the sleds of \p D. In messages, the text follows the
/// function's name. Empty if \p F can have them.
StringRef obstacle(const Function &F, const SourceDecision &D) {
  // With split stacks, a function starts with only some hundred bytes of stack.
  // The function requests more stack after its entry, and releases it before it
  // returns.
  if (F.hasFnAttribute("split-stack"))
    return " has a split stack (-fsplit-stack), which may be too small for a "
           "handler: compile without it, or mark the function tp_never";
  if (D.Entry && hasPatchableNops(F))
    return " has nops of -fpatchable-function-entry in the place of the sled: "
           "use only one of the two, or mark the function tp_never";
  return "";
}

bool Decider::apply(Function &F, const SourceDecision &D) const {
  if (D.By == Rule::Decided)
    return false;
  if (!D.hasSled()) {
    // A refusal that follows from a flag is not final: the -mllvm options may
    // still request a sled.
    bool Final = D.By == Rule::Attribute || D.By == Rule::Filter;
    if (Final)
      forbidSleds(F);
    return Final;
  }
  if (StringRef Why = obstacle(F, D); !Why.empty()) {
    F.getContext().emitError("tp: '" + F.getName() + "'" + Why);
    forbidSleds(F);
    return true;
  }
  writeSledSpec(F, D, Opts.SlotAuto, Opts.Names);
  return true;
}

bool Decider::applyOpaque(Function &F, const SourceDecision &D,
                          const SourceAttributes &W, Hider &Hiding) const {
  // The optimiser does not treat a copy of another file's function as the
  // definition that will run, but may inline the copy.
  bool ByFlag = Opts.Opaque && (D.hasSled() || D.By == Rule::Copy);
  if (!(W.isOpaque() || ByFlag) || D.By == Rule::Naked || isOpaque(F))
    return false;
  if (!Opts.AfterOptimiser || W.isOpaque())
    return Hiding.hide(F); // not a function that is always inlined
  F.getContext().emitError(
      "tp: opaque comes too late for '" + F.getName() +
      "': its callers may be optimised already; load libtppass.so with "
      "-fpass-plugin, or run opt -load-pass-plugin first");
  return false;
}

} // namespace

bool decide(Module &M, const Options &O, DecisionObserver Observer) {
  bool Changed = false;
  AttributeMap Attributes = takeAnnotations(M, Changed);
  Decider Of(M, O);
  Hider Hiding(M);
  for (Function &F : M) {
    if (F.isDeclaration())
      continue;
    SourceAttributes W = attributesFor(F, Attributes);
    SourceDecision D = Of.judge(F, W);
    Changed |= Of.apply(F, D);
    Changed |= Of.applyOpaque(F, D, W, Hiding);
    if (Observer)
      Observer(F, D);
  }
  return Changed;
}

PreservedAnalyses DecidePass::run(Module &M, ModuleAnalysisManager &) {
  bool Changed = decide(M, Opts);
  auto HasSled = [](const Function &F) {
    return entrySpecOf(F).has_value() || exitWanted(F);
  };
  if (Opts.ToBitcode && any_of(M, HasSled)) {
    addPassRequirement(M);
    Changed = true;
  }
  return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

/// With -disable-llvm-passes, which -save-temps implies, clang builds no
/// pipeline except for the pass that writes the module. So the decisions are
/// made before that pass.
static void decideBeforeFirstPass(PassBuilder &PB, const Options &O) {
  PB.getPassInstrumentationCallbacks()->registerBeforeNonSkippedPassCallback(
      [O, Done = false](StringRef, Any IR) mutable {
        const auto *M = any_cast<const Module *>(&IR);
        if (!M || std::exchange(Done, true))
          return;
        ModuleAnalysisManager None;
        DecidePass(O).run(const_cast<Module &>(**M), None);
      });
}

void addDecidePass(PassBuilder &PB, const Options &O) {
  if (O.NoPasses)
    return decideBeforeFirstPass(PB, O);
  PB.registerPipelineStartEPCallback(
      [O](ModulePassManager &MPM, OptimizationLevel) {
        MPM.addPass(DecidePass(O));
      });
}

} // namespace tp
