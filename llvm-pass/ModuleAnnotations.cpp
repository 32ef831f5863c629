// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ModuleAnnotations.h.

#include "ModuleAnnotations.h"
#include "Enclosing.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace tp {

static StringRef annotationText(const ConstantStruct &Entry) {
  auto *Global =
      dyn_cast<GlobalVariable>(Entry.getOperand(1)->stripPointerCasts());
  auto *Data = Global && Global->hasInitializer()
                   ? dyn_cast<ConstantDataSequential>(Global->getInitializer())
                   : nullptr;
  return Data && Data->isCString() ? Data->getAsCString() : StringRef();
}

/// Adds the attribute of one list element to \p Result. Returns false if the
/// element is not ours.
static bool takeElement(const Value &Element, AttributeMap &Result) {
  const auto *Entry = dyn_cast<ConstantStruct>(&Element);
  if (!Entry)
    return false;
  auto *F = dyn_cast<Function>(Entry->getOperand(0)->stripPointerCasts());
  auto A = SourceAttribute::parse(annotationText(*Entry));
  if (!F || !A)
    return false;
  Result[F].add(*A);
  return true;
}

/// Replaces \p List by a list of \p Rest, which may be empty.
static void replaceList(GlobalVariable &List, ArrayRef<Constant *> Rest) {
  if (!Rest.empty()) {
    auto *Type = ArrayType::get(Rest[0]->getType(), Rest.size());
    auto *New =
        new GlobalVariable(*List.getParent(), Type, List.isConstant(),
                           List.getLinkage(), ConstantArray::get(Type, Rest));
    New->copyAttributesFrom(&List);
    New->takeName(&List);
  }
  List.eraseFromParent();
}

AttributeMap takeAnnotations(Module &M, bool &Changed) {
  AttributeMap Result;
  GlobalVariable *List = M.getGlobalVariable("llvm.global.annotations");
  auto *Array = List && List->hasInitializer()
                    ? dyn_cast<ConstantArray>(List->getInitializer())
                    : nullptr;
  if (!Array)
    return Result;
  SmallVector<Constant *> Others;
  for (Value *Element : Array->operands())
    if (!takeElement(*Element, Result))
      Others.push_back(cast<Constant>(Element));
  if (Others.size() != Array->getNumOperands()) {
    Changed = true;
    replaceList(*List, Others);
  }
  return Result;
}

SourceAttributes attributesFor(const Function &F, const AttributeMap &All) {
  if (const Function *Whole = regionOf(F))
    return attributesFor(*Whole, All);
  SourceAttributes Result = All.lookup(&F);
  if (const Function *Around = blockOf(F))
    Result.takeScopeOf(All.lookup(Around));
  return Result;
}

bool isPartOfFunction(const Function &F) { return regionOf(F) || blockOf(F); }

} // namespace tp
