// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Why a selector selects nothing.
#ifndef TPRT_PROBES_NO_MATCH_H
#define TPRT_PROBES_NO_MATCH_H

#include "select/select.h"

namespace tprt {

// Called for a pattern that selects nothing. Returns the status and explains
// the reason.
tprt_status explainNothing(const Pattern &pattern, const FoundNames &names);

} // namespace tprt

#endif
