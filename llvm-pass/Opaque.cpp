// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Opaque.h. LLVM 22 has no single attribute that keeps callers from using a
// function's body. So each kind of use is prevented separately:
//
// - noinline prevents copies of the body, also by import in ThinLTO.
// - nobuiltin on a definition makes GlobalValue::mayBeDerefined() true, so no
//   pass assumes that this body will run. No attribute is inferred from the
//   body, and no result or register usage (-enable-ipra) is propagated.
// - If a local function, or a function that LTO made local, has an entry in
//   llvm.compiler.used, LLVM assumes that its address is taken. So LLVM does
//   not track, drop or promote the arguments, does not change the calling
//   convention, and does not specialise the function.
// - An empty asm in the body stops passes that execute or measure a body
//   without a check that this body will run: evaluation of global constructors,
//   virtual constant propagation, removal of empty destructors and
//   constructors. ThinLTO's index treats the asm as a call of an unknown
//   function. The asm is marked noduplicate, because function specialisation
//   clones bodies for single calls.
// - Each function has a different value of "tp-opaque", so two functions with
//   the same body are not merged.
//
// Linkage, visibility and name do not change. The list entry and the asm are
// removed before code generation. Otherwise a static function would get a
// landing pad for indirect calls, and listings would show the asm.

#include "Opaque.h"
#include "SledSpec.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace tp {

static constexpr StringLiteral BarrierKind = "tp.opaque";
static constexpr StringLiteral HeldPrefix = "held:";

Hider::Hider(Module &M) : M(M) {
  SmallVector<GlobalValue *> List;
  collectUsedGlobalVariables(M, List, /*CompilerUsed=*/false);
  collectUsedGlobalVariables(M, List, /*CompilerUsed=*/true);
  Used.insert(List.begin(), List.end());
}

Hider::~Hider() {
  if (!Held.empty())
    appendToCompilerUsed(M, Held);
}

static void addBarrier(Function &F) {
  BasicBlock &Entry = F.getEntryBlock();
  IRBuilder<> B(&Entry, Entry.getFirstNonPHIOrDbgOrAlloca());
  B.SetCurrentDebugLocation(DebugLoc());
  auto *Nothing = InlineAsm::get(FunctionType::get(B.getVoidTy(), false), "",
                                 "", /*hasSideEffects=*/true);
  CallInst *Call = B.CreateCall(Nothing);
  Call->addFnAttr(Attribute::NoDuplicate);
  Call->setMetadata(BarrierKind, MDNode::get(F.getContext(), {}));
}

bool Hider::hide(Function &F) {
  if (isOpaque(F))
    return true;
  if (F.hasFnAttribute(Attribute::AlwaysInline))
    return false;
  F.addFnAttr(Attribute::NoInline);
  F.addFnAttr(Attribute::NoBuiltin);
  // clang infers nounwind from the body, too. If the function has an unwind
  // table, no other result depends on the attribute.
  if (F.hasUWTable())
    F.removeFnAttr(Attribute::NoUnwind);
  for (User *U : F.users())
    if (auto *Call = dyn_cast<CallBase>(U);
        Call && Call->getCalledOperand() == &F)
      Call->removeFnAttr(Attribute::AlwaysInline);
  // The definition that will run is in another module, and no pass assumes that
  // this copy will run.
  bool Copy = F.hasAvailableExternallyLinkage();
  bool Hold = !Copy && !Used.contains(&F);
  F.addFnAttr(OpaqueAttr, ((Hold ? HeldPrefix : "") + F.getName()).str());
  if (Hold)
    Held.push_back(&F);
  if (!Copy)
    addBarrier(F);
  return true;
}

static bool removeBarriers(Function &F) {
  bool Changed = false;
  for (BasicBlock &BB : F)
    for (Instruction &I : make_early_inc_range(BB))
      if (I.hasMetadata() && I.getMetadata(BarrierKind)) {
        I.eraseFromParent();
        Changed = true;
      }
  return Changed;
}

// Erases those of the given functions that are unused. After one is erased,
// another one may be unused, so the loop repeats until nothing changes. So the
// result does not depend on the order.
static void eraseUnused(SmallVectorImpl<Function *> &Functions) {
  bool Erased = true;
  while (Erased) {
    Erased = false;
    for (Function *&F : Functions) {
      if (!F)
        continue;
      F->removeDeadConstantUsers();
      if (!F->isDefTriviallyDead())
        continue;
      F->eraseFromParent();
      F = nullptr;
      Erased = true;
    }
  }
}

bool unhide(Module &M) {
  bool Changed = false;
  SmallVector<Function *> Release;
  for (Function &F : M) {
    if (F.isDeclaration() || !isOpaque(F))
      continue;
    Changed |= removeBarriers(F);
    if (F.getFnAttribute(OpaqueAttr).getValueAsString().starts_with(HeldPrefix))
      Release.push_back(&F);
  }
  if (Release.empty())
    return Changed;
  const SmallPtrSet<Constant *, 8> Released(Release.begin(), Release.end());
  removeFromUsedLists(M, [&](Constant *C) {
    return Released.contains(C->stripPointerCasts());
  });
  // Some of these functions had no other use than the list.
  eraseUnused(Release);
  return true;
}

} // namespace tp
