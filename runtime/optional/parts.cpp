// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists the optional parts of this library in the order in which they start,
// and checks that their state fits into a thread's block; see core/part.h.
#include "core/part.h"
#include "optional/duration.h"

namespace tprt {

void startOptions(); // options.cpp

static constexpr Part optionsPart{.start = startOptions};

static_assert(durationsPart.stateAt + durationsPart.stateBytes <= kPartBytes);

const Part *const parts[] = {&optionsPart, &durationsPart, nullptr};

} // namespace tprt
