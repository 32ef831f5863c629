// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The check before a program is used.
#ifndef TPRT_PROGRAMS_PROGRAM_CHECK_H
#define TPRT_PROGRAMS_PROGRAM_CHECK_H

#include "programs/program.h"

namespace tprt {

// Which registers an operation uses: it writes `to`, and reads a and b. Two
// read what else they need: CONSTANT_HIGH its `to`, and the string after a
// BOUND.
struct Form {
  bool to, a, b;
  bool known;
};
Form formOf(uint8_t code);

// The bytes of a program of this head, as a Program. 0: the head breaks a rule.
size_t bytesOfProgram(const tprt_program_head &head);
// Returns nullptr, or the rule that the program breaks. Not in hits.
const char *programFault(Program &program);
// The place whose hits a selector with these kinds selects (enum
// tprt_kind_set). Returns nullptr, or why the program cannot run there.
const char *placeFault(const Program &program, uint32_t kinds, Place &place);

} // namespace tprt

#endif
