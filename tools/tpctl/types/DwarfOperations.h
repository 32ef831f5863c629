// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operations of DWARF's expressions (DWARF 5, section 2.5).

#ifndef TPCTL_TYPES_DWARFOPERATIONS_H
#define TPCTL_TYPES_DWARFOPERATIONS_H

#include "llvm/DebugInfo/DWARF/DWARFDie.h"
#include "llvm/DebugInfo/DWARF/DWARFUnit.h"
#include "llvm/DebugInfo/DWARF/LowLevel/DWARFExpression.h"
#include <optional>
#include <vector>

namespace tpctl::types {

/// The operations of an entry's expression. None if one is unknown.
inline std::vector<llvm::DWARFExpression::Operation>
operationsOf(const llvm::DWARFDie &Die, llvm::ArrayRef<uint8_t> Bytes) {
  llvm::DWARFUnit *Unit = Die.getDwarfUnit();
  llvm::DataExtractor Data(llvm::toStringRef(Bytes), Unit->isLittleEndian(), 8);
  std::vector<llvm::DWARFExpression::Operation> Result;
  for (const auto &Each :
       llvm::DWARFExpression(Data, 8, Unit->getFormParams().Format)) {
    if (Each.isError())
      return {};
    Result.push_back(Each);
  }
  return Result;
}

/// The register that an operation names as a value's place.
inline std::optional<uint64_t>
registerOf(const llvm::DWARFExpression::Operation &Of) {
  using namespace llvm::dwarf;
  if (Of.getCode() >= DW_OP_reg0 && Of.getCode() <= DW_OP_reg31)
    return Of.getCode() - DW_OP_reg0;
  if (Of.getCode() == DW_OP_regx)
    return Of.getRawOperand(0);
  return std::nullopt;
}

/// The address in the file that an operation pushes.
inline std::optional<uint64_t>
addressOf(const llvm::DWARFDie &Die,
          const llvm::DWARFExpression::Operation &Of) {
  using namespace llvm::dwarf;
  if (Of.getCode() == DW_OP_addr)
    return Of.getRawOperand(0);
  if (Of.getCode() == DW_OP_addrx || Of.getCode() == DW_OP_GNU_addr_index)
    if (auto Indexed = Die.getDwarfUnit()->getAddrOffsetSectionItem(
            static_cast<uint32_t>(Of.getRawOperand(0))))
      return Indexed->Address;
  return std::nullopt;
}

} // namespace tpctl::types

#endif
