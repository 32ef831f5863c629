// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See WordSledTarget.h.

#include "WordSledTarget.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tp {

EntryLayout WordSledTarget::layOutEntry(const EntryFacts &X) const {
  EntryLayout L;
  L.FunctionAlign = std::max(X.FunctionAlign, Align(2));
  unsigned AfterNops = (X.HasTypeId ? 4 : 0) + X.Signature;
  unsigned AfterFront = X.OwnPrefix + X.Spec.Before * WordBytes + AfterNops;
  bool HasSlot =
      veneerWords() && X.SlotAllowed && X.Spec.Before >= veneerWords();
  L.Front = offsetToAlignment(AfterFront, std::max(X.Wanted, Align(WordBytes)));
  L.Sled = {TPRT_SHAPE_WORD,
            HasSlot ? veneerWords() * WordBytes + AfterNops : 0, 0,
            X.Spec.after() * WordBytes};
  return L;
}

Constant *WordSledTarget::nopData(LLVMContext &Context, unsigned Count) const {
  SmallVector<uint32_t> Data(Count, nop());
  return ConstantDataArray::get(Context, Data);
}

} // namespace tp
