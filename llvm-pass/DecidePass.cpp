// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See DecidePass.h. The order: what stands at the function beats the filter
// files, they beat the flags.

#include "DecidePass.h"
#include "BitcodeGuard.h"
#include "Enclosing.h"
#include "Opaque.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalIFunc.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"

using namespace llvm;

namespace tp {
namespace {

/// What a programmer wrote at one place.
struct Marks {
  bool Never = false;
  bool Always = false;
  bool Exit = false;
  bool Opaque = false;
  std::optional<EntrySpec> Entry;
};

/// At a function, and at the classes and namespaces around it.
struct Written {
  Marks Own, Scope;

  Marks resolve() const {
    bool Decided = Own.Never || Own.Always || Own.Exit || Own.Entry;
    Marks Result = Decided ? Own : Scope;
    Result.Opaque = Own.Opaque || Scope.Opaque;
    return Result;
  }
};

void note(Written &Both, StringRef Text) {
  Marks &W = Text.consume_front(ScopePrefix) ? Both.Scope : Both.Own;
  if (Text == "never") {
    W.Never = true;
  } else if (Text == "always") {
    W.Always = true;
  } else if (Text == "exit") {
    W.Exit = true;
  } else if (Text == "opaque") {
    W.Opaque = true;
  } else if (Text.consume_front("entry=")) {
    std::string Ignored; // the frontend has checked it
    if (auto Spec = parseEntrySpec(Text, Ignored))
      W.Entry = Spec;
  }
}

StringRef annotationText(const ConstantStruct &Entry) {
  auto *Global =
      dyn_cast<GlobalVariable>(Entry.getOperand(1)->stripPointerCasts());
  auto *Data = Global && Global->hasInitializer()
                   ? dyn_cast<ConstantDataSequential>(Global->getInitializer())
                   : nullptr;
  return Data && Data->isCString() ? Data->getAsCString() : StringRef();
}

/// Collects our annotations and takes them out of llvm.global.annotations,
/// where they would keep inlined functions alive. Those of others stay.
DenseMap<const Function *, Written> takeAnnotations(Module &M, bool &Changed) {
  DenseMap<const Function *, Written> Result;
  GlobalVariable *List = M.getGlobalVariable("llvm.global.annotations");
  auto *Array = List && List->hasInitializer()
                    ? dyn_cast<ConstantArray>(List->getInitializer())
                    : nullptr;
  if (!Array)
    return Result;
  SmallVector<Constant *> Others;
  for (Value *Operand : Array->operands()) {
    auto *Entry = dyn_cast<ConstantStruct>(Operand);
    StringRef Text = Entry ? annotationText(*Entry) : StringRef();
    auto *F =
        Entry ? dyn_cast<Function>(Entry->getOperand(0)->stripPointerCasts())
              : nullptr;
    if (F && Text.consume_front(AnnotationPrefix))
      note(Result[F], Text);
    else
      Others.push_back(cast<Constant>(Operand));
  }
  if (Others.size() == Array->getNumOperands())
    return Result;
  Changed = true;
  auto *Type =
      ArrayType::get(Array->getType()->getElementType(), Others.size());
  GlobalVariable *Rest = nullptr;
  if (!Others.empty()) {
    Rest = new GlobalVariable(M, Type, List->isConstant(), List->getLinkage(),
                              ConstantArray::get(Type, Others));
    Rest->copyAttributesFrom(List);
    Rest->takeName(List);
  }
  List->eraseFromParent();
  return Result;
}

/// Functions that no programmer wrote, by clang's names for them. A probe in
/// one would tell of nothing in the source.
bool isCompilerMade(const Function &F) {
  StringRef Name = F.getName();
  if (F.hasFnAttribute("thunk"))
    return true;
  // Of sanitizers and profiling; OpenMP's copies of results.
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
    // A resolver runs while the loader relocates: too early for any handler.
    for (const GlobalIFunc &IFunc : M.ifuncs())
      if (const Function *Resolver = IFunc.getResolverFunction())
        Resolvers.insert(Resolver);
  }

  Decision judge(const Function &F, const Marks &W) const {
    if (F.hasFnAttribute(Attribute::Naked))
      return {Rule::Naked};
    if (F.hasAvailableExternallyLinkage())
      return {Rule::Copy};
    if (F.hasFnAttribute(EntryAttr) || F.hasFnAttribute(ExitAttr) ||
        F.hasFnAttribute(NeverAttr))
      return {Rule::Decided, entrySpecOf(F), exitWanted(F), thresholdOf(F)};
    if (W.Never)
      return {Rule::Attribute};
    Decision D;
    if (Opts.Filter && !W.Always) {
      D.Line = Opts.Filter->verdict(F);
      if (const Function *Whole = regionOf(F);
          Whole && D.Line.V == FilterList::Silent)
        D.Line = Opts.Filter->verdict(*Whole);
    }
    bool Always = W.Always || D.Line.V == FilterList::Always;
    D.By = W.Always                         ? Rule::Attribute
           : D.Line.V != FilterList::Silent ? Rule::Filter
           : !Opts.Entry && !Opts.Exit      ? Rule::NoFlag
           : isCompilerMade(F)              ? Rule::CompilerMade
           : Resolvers.contains(&F)         ? Rule::IFuncResolver
                                            : Rule::Flag;
    // What is written about one kind of sled leaves the other to the filter and
    // the flags.
    bool Flags = Always || D.By == Rule::Flag;
    if (W.Entry ? W.Entry->Total != 0 : Flags)
      D.Entry = W.Entry ? W.Entry : Opts.Entry;
    D.Exit = W.Exit || (Flags && Opts.Exit);
    // Without a flag that says which: the smallest sled with a slot.
    if (Always && !W.Entry && !D.Entry && !D.Exit)
      D.Entry = EntrySpec{2, 0};
    if (W.Entry || W.Exit)
      D.By = Rule::Attribute;
    if (D.By == Rule::Flag)
      D.Threshold = Opts.Threshold;
    return D;
  }

