/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Checks the format of a point against the types of its arguments at compile
 * time. This file needs C++17. The check of `{}` needs C++20. It needs nothing
 * of libtprt. In C the compiler's own warnings check the types. The end of this
 * file refuses the conversions that printf accepts and points do not.
 *
 * tprt/trace.h calls check_printf() or check_braces() with the format and with
 * the letters of the arguments' types (enum tprt_argument_type):
 *
 *   static_assert(tprt::detail::check_printf("id=%u", "j"));
 *
 * A faulty format does not compile, because the check then calls a function that
 * is not constexpr. The name of that function describes the fault.
 */
#ifndef TPRT_TRACE_FORMAT_H
#define TPRT_TRACE_FORMAT_H

#include "tprt/trace_grammar.h"

#ifdef __cplusplus /* empty in C */

namespace tprt {
namespace detail {

/* These functions are not constexpr and are not defined anywhere: a check calls
 * one of them to fail. */
void tprt_format_ends_inside_a_conversion();
void tprt_format_has_an_unknown_conversion();
void tprt_format_must_not_have_percent_n();
void tprt_format_must_not_take_a_width_from_an_argument();
void tprt_format_must_not_have_positional_conversions();
void tprt_format_must_not_have_wide_characters_or_long_double();
void tprt_format_must_not_depend_on_the_locale();
void tprt_format_has_a_brace_without_its_partner();
void tprt_format_has_an_unknown_specification();
void tprt_format_has_more_conversions_than_arguments();
void tprt_format_has_fewer_conversions_than_arguments();
void tprt_format_conversion_does_not_fit_its_argument();
void tprt_format_precision_is_an_argument_that_is_no_int();
void tprt_format_has_more_replacement_fields_than_arguments();
void tprt_format_leaves_an_argument_out();
void tprt_format_specification_does_not_fit_its_argument();
void tprt_format_mixes_numbered_and_unnumbered_fields();
void tprt_format_contains_a_zero_byte();

constexpr void reportFault(FormatFault fault, bool braces) {
  switch (fault) {
  case FormatFault::None:
    return;
  case FormatFault::Unfinished:
    return braces ? tprt_format_has_a_brace_without_its_partner() : tprt_format_ends_inside_a_conversion();
  case FormatFault::Unknown:
    return braces ? tprt_format_has_an_unknown_specification() : tprt_format_has_an_unknown_conversion();
  case FormatFault::Writes:
    return tprt_format_must_not_have_percent_n();
  case FormatFault::WidthArgument:
    return tprt_format_must_not_take_a_width_from_an_argument();
  case FormatFault::Positional:
    return tprt_format_must_not_have_positional_conversions();
  case FormatFault::WideOrLong:
    return tprt_format_must_not_have_wide_characters_or_long_double();
  case FormatFault::Locale:
    return tprt_format_must_not_depend_on_the_locale();
  }
}

constexpr int lengthOf(const char *text) {
  int length = 0;
  while (text[length])
    ++length;
  return length;
}

/* Checks one conversion. Returns the number of arguments used so far. */
constexpr int checkConversion(const FormatField &field, const char *types, int count, int used) {
  reportFault(field.fault, false);
  if (field.type == '%')
    return used;
  if (field.precision == FormatField::kPrecisionArgument) {
    if (used >= count)
      tprt_format_has_more_conversions_than_arguments();
    else if (!isOneOf(types[used], "bcahsti"))
      tprt_format_precision_is_an_argument_that_is_no_int();
    ++used;
  }
  if (used >= count)
    tprt_format_has_more_conversions_than_arguments();
  else if (!printfTakes(field, types[used]))
    tprt_format_conversion_does_not_fit_its_argument();
  return used + 1;
}

/* Checks a printf format. `types` has one letter per argument, and a NUL at the
 * end. The result is always true. The caller makes a constant of the result,
 * which does not compile if the format has a fault. */
template <decltype(sizeof 0) N>
constexpr bool check_printf(const char (&format)[N], const char *types) {
  const int count = lengthOf(types);
  int used = 0;
  const char *at = format;
  while (*at) {
    if (*at != '%') {
      ++at;
      continue;
    }
    FormatField field = readPrintf(at);
    used = checkConversion(field, types, count, used);
    at = field.end;
  }
  if (at != format + (N - 1))
    tprt_format_contains_a_zero_byte();
  if (used < count)
    tprt_format_has_fewer_conversions_than_arguments();
  return true;
}

#if __cplusplus >= 202002L
/* What check_braces() has found in the format so far. */
struct BraceUse {
  int unnumbered = 0;
  bool numbered = false;
  unsigned used = 0;
};

constexpr void checkField(const FormatField &field, const char *types, int count, BraceUse &use) {
  reportFault(field.fault, true);
  int index = field.position;
  if (index < 0)
    index = use.unnumbered++;
  else
    use.numbered = true;
  if (use.numbered && use.unnumbered)
    tprt_format_mixes_numbered_and_unnumbered_fields();
  if (index >= count)
    tprt_format_has_more_replacement_fields_than_arguments();
  else if (!bracesTake(field, types[index]))
    tprt_format_specification_does_not_fit_its_argument();
  use.used |= 1u << index;
}

/* Checks a `{}` format in the same manner as check_printf(). */
template <decltype(sizeof 0) N>
consteval bool check_braces(const char (&format)[N], const char *types) {
  const int count = lengthOf(types);
  BraceUse use;
  const char *at = format;
  while (*at) {
    bool doubled = (*at == '{' || *at == '}') && at[1] == *at;
    if (*at == '{' && !doubled) {
      FormatField field = readBraces(at);
      checkField(field, types, count, use);
      at = field.end;
      continue;
    }
    if (*at == '}' && !doubled)
      tprt_format_has_a_brace_without_its_partner();
    at += doubled ? 2 : 1;
  }
  if (at != format + (N - 1))
    tprt_format_contains_a_zero_byte();
  if (use.used != (1u << count) - 1)
    tprt_format_leaves_an_argument_out();
  return true;
}
#endif

} // namespace detail
} // namespace tprt

