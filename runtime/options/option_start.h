// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What happens to TPRT_OPTIONS when the library is loaded: the functions that
// the files of the single options share. Called once, by the constructor.
#ifndef TPRT_OPTIONS_OPTION_START_H
#define TPRT_OPTIONS_OPTION_START_H

#include "options/option_values.h"
#include "tprt/tprt.h"

namespace tprt {

// Follows TPRT_OPTIONS, if the variable is set. Programs that gain privileges
// (AT_SECURE) ignore it.
void startOptions();

// The selector of pattern number `which`. It also finds sites of modules that
// are loaded later. It leaves out the functions that `not` names and those that
// the patterns before this one take. It must be used before the next selector
// is made.
tprt_selector selectorOf(const Patterns &patterns, size_t which);

// Keeps an attach that finds nothing from printing that. A line at the end of
// the process does so, as modules with matching functions may be loaded later.
class Quiet {
public:
  Quiet();
  void end();

private:
  int before;
};

// Whether this pattern of `count` matches a point that the program has no
// statement of, and only asks for by TPRT_POINT_ON.
bool matchesTests(const Patterns &patterns, size_t which);

// The message about such a point.
constexpr char kOnlyTested[] =
    "the program only asks whether that point is on, so there is no statement "
    "to count; print= turns it on";

// Prints how the attach for pattern number `which` went.
void sayHowItWent(const Patterns &patterns, size_t which, tprt_status status,
                  const tprt_result &result);

} // namespace tprt

#endif
