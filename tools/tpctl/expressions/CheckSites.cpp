// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of Checker about names at single instructions and at points.

#include "Check.h"

#include "Registers.h"
#include "tprt/control_program.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;

namespace tpctl::expressions {

std::optional<Meaning> Checker::ofRegister(const Node &N) {
  auto Number = registerNumber(StringRef(N.Text).drop_front(), Machine.IsX86);
  if (!Number)
    return fail(N.Place, "this processor has no register " + N.Text + "; its " +
                             "registers are " +
                             (Machine.IsX86 ? "$rax, $rbx and so on to $r15"
                                            : "$x0 to $x30 and $sp"));
  if (!Function || Function->At == Site::Call)
    return fail(N.Place, "registers are known at single instructions, as of "
                         "the pattern f+0x10; when a call begins, its "
                         "arguments are arg0, arg1 and so on");
  if (Function->At == Site::Point)
    return fail(N.Place, "registers are known at single instructions, and " +
                             Function->Function + " is a point");
  Meaning M;
  M.Code = TPRT_PROGRAM_REGISTER;
  M.Number = *Number;
  return M;
}

/// The arguments of a point are arg0, arg1 and so on, too.
std::optional<Meaning> Checker::ofPoint(const Node &N) {
  StringRef Rest = N.Text;
  unsigned Number;
  if (Function->At != Site::Point || !Rest.consume_front("arg") ||
      Rest.getAsInteger(10, Number))
    return std::nullopt;
  if (Number < Arguments.size())
    return located(N, Function->Arguments[Number].T, Arguments[Number]);
  return fail(N.Place,
              "the point " + text(*Function) + " has " +
                  (Arguments.empty() ? Twine("no arguments")
                   : Arguments.size() == 1
                       ? Twine("only arg0")
                       : "only arg0 to arg" + Twine(Arguments.size() - 1)));
}

std::optional<Meaning> Checker::unknownInside(const Node &N) {
  StringRef Given = N.Text;
  bool IsPoint = Function->At == Site::Point;
  if (auto Count = Function->ArgumentsOfProbe;
      Count && Given.starts_with("arg") && Given.size() > 3 &&
      all_of(Given.drop_front(3), isDigit))
    return fail(N.Place,
                "the probe " + Function->Function + " has " +
                    (!*Count       ? "no arguments"
                     : *Count == 1 ? "only arg0"
                                   : "only arg0 to arg" + utostr(*Count - 1)));
  if (!IsPoint && Given.starts_with("arg") && isBuiltInName(Given))
    return fail(N.Place, "'" + Given + "' is known when a call begins, and " +
                             Function->Function +
                             " is a single instruction; write the name of a "
                             "variable, or a register, as in " +
                             (Machine.IsX86 ? "$rdi" : "$x0"));
  if (isBuiltInName(Given) || Given == "line")
    return fail(N.Place, "'" + Given + "' is known of calls, and " +
                             Function->Function + " is a " +
                             (IsPoint ? "point" : "single instruction") +
                             "; select functions for it");
  if (IsPoint)
    return fail(N.Place, "'" + Given + "' is no argument of the point " +
                             text(*Function) +
                             (Function->WhyUnknown.empty()
                                  ? ""
                                  : ", because " + Function->WhyUnknown));
  if (!Function->WhyUnknown.empty())
    return fail(N.Place, "'" + Given + "' is no known name, because " +
                             Function->WhyUnknown +
                             "; a register is written "
                             "as in " +
                             (Machine.IsX86 ? "$rdi" : "$x0"));
  std::string Names;
  size_t Count = 0;
  StringSet<> Known; // an outer variable may have the name of an inner one
  for (const ArgumentType &A : Function->Arguments)
    if (Known.insert(A.Name).second && Count++ < 8)
      Names += (Names.empty() ? "" : ", ") + A.Name;
  return fail(N.Place, "'" + Given + "' is no variable at " +
                           Function->Function +
                           (Names.empty() ? ", where there are none"
                                          : ", where there are " + Names) +
                           (Count > 8 ? " and others" : ""));
}

std::optional<Meaning> Checker::namedInside(const Node &N) {
  StringRef Given = N.Text;
  Meaning M;
  if (Given == "thread") {
    M.Code = TPRT_PROGRAM_THREAD;
    M.T = Type::integer(32, true);
    return M;
  }
  if (Given == "function" || Given == "process") {
    M.Kind = Given == "process" ? Meaning::Process : Meaning::Function;
    M.Code = TPRT_PROGRAM_FUNCTION;
    return M;
  }
  for (size_t I = 0; I < Arguments.size(); ++I)
    if (const ArgumentType &A = Function->Arguments[I]; A.Name == Given)
      return located(N, A.T, Arguments[I]);
  if (auto Found = ofPoint(N); Found || !Failure.empty())
    return Found;
  auto Found = Function->Names ? ofScope(N, *Function->Names) : std::nullopt;
  return Found ? Found : unknownInside(N);
}

} // namespace tpctl::expressions
