// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists the components of this library in the order in which they start,
// and checks that their state fits into a thread's block; see
// threads/component.h.
#include "aggregate/aggregate_table.h"
#include "options/option_start.h"
#include "points/line_buffer.h"
#include "programs/open_calls.h"
#include "record/record_component.h"
#include "threads/component.h"
#include "timing/duration_probe.h"
#include "timing/thread_sums.h"

namespace tprt {

static constexpr Component optionsComponent{.start = startOptions};

static_assert(recordComponent.stateAt + recordComponent.stateBytes <=
              kComponentBytes);

// The recorder comes before the options, which may begin a recording.
const Component *const components[] = {
    &recordComponent,    &optionsComponent,
    &durationsComponent, &timesComponent,
    &scopesComponent,    &aggregatesComponent,
    &linesComponent,     nullptr};

} // namespace tprt
