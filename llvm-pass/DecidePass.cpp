// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See DecidePass.h. The order: what stands at the function beats the filter
// files, they beat the flags.

#include "DecidePass.h"
#include "LtoGuard.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalIFunc.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"

using namespace llvm;

namespace tp {
namespace {

/// What a programmer wrote at one function.
struct Written {
  bool Never = false;
  bool Always = false;
  bool Exit = false;
  std::optional<EntrySpec> Entry;
};

void note(Written &W, StringRef Text) {
  if (Text == "never") {
    W.Never = true;
  } else if (Text == "always") {
    W.Always = true;
  } else if (Text == "exit") {
    W.Exit = true;
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
DenseMap<Function *, Written> takeAnnotations(Module &M, bool &Changed) {
  DenseMap<Function *, Written> Result;
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
  if (F.hasFnAttribute("thunk"))
    return true;
  StringRef Name = F.getName();
  for (StringRef Prefix : {"_GLOBAL__",  "__cxx_global_",  "__clang_",
                           "__tls_init", "__dtor_",        "_ZTW",
                           "_ZTH",       "__copy_helper_", "__destroy_helper_",
                           "__Block_",   "asan.",          "hwasan.",
                           "msan.",      "tsan.",          "sancov.",
                           "__llvm_",    "__sanitizer",    "__profile",
                           "__cfi_",     "_ZTh",           "_ZTv",
                           "_ZTc"})
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

  Decision judge(const Function &F, const Written &W) const {
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
    if (Opts.Filter && !W.Always)
      D.Line = Opts.Filter->verdict(F);
    bool Always = W.Always || D.Line.V == FilterList::Always;
    D.By = W.Always                          ? Rule::Attribute
           : D.Line.V != FilterList::Silent  ? Rule::Filter
           : !Opts.Entry && !Opts.Exit       ? Rule::NoFlag
           : isCompilerMade(F)               ? Rule::CompilerMade
           : Resolvers.contains(&F)          ? Rule::IFuncResolver
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
    if (D.Entry)
      F.addFnAttr(EntryAttr, D.Entry->str());
    if (D.Exit)
      F.addFnAttr(ExitAttr);
    if (D.Entry && !Opts.SlotAuto)
      F.addFnAttr(SlotAttr, "none");
    if (D.Threshold)
      F.addFnAttr(ThresholdAttr, std::to_string(D.Threshold));
    return true;
  }

private:
  const Options &Opts;
  SmallPtrSet<const Function *, 4> Resolvers;
};

} // namespace

bool decide(Module &M, const Options &O, DecisionObserver Observer) {
  bool Changed = false;
  DenseMap<Function *, Written> Annotations = takeAnnotations(M, Changed);
  Decider Of(M, O);
  for (Function &F : M) {
    if (F.isDeclaration())
      continue;
    auto Found = Annotations.find(&F);
    Decision D =
        Of.judge(F, Found == Annotations.end() ? Written() : Found->second);
    Changed |= Of.apply(F, D);
    if (Observer)
      Observer(F, D);
  }
  return Changed;
}

PreservedAnalyses DecidePass::run(Module &M, ModuleAnalysisManager &) {
  if (!decide(M, Opts))
    return PreservedAnalyses::all();
  auto HasSled = [](const Function &F) {
    return entrySpecOf(F).has_value() || exitWanted(F);
  };
  if (Opts.ForLto && any_of(M, HasSled))
    addLtoGuard(M);
  return PreservedAnalyses::none();
}

void addDecidePass(PassBuilder &PB, const Options &O) {
  PB.registerPipelineStartEPCallback(
      [O](ModulePassManager &MPM, OptimizationLevel) {
        MPM.addPass(DecidePass(O));
      });
}

} // namespace tp
