// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See BitcodeGuard.h. The symbol is hidden, so that a link with -shared refuses
// it as well.

#include "BitcodeGuard.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace tp {

static constexpr StringLiteral GuardName = "tp.guard";
static constexpr StringLiteral MissingName =
    "tp: code generated from bitcode without libtppass.so: compile it with "
    "-fplugin=libtp.so, link LTO by lld with "
    "-Wl,--load-pass-plugin=libtppass.so";

void addBitcodeGuard(Module &M) {
  if (M.getNamedValue(GuardName))
    return;
  Type *Byte = Type::getInt8Ty(M.getContext());
  auto *Missing =
      new GlobalVariable(M, Byte, /*isConstant=*/true,
                         GlobalValue::ExternalLinkage, nullptr, MissingName);
  Missing->setVisibility(GlobalValue::HiddenVisibility);
  auto *Guard =
      new GlobalVariable(M, Missing->getType(), /*isConstant=*/true,
                         GlobalValue::PrivateLinkage, Missing, GuardName);
  // AddressSanitizer would put another variable in its place.
  GlobalValue::SanitizerMetadata Bare;
  Bare.NoAddress = Bare.NoHWAddress = true;
  Guard->setSanitizerMetadata(Bare);
  appendToCompilerUsed(M, {Guard});
}

bool removeBitcodeGuard(Module &M) {
  // Linked modules bring several, renamed. They are hidden globals or only
  // declarations where the linker splits code generation (--lto-partitions).
  SmallVector<GlobalVariable *, 2> Guards;
  for (GlobalVariable &G : M.globals())
    if (G.getName().starts_with(GuardName))
      Guards.push_back(&G);
  if (Guards.empty())
    return false;
  removeFromUsedLists(M, [](Constant *C) {
    return C->stripPointerCasts()->getName().starts_with(GuardName);
  });
  auto EraseIfUnused = [](GlobalVariable *G) {
    G->removeDeadConstantUsers(); // the old list
    if (G->use_empty())
      G->eraseFromParent();
  };
  for (GlobalVariable *G : Guards)
    EraseIfUnused(G);
  if (GlobalVariable *Missing = M.getNamedGlobal(MissingName))
    EraseIfUnused(Missing);
  return true;
}

} // namespace tp
