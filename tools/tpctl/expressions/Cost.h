// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a program is expected to cost at each call.

#ifndef TPCTL_EXPRESSIONS_COST_H
#define TPCTL_EXPRESSIONS_COST_H

#include "Program.h"

namespace tpctl::expressions {

/// In nanoseconds, by the figures of docs/performance.md.
struct Cost {
  double Usual = 0;
  /// If each read of memory needs a system call. Equal to Usual if nothing is
  /// read.
  double Most = 0;
};

/// Of a call for which all operations run. `IsRecorded`: the call is recorded,
/// and not added to a row.
Cost costOf(const Program &, bool IsRecorded);

} // namespace tpctl::expressions

#endif
