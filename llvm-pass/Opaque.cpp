// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Opaque.h. LLVM 22 has no attribute for this, so each way of looking into
// a function from its callers is closed by what closes it:
//
// - noinline: copies of the body, also by import in ThinLTO.
// - nobuiltin on a definition: GlobalValue::mayBeDerefined() is then true, so
//   nothing takes the body for the one that will run. No attribute is inferred
//   from it, no result propagated, no register usage (-enable-ipra).
// - a place in llvm.compiler.used: a local function, or one that LTO made
//   local, counts as one whose address is taken. Its arguments are neither
//   tracked nor dropped nor promoted, its convention stays, and it is not
//   specialised.
// - an empty asm in the body: some passes execute or measure bodies without
//   asking whether they are final (global constructors at compile time, virtual
//   constant propagation, removal of empty destructors and constructors). They
//   stop at the asm. ThinLTO's index takes the asm for a call of something
//   unknown. The asm may not be duplicated, as function specialisation clones
//   bodies for single calls.
// - a different value of "tp-opaque" for each function: two functions with the
//   same body differ and are not merged.
//
// Linkage, visibility and name stay as they are. The place in the list and the
// asm are removed before code generation: a static function would get a landing
// pad for indirect calls, and the asm would show in listings.

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
  // clang infers nounwind from the body, too. With an unwind table nothing else
  // depends on the attribute.
  if (F.hasUWTable())
    F.removeFnAttr(Attribute::NoUnwind);
  for (User *U : F.users())
    if (auto *Call = dyn_cast<CallBase>(U);
        Call && Call->getCalledOperand() == &F)
      Call->removeFnAttr(Attribute::AlwaysInline);
  // The real definition of a copy is elsewhere, and no pass treats the copy as
  // the real one.
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

// Erases those of these functions that nothing uses. A function may be used by
// another one that is erased, so this goes round until nothing changes: what is
// left does not depend on the order.
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
  // Some of these were used by the list only.
  eraseUnused(Release);
  return true;
}

} // namespace tp
