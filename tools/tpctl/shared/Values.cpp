// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Values.h.

#include "Values.h"

#include "Escape.h"
#include "Output.h"
#include "Readable.h"
#include "tprt/control_program.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <cstring>

using namespace llvm;
using namespace tp::trace;

namespace tpctl {
namespace {

double doubleOf(uint64_t Word) {
  double Number;
  memcpy(&Number, &Word, sizeof Number);
  return Number;
}

bool isNumber(unsigned Form) {
  return Form == TPRT_TRACE_FORM_SIGNED || Form == TPRT_TRACE_FORM_UNSIGNED ||
         Form == TPRT_TRACE_FORM_ADDRESS;
}

/// Reads a string's words. Returns false if some are missing.
bool takeString(Value &V, ArrayRef<uint64_t> &Words) {
  constexpr uint64_t Cut = uint64_t(1) << TPRT_TRACE_STRING_CUT_BIT;
  uint64_t Length = Words.front() & ~Cut;
  V.Cut = Words.front() & Cut;
  Words = Words.drop_front();
  if (Length > Words.size() * sizeof(uint64_t))
    return false;
  V.Text.assign(reinterpret_cast<const char *>(Words.data()), Length);
  Words = Words.drop_front((Length + 7) / sizeof(uint64_t));
  return true;
}

/// Reads a stack's words. Returns false if some are missing.
bool takeStack(Value &V, ArrayRef<uint64_t> &Words) {
  const uint64_t Head = Words.front(), Count = Head & 0xff;
  Words = Words.drop_front();
  if (Count > Words.size())
    return false;
  V.Frames.Frames.assign(Words.begin(), Words.begin() + Count);
  V.Frames.End = Head >> 8 & 0xff;
  Words = Words.drop_front(Count);
  return true;
}

/// A conversion of printf: its end, and its text between % and the length
/// modifier.
struct Conversion {
  size_t End;
  std::string Flags;
  char Letter;
};

Conversion conversionAt(StringRef Format, size_t At) {
  size_t Length = Format.find_first_not_of("-+ #0123456789.", At + 1);
  size_t Letter = Format.find_first_not_of("hlLqjzt", Length);
  if (Letter == StringRef::npos)
    return {Format.size(), "", 0};
  std::string Flags = Format.slice(At + 1, Length).str();
  if (Flags.size() > 8) // limits the width of a line
    Flags.clear();
  return {Letter + 1, Flags, Format[Letter]};
}

/// Returns false if the conversion does not fit the value.
bool convert(raw_ostream &OS, const Conversion &C, const Value &V) {
  std::string Spec = "%" + C.Flags;
  char Text[512];
  if (StringRef("diouxXc").contains(C.Letter) && isNumber(V.Form)) {
    Spec += C.Letter == 'c' ? "" : "ll";
    Spec += C.Letter;
    if (C.Letter == 'c')
      snprintf(Text, sizeof Text, Spec.c_str(), static_cast<int>(V.Word));
    else
      snprintf(Text, sizeof Text, Spec.c_str(),
               static_cast<unsigned long long>(V.Word));
  } else if (StringRef("aAeEfFgG").contains(C.Letter) &&
             V.Form == TPRT_TRACE_FORM_DOUBLE) {
    snprintf(Text, sizeof Text, (Spec + C.Letter).c_str(), doubleOf(V.Word));
  } else if (C.Letter == 's' && V.Form == TPRT_TRACE_FORM_STRING) {
    OS << V.Text << (V.Cut ? "..." : "");
    return true;
  } else if (C.Letter == 'p' && isNumber(V.Form)) {
    OS << format_hex(V.Word, 1);
    return true;
  } else {
    return false;
  }
  OS << Text;
  return true;
}

} // namespace

std::vector<unsigned> formsOf(uint64_t Packed) {
  std::vector<unsigned> Forms;
  for (unsigned I = 0; I != TPRT_TRACE_FORMS; ++I) {
    unsigned Form = Packed >> (I * TPRT_TRACE_FORM_BITS) & 15;
    if (Form == TPRT_TRACE_FORM_END)
      break;
    Forms.push_back(Form);
  }
  return Forms;
}

std::vector<Value> valuesOf(ArrayRef<unsigned> Forms,
                            ArrayRef<uint64_t> Words) {
  std::vector<Value> Values;
  for (unsigned Form : Forms) {
    Value V;
    V.Form = Form;
    if (Form != TPRT_TRACE_FORM_NONE) {
      if (Words.empty())
        break;
      V.Word = Words.front();
      if (Form == TPRT_TRACE_FORM_STRING) {
        if (!takeString(V, Words))
          break;
      } else if (Form == TPRT_TRACE_FORM_STACK) {
        if (!takeStack(V, Words))
          break;
      } else {
        Words = Words.drop_front();
      }
    }
    Values.push_back(std::move(V));
  }
  return Values;
}

std::string bytesText(StringRef Bytes) {
  std::string Text;
  for (char C : Bytes)
    if (isPrint(C) && C != '"' && C != '\\')
      Text += C;
    else
      Text += "\\x" + toHex(StringRef(&C, 1), /*LowerCase=*/true);
  return Text;
}

std::string textOf(ArrayRef<Value> Values) {
  std::string Text;
  raw_string_ostream OS(Text);
  ListSeparator Comma;
  for (const Value &V : Values) {
    OS << Comma;
    switch (V.Form) {
    case TPRT_TRACE_FORM_SIGNED:
      OS << static_cast<int64_t>(V.Word);
      break;
    case TPRT_TRACE_FORM_UNSIGNED:
      OS << V.Word;
      break;
    case TPRT_TRACE_FORM_DOUBLE:
      OS << format("%g", doubleOf(V.Word));
      break;
    case TPRT_TRACE_FORM_STRING:
      OS << '"' << escaped(V.Text, /*InQuotes=*/true) << '"'
         << (V.Cut ? "..." : "");
      break;
    case TPRT_TRACE_FORM_UNREADABLE:
      OS << format_hex(V.Word, 1) << " (unreadable)";
      break;
    case TPRT_TRACE_FORM_NONE:
      OS << '?';
      break;
    default:
      OS << format_hex(V.Word, 1);
    }
  }
  return Text;
}

/// A character or a number, as C writes it.
static std::string characterText(uint64_t Word) {
  auto C = static_cast<char>(Word);
  if (!isPrint(C) || C == '\'' || C == '\\')
    return std::to_string(static_cast<int64_t>(Word));
  return std::string("'") + C + "'";
}

std::string textOf(uint32_t Kind, uint64_t Word) {
  switch (Kind) {
  case TPRT_TRACE_VALUE_SIGNED:
  case TPRT_TRACE_VALUE_NAMED_SIGNED:
    return std::to_string(static_cast<int64_t>(Word));
  case TPRT_TRACE_VALUE_UNSIGNED:
  case TPRT_TRACE_VALUE_NAMED_UNSIGNED:
    return std::to_string(Word);
  case TPRT_TRACE_VALUE_BOOL:
    return Word ? "true" : "false";
  case TPRT_TRACE_VALUE_CHARACTER:
    return characterText(Word);
  case TPRT_TRACE_VALUE_TIME:
    return timeText(static_cast<double>(Word));
  case TPRT_TRACE_VALUE_DOUBLE:
    return exactNumber(bit_cast<double>(Word), /*IsSingle=*/false);
  default:
    return "0x" + utohexstr(Word, /*LowerCase=*/true);
  }
}

std::vector<std::string> Stack::names(CodeNamer Code) const {
  std::vector<std::string> Names;
  for (uint64_t Address : Frames)
    Names.push_back(Code(Address));
  if (End == TPRT_PROGRAM_STACK_MORE)
    Names.push_back("...");
  else if (End != TPRT_PROGRAM_STACK_WHOLE)
    Names.push_back("?");
  return Names;
}

std::string foldedStack(ArrayRef<std::string> Names) {
  return join(reverse(Names), ";");
}

std::string textOf(const ComputedValue &Of, const Value &V) {
  if (V.Form == TPRT_TRACE_FORM_STACK)
    return "[" + join(V.FrameNames, " < ") + "]";
  if (V.Form == TPRT_TRACE_FORM_STRING && Of.Kind == TPRT_TRACE_VALUE_BYTES)
    return '"' + V.Text + '"' + (V.Cut ? "..." : "");
  if (V.Form == TPRT_TRACE_FORM_STRING || V.Form == TPRT_TRACE_FORM_NONE)
    return textOf(V);
  return V.Name.empty() ? textOf(Of.Kind, V.Word) : V.Name;
}

/// The name of a value that is no string, or "".
static std::string nameOf(const ComputedValue &Of, const Value &V,
                          ValueNamer Namer) {
  if (V.Form == TPRT_TRACE_FORM_STRING || V.Form == TPRT_TRACE_FORM_NONE ||
      V.Form == TPRT_TRACE_FORM_STACK)
    return "";
  switch (Of.Kind) {
  case TPRT_TRACE_VALUE_CODE:
  case TPRT_TRACE_VALUE_SYMBOL:
  case TPRT_TRACE_VALUE_FUNCTION:
    return Namer(Of.Kind, V.Word);
  default:
    auto Found = Of.Names.find(V.Word);
    return Found == Of.Names.end() ? std::string() : Found->second;
  }
}

static std::vector<std::string> frameNames(const Value &V, ValueNamer Namer) {
  if (V.Form != TPRT_TRACE_FORM_STACK)
    return {};
  return V.Frames.names([&](uint64_t Address) {
    std::string Name = Namer(TPRT_TRACE_VALUE_CODE, Address);
    return Name.empty() ? textOf(TPRT_TRACE_VALUE_CODE, Address) : Name;
  });
}

void visitComputed(
    const Tables &Names, uint64_t Forms, ArrayRef<uint64_t> Words,
    ValueNamer Namer,
    function_ref<void(const ComputedValue &, const Value &)> Visit) {
  if (Words.empty())
    return;
  ArrayRef<ComputedValue> List = Names.values(Words.front());
  static const ComputedValue Unnamed{"?", TPRT_TRACE_VALUE_HEX};
  for (auto [I, V] : enumerate(valuesOf(formsOf(Forms), Words.drop_front()))) {
    const ComputedValue &Of = I < List.size() ? List[I] : Unnamed;
    V.Name = nameOf(Of, V, Namer);
    V.FrameNames = frameNames(V, Namer);
    if (Of.Kind == TPRT_TRACE_VALUE_BYTES)
      V.Text = bytesText(V.Text);
    Visit(Of, V);
  }
}

void writeJson(json::OStream &J, const Tables &Names, const Computed &Of,
               ValueNamer Namer) {
  J.object([&] {
    visitComputed(Names, Of.Forms, Of.Words, Namer,
                  [&](const ComputedValue &Is, const Value &V) {
                    std::string Name = jsonText(Is.Name);
                    if (V.Form == TPRT_TRACE_FORM_NONE)
                      J.attribute(Name, nullptr);
                    else if (V.Form == TPRT_TRACE_FORM_STACK)
                      J.attributeArray(Name, [&] {
                        for (const std::string &Each : V.FrameNames)
                          J.value(jsonText(Each));
                      });
                    else if (V.Form == TPRT_TRACE_FORM_STRING)
                      J.attribute(Name,
                                  jsonText(V.Text + (V.Cut ? "..." : "")));
                    else if (!V.Name.empty())
                      J.attribute(Name, jsonText(V.Name));
                    else if (isSignedKind(Is.Kind))
                      J.attribute(Name, static_cast<int64_t>(V.Word));
                    else if (isUnsignedKind(Is.Kind))
                      J.attribute(Name, V.Word);
                    else if (Is.Kind == TPRT_TRACE_VALUE_DOUBLE &&
                             std::isfinite(bit_cast<double>(V.Word)))
                      J.attribute(Name, bit_cast<double>(V.Word));
                    else if (Is.Kind == TPRT_TRACE_VALUE_BOOL)
                      J.attribute(Name, V.Word != 0);
                    else
                      J.attribute(Name, textOf(Is.Kind, V.Word));
                  });
  });
}

std::string jsonOf(const Tables &Names, const Computed &Of, ValueNamer Namer) {
  std::string Text;
  raw_string_ostream OS(Text);
  json::OStream J(OS);
  writeJson(J, Names, Of, Namer);
  return Text;
}

std::string formatted(StringRef Format, ArrayRef<Value> Values) {
  std::string Text;
  raw_string_ostream OS(Text);
  for (size_t At = 0; At < Format.size();) {
    if (Format[At] != '%') {
      OS << Format[At++];
      continue;
    }
    if (Format.substr(At, 2) == "%%") {
      OS << '%';
      At += 2;
      continue;
    }
    Conversion C = conversionAt(Format, At);
    if (Values.empty() || !convert(OS, C, Values.front()))
      OS << Format.slice(At, C.End);
    if (!Values.empty())
      Values = Values.drop_front();
    At = C.End;
  }
  return Text;
}

std::string pointText(const Point *P, uint32_t Number,
                      ArrayRef<uint64_t> Words) {
  if (!P) {
    std::vector<unsigned> Forms(Words.size(), TPRT_TRACE_FORM_ADDRESS);
    return "point " + std::to_string(Number) + ": " +
           textOf(valuesOf(Forms, Words));
  }
  std::vector<unsigned> Forms;
  for (char C : P->Forms)
    Forms.push_back(static_cast<unsigned>(C - '0'));
  std::string Text = formatted(P->Format, valuesOf(Forms, Words));
  return printable(P->Name + ": " + StringRef(Text).rtrim("\r\n").str());
}

} // namespace tpctl