#else /* C */

/* Refuses `%n` and a width by argument. C has no constexpr functions, but C compilers compute
 * str functions of literals. So each step through the format is an enumerator. There are as
 * many steps as arguments, because each conversion uses one argument. Each step skips one `%%`.
 * If several `%%` follow one another, conversions at the format's end may remain unchecked. A
 * final conversion is appended to the format, so that each search finds a conversion. */
#define TPRT_TEXT_(text) (text "%d")
#define TPRT_PERCENT_(text, from) \
  ((int)sizeof(text "%d") - 1 - (int)__builtin_strlen(__builtin_strchr(&TPRT_TEXT_(text)[from], '%')))
#define TPRT_IS_AT_(text, at, character) (__builtin_strncmp(&TPRT_TEXT_(text)[at], character, 1) == 0)
/* A position some characters after the beginning of a conversion. The appended conversion is
 * the last. */
#define TPRT_BEHIND_(text, at, characters) ((at) < (int)sizeof(text) - 1 ? (at) + (characters) : (int)sizeof(text) - 1)
/* Skips flags, digits and the sizes of types. GCC skips all of them. clang, which has no
 * strspn, skips one. */
#ifdef __clang__
#define TPRT_BEHIND_FLAGS_(text, at) ((at) + (__builtin_strchr("-+ #0123456789'hlqjztL", TPRT_TEXT_(text)[at]) != 0))
#else
#define TPRT_BEHIND_FLAGS_(text, at) ((at) + (int)__builtin_strspn(&TPRT_TEXT_(text)[at], "-+ #0123456789'hlqjztL"))
#endif
#define TPRT_CONVERSION_(text, index, from)                                                                        \
  enum {                                                                                                           \
    tprt_first_##index = TPRT_PERCENT_(text, from),                                                                \
    tprt_begin_##index = TPRT_IS_AT_(text, tprt_first_##index + 1, "%")                                            \
                             ? TPRT_PERCENT_(text, TPRT_BEHIND_(text, tprt_first_##index, 2))                      \
                             : tprt_first_##index,                                                                 \
    tprt_end_##index = TPRT_BEHIND_(text, tprt_begin_##index, 1 + TPRT_IS_AT_(text, tprt_begin_##index + 1, "%")), \
    tprt_flag_##index = TPRT_BEHIND_FLAGS_(text, tprt_begin_##index + 1),                                          \
    tprt_other_##index = TPRT_BEHIND_FLAGS_(text, tprt_flag_##index),                                              \
    tprt_type_##index = TPRT_BEHIND_FLAGS_(text, tprt_other_##index)                                               \
  };                                                                                                               \
  _Static_assert(!TPRT_IS_AT_(text, tprt_type_##index, "n"), "the format of a point must not have %n");            \
  _Static_assert(!TPRT_IS_AT_(text, tprt_type_##index, "*"), "the format of a point must not take a width from an argument");
#define TPRT_CONVERSIONS_0(text)
#define TPRT_CONVERSIONS_1(text) TPRT_CONVERSION_(text, 0, 0)
#define TPRT_CONVERSIONS_2(text) TPRT_CONVERSIONS_1(text) TPRT_CONVERSION_(text, 1, tprt_end_0)
#define TPRT_CONVERSIONS_3(text) TPRT_CONVERSIONS_2(text) TPRT_CONVERSION_(text, 2, tprt_end_1)
#define TPRT_CONVERSIONS_4(text) TPRT_CONVERSIONS_3(text) TPRT_CONVERSION_(text, 3, tprt_end_2)
#define TPRT_CONVERSIONS_5(text) TPRT_CONVERSIONS_4(text) TPRT_CONVERSION_(text, 4, tprt_end_3)
#define TPRT_CONVERSIONS_6(text) TPRT_CONVERSIONS_5(text) TPRT_CONVERSION_(text, 5, tprt_end_4)
#define TPRT_CONVERSIONS_7(text) TPRT_CONVERSIONS_6(text) TPRT_CONVERSION_(text, 6, tprt_end_5)
#define TPRT_CONVERSIONS_8(text) TPRT_CONVERSIONS_7(text) TPRT_CONVERSION_(text, 7, tprt_end_6)
#define TPRT_CONVERSIONS_9(text) TPRT_CONVERSIONS_8(text) TPRT_CONVERSION_(text, 8, tprt_end_7)
#define TPRT_CONVERSIONS_10(text) TPRT_CONVERSIONS_9(text) TPRT_CONVERSION_(text, 9, tprt_end_8)
#define TPRT_CONVERSIONS_11(text) TPRT_CONVERSIONS_10(text) TPRT_CONVERSION_(text, 10, tprt_end_9)
#define TPRT_CONVERSIONS_12(text) TPRT_CONVERSIONS_11(text) TPRT_CONVERSION_(text, 11, tprt_end_10)
#define TPRT_CONVERSIONS_too_many(text)

#endif

#endif
