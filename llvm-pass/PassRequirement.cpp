// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See PassRequirement.h. The symbol is hidden, so that a link with -shared
// fails as well.

#include "PassRequirement.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace tp {

/// The name of the variable that refers to the undefined symbol. Modules of
/// earlier versions use the same name.
static constexpr StringLiteral HolderName = "tp.guard";
static constexpr StringLiteral MissingName =
    "tp: code generated from bitcode without libtppass.so: compile with "
    "-fplugin=libtp.so, and link LTO by lld with "
    "-Wl,--load-pass-plugin=libtppass.so";

void addPassRequirement(Module &M) {
  if (M.getNamedValue(HolderName))
    return;
  Type *Byte = Type::getInt8Ty(M.getContext());
  auto *Missing =
      new GlobalVariable(M, Byte, /*isConstant=*/true,
                         GlobalValue::ExternalLinkage, nullptr, MissingName);
  Missing->setVisibility(GlobalValue::HiddenVisibility);
  auto *Holder =
      new GlobalVariable(M, Missing->getType(), /*isConstant=*/true,
                         GlobalValue::PrivateLinkage, Missing, HolderName);
  // AddressSanitizer would replace the variable by another one.
  GlobalValue::SanitizerMetadata Bare;
  Bare.NoAddress = Bare.NoHWAddress = true;
  Holder->setSanitizerMetadata(Bare);
  appendToCompilerUsed(M, {Holder});
}

bool removePassRequirement(Module &M) {
  // A link of several modules has several of these variables, under new names.
  // If the linker splits code generation (--lto-partitions), they are hidden
  // globals or only declarations.
  SmallVector<GlobalVariable *, 2> Holders;
  for (GlobalVariable &G : M.globals())
    if (G.getName().starts_with(HolderName))
      Holders.push_back(&G);
  if (Holders.empty())
    return false;
  removeFromUsedLists(M, [](Constant *C) {
    return C->stripPointerCasts()->getName().starts_with(HolderName);
  });
  auto EraseIfUnused = [](GlobalVariable *G) {
    G->removeDeadConstantUsers(); // the old list
    if (G->use_empty())
      G->eraseFromParent();
  };
  for (GlobalVariable *G : Holders)
    EraseIfUnused(G);
  if (GlobalVariable *Missing = M.getNamedGlobal(MissingName))
    EraseIfUnused(Missing);
  return true;
}

} // namespace tp
