// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TPRT_OPTIONS=skip=GLOB: skips the calls of profilers in matching functions
// (docs/explanation/code-probes.md), in libraries that are loaded later, too.
// Runs once, when the library is loaded.
#include "options/skip_option.h"
#include "options/option_start.h"

namespace tprt {

void startSkipping() {
  for (size_t i = 0; i < options.skipped.count; ++i) {
    tprt_selector selector = selectorOf(options.skipped, i);
    tprt_action action{};
    action.kind = TPRT_ACTION_SKIP;
    tprt_probe *probe = nullptr; // It stays until the process ends.
    tprt_result result{};
    Quiet quiet;
    tprt_status status = tprt_probe_attach(&selector, &action, &probe, &result);
    quiet.end();
    sayHowItWent(options.skipped, i, status, result);
  }
}

} // namespace tprt
