// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The optional parts of this library, in the order in which they start, and
// where each has its state in a thread's block; see core/part.h.
#include "core/part.h"
#include "optional/duration.h"

namespace tprt {

void startOptions(); // options.cpp

static constexpr Part optionsPart{.start = startOptions};

static_assert(durationsPart.stateAt + durationsPart.stateBytes <= kPartBytes);

const Part *const parts[] = {&optionsPart, &durationsPart, nullptr};

} // namespace tprt
