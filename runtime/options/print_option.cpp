// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TPRT_OPTIONS=print=GLOB: attaches a printing probe for each pattern when the
// library is loaded. The lines go to the file of `output`, or to standard
// error.
#include "options/print_option.h"
#include "options/option_start.h"
#include "options/option_tables.h"
#include "options/option_values.h"
#include "tprt/point.h"

namespace tprt {

static tprt_point_output output = TPRT_POINT_OUTPUT(-1);

void forgetLostLines() { __atomic_store_n(&output.lost, 0, __ATOMIC_RELAXED); }

void tellLostLines() {
  uint64_t lost = __atomic_exchange_n(&output.lost, 0, __ATOMIC_RELAXED);
  if (lost)
    tell(1, "tprt: ", lost,
         lost == 1 ? " line of print= was" : " lines of print= were",
         " lost: ", options.output ? options.output : "standard error",
         lost == 1 ? " did not accept the whole line\n"
                   : " did not accept the whole lines\n");
}

bool startPrinting() {
  bool any = false;
  if (options.printed.count)
    output.fd = outputForLines();
  for (size_t i = 0; i < options.printed.count; ++i) {
    tprt_selector selector = selectorOf(options.printed, i);
    tprt_action action{};
    action.flags = TPRT_HANDLER_GENERAL_REGS_ONLY;
    action.handler = tprt_point_print;
    action.data = &output;
    tprt_probe *probe = nullptr; // stays attached
    tprt_result result{};
    Quiet quiet;
    tprt_status status = tprt_probe_attach(&selector, &action, &probe, &result);
    quiet.end();
    sayHowItWent(options.printed, i, status, result);
    any |= probe != nullptr;
  }
  return any;
}

} // namespace tprt