  /// Two settings want the bytes at the entry label, or those before it. Users
  /// of __patchable_function_entries would find our sled there. The first
  /// attribute counts the nops behind the label, the second those before it.
  static bool clashes(const Function &F) {
    for (StringRef Name :
         {"patchable-function-entry", "patchable-function-prefix"})
      if (Attribute A = F.getFnAttribute(Name);
          A.isValid() && A.getValueAsString() != "0")
        return true;
    return false;
  }

  /// Writes \p D down; returns whether that changed anything. A refusal by
  /// flag is not final: the -mllvm options may still ask for a sled.
  bool apply(Function &F, const Decision &D) const {
    if (D.By == Rule::Decided)
      return false;
    if (!D.Entry && !D.Exit) {
      bool Final = D.By == Rule::Attribute || D.By == Rule::Filter;
      if (Final)
        F.addFnAttr(NeverAttr);
      return Final;
    }
    // A function is called with some hundred bytes left, asks for more behind
    // its entry, and gives that back before it returns.
    if (F.hasFnAttribute("split-stack")) {
      F.getContext().emitError(
          "tp: '" + F.getName() +
          "' has a split stack (-fsplit-stack), and a handler may need more of "
          "it than is left at a sled: compile without, or use tp_never at the "
          "function");
      F.addFnAttr(NeverAttr);
      return true;
    }
    if (D.Entry && clashes(F)) {
      F.getContext().emitError(
          "tp: '" + F.getName() +
          "' has nops of -fpatchable-function-entry, and the sled would stand "
          "in their place: use one of the two, or tp_never at the function");
      F.addFnAttr(NeverAttr);
      return true;
    }
    if (D.Entry)
      F.addFnAttr(EntryAttr, D.Entry->str());
    if (D.Exit)
      F.addFnAttr(ExitAttr);
    if (D.Entry && !Opts.SlotAuto)
      F.addFnAttr(SlotAttr, "none");
    if (D.Threshold)
      F.addFnAttr(ThresholdAttr, std::to_string(D.Threshold));
    if (Opts.Names)
      F.addFnAttr(NamesAttr);
    return true;
  }

  /// Hides \p F where attribute or flag say so; returns whether it did.
  bool applyOpaque(Function &F, const Decision &D, const Marks &W) const {
    // A copy of a function in another file is never inspected as the final
    // one, but may be inlined.
    bool ByFlag = Opts.Opaque && (D.Entry || D.Exit || D.By == Rule::Copy);
    if (!(W.Opaque || ByFlag) || D.By == Rule::Naked || isOpaque(F))
      return false;
    if (!Opts.AfterOptimiser || W.Opaque)
      return hide(F); // not what is always inlined
    F.getContext().emitError(
        "tp: opaque comes too late for '" + F.getName() +
        "', its callers may be optimised already: load libtppass.so with "
        "-fpass-plugin, or run opt -load-pass-plugin first");
    return false;
  }

private:
  const Options &Opts;
  SmallPtrSet<const Function *, 4> Resolvers;
};

} // namespace

/// What holds for \p F: its own annotations, or what parts of another function
/// have from that. A region has everything, as it runs where the function would
/// run it. A block is called by others, and has what stands around the
/// function.
static Marks marksFor(const Function &F,
                      const DenseMap<const Function *, Written> &Annotations) {
  if (const Function *Whole = regionOf(F))
    return marksFor(*Whole, Annotations);
  Written W = Annotations.lookup(&F);
  if (const Function *Around = blockOf(F))
    W.Scope = Annotations.lookup(Around).Scope;
  return W.resolve();
}

bool decide(Module &M, const Options &O, DecisionObserver Observer) {
  bool Changed = false;
  DenseMap<const Function *, Written> Annotations = takeAnnotations(M, Changed);
  Decider Of(M, O);
  for (Function &F : M) {
    if (F.isDeclaration())
      continue;
    Marks W = marksFor(F, Annotations);
    Decision D = Of.judge(F, W);
    Changed |= Of.apply(F, D);
    Changed |= Of.applyOpaque(F, D, W);
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
    addBitcodeGuard(M);
    Changed = true;
  }
  return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

/// With -disable-llvm-passes, which -save-temps implies, clang builds no
/// pipeline but for what writes the module: that is then the first pass.
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
