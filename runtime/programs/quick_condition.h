// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the condition that is computed at once (QuickCondition).
#ifndef TPRT_PROGRAMS_QUICK_CONDITION_H
#define TPRT_PROGRAMS_QUICK_CONDITION_H

#include "programs/program.h"

namespace tprt {

// The first condition of a program that was checked otherwise.
QuickCondition quickConditionOf(const Program &program);

} // namespace tprt

#endif
