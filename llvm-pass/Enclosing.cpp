// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Enclosing.h. clang leaves no link from a part to its function, so this
// file relies on names and uses. The function in which a region was written
// passes the region to the OpenMP runtime.

#include "Enclosing.h"

#include "llvm/IR/Function.h"
#include "llvm/IR/Instruction.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace tp {

static bool isRegion(const Function &F) {
  StringRef Name = F.getName();
  // The helper functions of a region carry the region's name.
  return F.hasLocalLinkage() && !Name.contains(".omp.") &&
         (Name.contains(".omp_outlined") || Name.contains("..omp_par") ||
          Name.starts_with(".omp_task_entry."));
}

const Function *regionOf(const Function &F) {
  const Function *Whole = &F;
  // Regions nest. clang makes no cycle of uses. If a module has a cycle
  // nevertheless, the bound ends the loop.
  for (unsigned Depth = 0; isRegion(*Whole) && Depth != 32; ++Depth) {
    const Function *User = nullptr;
    for (const llvm::User *U : Whole->users())
      if (const auto *I = dyn_cast<Instruction>(U);
          I && I->getFunction() != Whole)
        User = I->getFunction();
    if (!User)
      break;
    Whole = User;
  }
  return Whole == &F || isRegion(*Whole) ? nullptr : Whole;
}

/// "__f_block_invoke", "__f_block_invoke_2".
const Function *blockOf(const Function &F) {
  StringRef Name = F.getName();
  size_t End = Name.rfind("_block_invoke");
  if (End == StringRef::npos || !Name.consume_front("__"))
    return nullptr;
  return F.getParent()->getFunction(Name.take_front(End - 2));
}

} // namespace tp
