// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Cost.h.

#include "Cost.h"

#include "tprt/control_program.h"
#include <cstring>

using namespace llvm;

namespace tpctl::expressions {
namespace {

// Nanoseconds, from the figures of docs/performance.md and of its machine.
constexpr double Handler = 3.8;    ///< ask_false_over_handler_ns
constexpr double Operation = 1.8;  ///< the same, for three operations
constexpr double Row = 7.1;        ///< ask_key_over_hand_ns
constexpr double Sum = 3.5;        ///< ask_sum_over_hand_ns
constexpr double Histogram = 3;    ///< a bucket in place of nothing
constexpr double Load = 2;         ///< memory that is known to stay
constexpr double String = 16;      ///< ask_string_ns, without its operation
constexpr double SystemCall = 450; ///< process_vm_readv of 8 to 256 bytes
constexpr double Call = 12;        ///< the list of open calls, and the clock
constexpr double Event = 8;        ///< an event with values in a recording
constexpr double Look = 3;         ///< at the list of another group
constexpr double Atomic = 5; ///< the count of --hits, if it is contended more

} // namespace

Cost costOf(const Program &P, bool IsRecorded) {
  tprt_program_head Head;
  memcpy(&Head, P.Bytes.data(), sizeof Head);
  Cost Of;
  unsigned Reads = 0;
  bool HasValue = false;
  for (size_t I = 0; I < Head.operations; ++I) {
    tprt_program_operation O;
    memcpy(&O, P.Bytes.data() + sizeof Head + I * sizeof O, sizeof O);
    Of.Usual += Operation;
    switch (O.code) {
    case TPRT_PROGRAM_LOAD:
      Of.Usual += Load;
      ++Reads;
      break;
    case TPRT_PROGRAM_MATCH:
    case TPRT_PROGRAM_TEXT_EQUAL:
    case TPRT_PROGRAM_KEY_STRING:
      Of.Usual += String;
      ++Reads;
      break;
    case TPRT_PROGRAM_INSIDE:
    case TPRT_PROGRAM_DEPTH:
      Of.Usual += Look;
      break;
    case TPRT_PROGRAM_STOP_IF:
      Of.Usual += O.number > 1 ? Atomic : 0;
      break;
    case TPRT_PROGRAM_VALUE:
      HasValue = true;
      break;
    default:
      break;
    }
  }
  // A program at the end has a hit at the entry, too.
  Of.Usual += P.AtEnd ? 2 * Handler + Call : Handler;
  if (IsRecorded)
    Of.Usual += P.AtEnd ? Event : 2 * Event + Call;
  else
    Of.Usual += Row + (HasValue ? Sum : 0) +
                (Head.flags & TPRT_PROGRAM_HISTOGRAM ? Histogram : 0);
  Of.Most = Of.Usual + Reads * SystemCall;
  return Of;
}

} // namespace tpctl::expressions
