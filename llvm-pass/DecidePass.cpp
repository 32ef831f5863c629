// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See DecidePass.h. The order: what stands at the function beats the filter
// files, they beat the flags.

#include "DecidePass.h"
#include "FilterList.h"
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
  std::optional<EntrySpec> Entry;
};

void note(Written &W, StringRef Text) {
  if (Text == "never") {
    W.Never = true;
  } else if (Text == "always") {
    W.Always = true;
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

  bool run(Function &F, const Written &W) const {
    if (F.isDeclaration() || F.hasAvailableExternallyLinkage() ||
        F.hasFnAttribute(Attribute::Naked) || F.hasFnAttribute(EntryAttr) ||
        F.hasFnAttribute(NeverAttr))
      return false;
    if (W.Never)
      return refuse(F);
    // tp_always alone, without -ftp-entry: the smallest sled with a slot.
    EntrySpec Spec = W.Entry.value_or(Opts.Entry.value_or(EntrySpec{2, 0}));
    if (W.Entry || W.Always)
      return accept(F, Spec, 0);
    auto Verdict = Opts.Filter ? Opts.Filter->verdict(F) : FilterList::Silent;
    if (Verdict == FilterList::Never)
      return refuse(F);
    if (Verdict == FilterList::Always)
      return accept(F, Spec, 0);
    if (!Opts.Entry || isCompilerMade(F) || Resolvers.contains(&F))
      return false;
    return accept(F, Spec, Opts.Threshold);
  }

private:
  static bool refuse(Function &F) {
    F.addFnAttr(NeverAttr);
    return true;
  }

  bool accept(Function &F, const EntrySpec &Spec, unsigned Threshold) const {
    F.addFnAttr(EntryAttr, Spec.str());
    if (!Opts.SlotAuto)
      F.addFnAttr(SlotAttr, "none");
    if (Threshold)
      F.addFnAttr(ThresholdAttr, std::to_string(Threshold));
    return true;
  }

  const Options &Opts;
  SmallPtrSet<const Function *, 4> Resolvers;
};

} // namespace

bool decide(Module &M, const Options &O) {
  bool Changed = false;
  DenseMap<Function *, Written> Annotations = takeAnnotations(M, Changed);
  Decider D(M, O);
  for (Function &F : M) {
    auto Found = Annotations.find(&F);
    Changed |= D.run(F, Found == Annotations.end() ? Written() : Found->second);
  }
  return Changed;
}

PreservedAnalyses DecidePass::run(Module &M, ModuleAnalysisManager &) {
  if (!decide(M, Opts))
    return PreservedAnalyses::all();
  auto HasSled = [](const Function &F) { return entrySpecOf(F).has_value(); };
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
