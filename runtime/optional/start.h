// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What counting and timing have in common when they start.
#ifndef TPRT_OPTIONAL_START_H
#define TPRT_OPTIONAL_START_H

#include "optional/options.h"
#include "tprt/tprt.h"

namespace tprt {

// The selector of pattern number `which`: it waits for modules, and leaves out
// what `not` names, and what the patterns before this one take. To be used
// before the next one is made.
tprt_selector selectorOf(const Patterns &patterns, size_t which);

// Holds the sentence of an attach that finds nothing back: it belongs to the
// end, as modules may come that have what it looks for.
class Quiet {
public:
  Quiet();
  void end();

private:
  int before;
};

// After the attach for pattern number `which`.
void sayHowItWent(const Patterns &patterns, size_t which, tprt_status status,
                  const tprt_result &result);

} // namespace tprt

#endif
