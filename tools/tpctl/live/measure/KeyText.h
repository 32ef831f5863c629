// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The keys of rows as texts, and in JSON and CSV.

#ifndef TPCTL_LIVE_MEASURE_KEYTEXT_H
#define TPCTL_LIVE_MEASURE_KEYTEXT_H

#include "Aggregate.h"
#include "llvm/Support/JSON.h"

namespace tpctl {

/// Whether a key is the name of a function or a variable.
bool isName(const expressions::KeyFormat &F);
/// A key as a field of CSV: a time is a plain number of nanoseconds.
std::string keyField(const expressions::KeyFormat &F, const KeyValue &Key);
/// The members of a JSON object for the keys of a row.
void writeKeys(llvm::json::OStream &J, const Ask &A, const KeyValues &Keys);
/// The rows' keys by column, for reading. Names of functions are cut unless
/// `FullNames`. The frames of a stack are lines, the innermost first.
std::vector<std::vector<std::string>>
keyColumns(const Ask &A, llvm::ArrayRef<const KeyValues *> Rows,
           bool FullNames);

} // namespace tpctl

#endif
