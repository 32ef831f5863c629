// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs as text.

#include "Program.h"

#include "tprt/control_program.h"
#include "llvm/Support/Format.h"
#include <cstring>

using namespace llvm;

namespace tpctl::expressions {
namespace {

/// How an operation from ADD to LESS_EQUAL_UNSIGNED is written, in the order of
/// the codes.
constexpr StringLiteral Signs[] = {"+",           "-",  "*",          "/",
                                   "/ unsigned",  "%",  "% unsigned", "&",
                                   "|",           "^",  "<<",         ">>",
                                   ">> unsigned", "==", "!=",         "<",
                                   "< unsigned",  "<=", "<= unsigned"};

/// The same from FLOAT_ADD to FLOAT_LESS_EQUAL.
constexpr StringLiteral FloatSigns[] = {"+", "-", "*", "/", "==", "<", "<="};

/// What is converted, and to what, from FLOAT_FROM_SIGNED to FLOAT_TO_SINGLE.
constexpr StringLiteral Conversions[] = {
    "signed, as a double",   "unsigned, as a double", "a double, as signed",
    "a double, as unsigned", "a float, as a double",  "a double, as a float"};

class Describer {
public:
  Describer(raw_ostream &OS, StringRef Text) : OS(OS), Text(Text) {}
  void print(size_t Place, const tprt_program_operation &O);

private:
  void loaded(const tprt_program_operation &O);
  void string(int32_t At) {
    OS << '"';
    OS.write_escaped(Text.drop_front(std::min<size_t>(At, Text.size()))
                         .take_until([](char C) { return !C; }));
    OS << '"';
  }

