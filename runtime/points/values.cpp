// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code that both styles of formats share; see values.h.
#include "points/values.h"
#include "points/braces.h"
#include "points/printf.h"

namespace tprt {

void formatValues(Text &out, uint8_t style, const char *format,
                  const Values &values) {
  if (style == TPRT_POINT_STYLE_PRINTF)
    formatPrintf(out, format, values);
  else if (style == TPRT_POINT_STYLE_BRACES)
    formatBraces(out, format, values);
}

StringBound boundOf(uint8_t style, const char *format, const Values &values,
                    unsigned index) {
  if (style == TPRT_POINT_STYLE_PRINTF)
    return printfBound(format, values, index);
  return bracesBound(format, values, index);
}

Characters stringOf(const Values &values, unsigned index, StringBound bound) {
  if (values.recorded)
    return boundCharacters(values.recorded[index], bound);
  return readCharacters(values.types[index], values.words[index], bound);
}

const char *wordFor(char type) {
  switch (type) {
  case TPRT_ARGUMENT_BOOL:
    return "bool";
  case TPRT_ARGUMENT_CHAR:
    return "char";
  case TPRT_ARGUMENT_SIGNED_CHAR:
    return "signed char";
  case TPRT_ARGUMENT_UNSIGNED_CHAR:
    return "unsigned char";
  case TPRT_ARGUMENT_SHORT:
    return "short";
  case TPRT_ARGUMENT_UNSIGNED_SHORT:
    return "unsigned short";
  case TPRT_ARGUMENT_INT:
    return "int";
  case TPRT_ARGUMENT_UNSIGNED:
    return "unsigned";
  case TPRT_ARGUMENT_LONG:
    return "long";
  case TPRT_ARGUMENT_UNSIGNED_LONG:
    return "unsigned long";
  case TPRT_ARGUMENT_FLOAT:
    return "float";
  case TPRT_ARGUMENT_DOUBLE:
    return "double";
  case TPRT_ARGUMENT_POINTER:
    return "pointer";
  case TPRT_ARGUMENT_STRING:
  case TPRT_ARGUMENT_CHARACTERS:
    return "string";
  default:
    return "unknown";
  }
}

void writeFault(Text &out, const FormatField &field, const char *reason) {
  out.put(*field.begin);
  out.put('!');
  out.write(field.begin + 1, static_cast<size_t>(field.end - field.begin) - 1);
  out.put('(');
  out.write(reason, boundedLength(reason, 64));
  out.put(')');
}

void writeCharacters(Text &out, const FormatField &field, FormatAlign usual,
                     const Characters &shown, size_t columns) {
  size_t marks = shown.state == StringState::Cut ? sizeof kCutMark - 1 : 0;
  size_t right = writeFill(out, field, usual, columns + marks);
  out.write(shown.begin, shown.size);
  out.write(kCutMark, marks);
  writeFill(out, field, right);
}

void writeLeftOver(Text &out, unsigned count) {
  IntegerDigits digits(count, 10, false);
  out.write(" %!(");
  out.write(digits.begin(), digits.size());
  out.write(" more)");
}

} // namespace tprt
