// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See CallFrames.h.

#include "CallFrames.h"

using namespace llvm;
using namespace llvm::dwarf;

namespace tpctl::types {

void CallFrames::open() {
  IsOpen = true;
  auto Opened = object::ObjectFile::createObjectFile(Path);
  if (!Opened)
    return consumeError(Opened.takeError());
  File = std::move(*Opened);
  auto ignore = [](Error E) { consumeError(std::move(E)); };
  Context = DWARFContext::create(*File.getBinary(),
                                 DWARFContext::ProcessDebugRelocations::Ignore,
                                 nullptr, "", ignore, ignore);
  auto isEmpty = [](const DWARFDebugFrame *Of) { return !Of || Of->empty(); };
  for (auto Read : {&DWARFContext::getEHFrame, &DWARFContext::getDebugFrame}) {
    auto Found = ((*Context).*Read)();
    if (!Found)
      consumeError(Found.takeError());
    else if (isEmpty(Frames))
      Frames = *Found;
  }
}

const FDE *CallFrames::find(uint64_t Address) {
  auto has = [&](const FDE &Of) {
    return Address >= Of.getInitialLocation() &&
           Address - Of.getInitialLocation() < Of.getAddressRange();
  };
  if (Last && has(*Last))
    return Last;
  for (const FrameEntry &Each : Frames->entries())
    if (const auto *Of = dyn_cast<FDE>(&Each); Of && has(*Of))
      return Last = Of;
  return nullptr;
}

/// Whether the address is a register's value and an offset.
static bool isSum(const UnwindLocation &Of) {
  return Of.getLocation() == UnwindLocation::RegPlusOffset &&
         !Of.getDereference() && !Of.hasAddressSpace();
}

std::optional<CanonicalFrame> CallFrames::canonicalAt(uint64_t Address) {
  if (!IsOpen)
    open();
  const FDE *Function = Frames ? find(Address) : nullptr;
  if (!Function)
    return std::nullopt;
  auto Table = createUnwindTable(Function);
  if (!Table) {
    consumeError(Table.takeError());
    return std::nullopt;
  }
  std::optional<CanonicalFrame> Found;
  for (const UnwindRow &Row : *Table) {
    if (Row.hasAddress() && Row.getAddress() > Address)
      break;
    const UnwindLocation &Cfa = Row.getCFAValue();
    Found.reset();
    if (isSum(Cfa))
      Found.emplace(CanonicalFrame{{Cfa.getRegister(), Cfa.getOffset()}, true});
  }
  if (Found)
    for (const UnwindRow &Row : *Table)
      if (const UnwindLocation &Cfa = Row.getCFAValue();
          isSum(Cfa) && Cfa.getRegister() == Found->Register)
        Found->IsWhole &= Cfa.getOffset() <= Found->Offset;
  return Found;
}

} // namespace tpctl::types