  raw_ostream &OS;
  StringRef Text;
};

void Describer::loaded(const tprt_program_operation &O) {
  switch (O.code) {
  case TPRT_PROGRAM_CONSTANT:
    OS << O.number;
    return;
  case TPRT_PROGRAM_CONSTANT_HIGH:
    OS << format("0x%x in the upper half", static_cast<uint32_t>(O.number));
    return;
  case TPRT_PROGRAM_COPY:
    OS << 'r' << +O.a;
    return;
  case TPRT_PROGRAM_KEPT:
    OS << "what was kept as " << O.number;
    return;
  case TPRT_PROGRAM_ARGUMENT:
    OS << "arg" << O.number;
    return;
  case TPRT_PROGRAM_STACK_ARGUMENT:
    OS << "word " << O.number << " of the arguments in memory";
    return;
  case TPRT_PROGRAM_FLOAT_ARGUMENT:
    OS << "vector argument " << O.number;
    return;
  case TPRT_PROGRAM_RESULT:
    OS << (O.number ? "the result's second register" : "result");
    return;
  case TPRT_PROGRAM_FLOAT_RESULT:
    OS << "vector result " << O.number;
    return;
  case TPRT_PROGRAM_DURATION:
    OS << "duration";
    return;
  case TPRT_PROGRAM_THREAD:
    OS << "thread";
    return;
  case TPRT_PROGRAM_CALLER:
    OS << "caller";
    return;
  case TPRT_PROGRAM_FUNCTION:
    OS << "function";
    return;
  case TPRT_PROGRAM_ERROR:
    OS << "errno";
    return;
  case TPRT_PROGRAM_INSIDE:
    OS << "inside a call of --in";
    return;
  case TPRT_PROGRAM_DEPTH:
    OS << "depth";
    return;
  case TPRT_PROGRAM_REGISTER:
    OS << "register " << O.number;
    return;
  case TPRT_PROGRAM_POINT_VALUE:
    OS << "the point's argument " << O.number;
    return;
  case TPRT_PROGRAM_SIGN_EXTEND:
  case TPRT_PROGRAM_ZERO_EXTEND:
    OS << "the lowest " << O.number << " bits of r" << +O.a << ", "
       << (O.code == TPRT_PROGRAM_SIGN_EXTEND ? "signed" : "unsigned");
    return;
  case TPRT_PROGRAM_LOAD:
    OS << +O.b << (O.b == 1 ? " byte" : " bytes") << " at r" << +O.a;
    if (O.number)
      OS << (O.number < 0 ? " - " : " + ")
         << std::abs(static_cast<int64_t>(O.number));
    return;
  case TPRT_PROGRAM_MATCH:
  case TPRT_PROGRAM_TEXT_EQUAL:
    OS << "str(r" << +O.a << ") "
       << (O.code == TPRT_PROGRAM_MATCH ? "=~ " : "== ");
    string(O.number);
    return;
  default:
    break;
  }
  unsigned Code = O.code & ~TPRT_PROGRAM_IMMEDIATE;
  if (Code >= TPRT_PROGRAM_FLOAT_FROM_SIGNED) {
    OS << 'r' << +O.a << ", "
       << Conversions[Code - TPRT_PROGRAM_FLOAT_FROM_SIGNED];
    return;
  }
  if (Code >= TPRT_PROGRAM_FLOAT_ADD) {
    OS << 'r' << +O.a << ' ' << FloatSigns[Code - TPRT_PROGRAM_FLOAT_ADD]
       << " r" << +O.b << ", doubles";
    return;
  }
  StringRef Sign = Signs[Code - TPRT_PROGRAM_ADD];
  OS << 'r' << +O.a << ' ' << Sign << ' ';
  if (O.code & TPRT_PROGRAM_IMMEDIATE)
    OS << O.number;
  else
    OS << 'r' << +O.b;
}

void Describer::print(size_t Place, const tprt_program_operation &O) {
  OS << format("%3zu  ", Place);
  size_t To = Place + 1 + static_cast<size_t>(O.number);
  switch (O.code) {
  case TPRT_PROGRAM_JUMP:
    OS << "go to " << To;
    break;
  case TPRT_PROGRAM_JUMP_IF_ZERO:
    OS << "if r" << +O.a << " is 0, go to " << To;
    break;
  case TPRT_PROGRAM_JUMP_IF_NOT_ZERO:
    OS << "if r" << +O.a << " is not 0, go to " << To;
    break;
  case TPRT_PROGRAM_BOUND:
    OS << "the next string has at most r" << +O.a << " bytes";
    break;
  case TPRT_PROGRAM_FILTER:
    OS << "if r" << +O.a << " is 0, do not count the hit";
    break;
  case TPRT_PROGRAM_STOP_IF:
    OS << "if r" << +O.a << " is not 0, this is ";
    if (O.number > 1)
      OS << "one of the " << O.number << " hits that count";
    else
      OS << "the last hit";
    break;
  case TPRT_PROGRAM_KEY:
    OS << "key r" << +O.a;
    break;
  case TPRT_PROGRAM_KEY_STRING:
    OS << "key str(r" << +O.a << ", " << O.number << ')';
    break;
  case TPRT_PROGRAM_KEY_STACK:
    OS << "key stack(" << O.number << ')';
    break;
  case TPRT_PROGRAM_KEEP:
    OS << "at the entry, keep r" << +O.a << " as " << O.number;
    break;
  case TPRT_PROGRAM_KEY_BYTES:
    OS << "key buf(r" << +O.a << ", " << O.number << ')';
    break;
  case TPRT_PROGRAM_VALUE:
    OS << "value r" << +O.a;
    break;
  case TPRT_PROGRAM_PAIR_START:
    OS << "start the pair r" << +O.a;
    break;
  case TPRT_PROGRAM_PAIR_END:
    OS << 'r' << +O.to << " = the time since the start of the pair r" << +O.a;
    break;
  default:
    OS << 'r' << +O.to << " = ";
    loaded(O);
    break;
  }
  OS << '\n';
}

} // namespace

void describe(raw_ostream &OS, const Program &P) {
  tprt_program_head Head;
  memcpy(&Head, P.Bytes.data(), sizeof Head);
  StringRef Rest = StringRef(P.Bytes).drop_front(sizeof Head);
  Describer D(OS, Rest.take_back(Head.text_bytes));
  for (size_t I = 0; I < Head.operations; ++I) {
    tprt_program_operation O;
    memcpy(&O, Rest.data() + I * sizeof O, sizeof O);
    D.print(I, O);
  }
}

} // namespace tpctl::expressions
