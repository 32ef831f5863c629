/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The arguments of a trace statement: their number, the letter that names each argument's type
 * (docs/reference/table-abi.md), and the 64-bit word that carries each argument's value. Part
 * of trace.h; no other file includes this file.
 */
#ifndef TPRT_TRACE_ARGUMENTS_H
#define TPRT_TRACE_ARGUMENTS_H

#include "tprt/table.h"

#include <stddef.h>
#include <stdint.h>

/* The number of arguments after the format; `too_many` for more than 12. */
#define TPRT_COUNT_(...) TPRT_COUNT_OF_(__VA_ARGS__, too_many, too_many, too_many, too_many, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, ~)
#define TPRT_COUNT_OF_(format, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, count, ...) count

#define TPRT_FORMAT_(...) TPRT_FORMAT_OF_(__VA_ARGS__, ~)
#define TPRT_FORMAT_OF_(format, ...) format

/* Expands do(index, argument) for each argument after the format. */
#define TPRT_EACH_0(do, format)
#define TPRT_EACH_1(do, format, a0) \
  do                                \
  (0, a0)
#define TPRT_EACH_2(do, format, a0, a1) \
  do                                    \
  (0, a0) do(1, a1)
#define TPRT_EACH_3(do, format, a0, a1, a2) \
  do                                        \
  (0, a0) do(1, a1) do(2, a2)
#define TPRT_EACH_4(do, format, a0, a1, a2, a3) \
  do                                            \
  (0, a0) do(1, a1) do(2, a2) do(3, a3)
#define TPRT_EACH_5(do, format, a0, a1, a2, a3, a4) \
  do                                                \
  (0, a0) do(1, a1) do(2, a2) do(3, a3) do(4, a4)
#define TPRT_EACH_6(do, format, a0, a1, a2, a3, a4, a5) \
  do                                                    \
  (0, a0) do(1, a1) do(2, a2) do(3, a3) do(4, a4) do(5, a5)
#define TPRT_EACH_7(do, format, a0, a1, a2, a3, a4, a5, a6) \
  do                                                        \
  (0, a0) do(1, a1) do(2, a2) do(3, a3) do(4, a4) do(5, a5) do(6, a6)
#define TPRT_EACH_8(do, format, a0, a1, a2, a3, a4, a5, a6, a7) \
  do                                                            \
  (0, a0) do(1, a1) do(2, a2) do(3, a3) do(4, a4) do(5, a5) do(6, a6) do(7, a7)
#define TPRT_EACH_9(do, format, a0, a1, a2, a3, a4, a5, a6, a7, a8) \
  do                                                                \
  (0, a0) do(1, a1) do(2, a2) do(3, a3) do(4, a4) do(5, a5) do(6, a6) do(7, a7) do(8, a8)
#define TPRT_EACH_10(do, format, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9) \
  do                                                                     \
  (0, a0) do(1, a1) do(2, a2) do(3, a3) do(4, a4) do(5, a5) do(6, a6) do(7, a7) do(8, a8) do(9, a9)
#define TPRT_EACH_11(do, format, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10) \
  do                                                                          \
  (0, a0) do(1, a1) do(2, a2) do(3, a3) do(4, a4) do(5, a5) do(6, a6) do(7, a7) do(8, a8) do(9, a9) do(10, a10)
#define TPRT_EACH_12(do, format, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11) \
  do                                                                               \
  (0, a0) do(1, a1) do(2, a2) do(3, a3) do(4, a4) do(5, a5) do(6, a6) do(7, a7) do(8, a8) do(9, a9) do(10, a10) do(11, a11)
#define TPRT_EACH_too_many(do, ...) TPRT_STATIC_ASSERT_(0, "a trace statement takes at most 12 arguments");

/* Keeps the move of a double to a general register inside the cold block. Otherwise
 * clang hoists the move out of the cold block and before a loop. */
#if defined(__x86_64__)
#define TPRT_STAY_COLD_(number) __asm__ volatile("" : "+x"(number))
#else
#define TPRT_STAY_COLD_(number) __asm__ volatile("" : "+w"(number))
#endif

#ifdef __cplusplus

namespace tprt {
namespace detail {

/* An argument's type as it is passed by value. Qualifiers and arrays have separate
 * templates, because an array of const elements is const as well. */
template <class T>
struct Unqualified {
  using type = T;
};
template <class T>
struct Unqualified<const T> : Unqualified<T> {};
template <class T>
struct Unqualified<volatile T> : Unqualified<T> {};
template <class T>
struct Unqualified<const volatile T> : Unqualified<T> {};
template <class T>
struct Decayed : Unqualified<T> {};
template <class T>
struct Decayed<T[]> {
  using type = T *;
};
template <class T, size_t size>
struct Decayed<T[size]> {
  using type = T *;
};
template <class T>
struct Plain : Decayed<T> {};
template <class T>
struct Plain<T &> : Decayed<T> {};
template <class T>
struct Plain<T &&> : Decayed<T> {};

template <char value>
struct Letter {
  static constexpr char letter = value;
};
template <class T>
constexpr char integerLetter() {
  return T(-1) < T(0) ? (sizeof(T) == 2 ? 's' : sizeof(T) == 4 ? 'i'
                                                               : 'l')
                      : (sizeof(T) == 1 ? 'h' : sizeof(T) == 2 ? 't'
                                            : sizeof(T) == 4   ? 'j'
                                                               : 'm');
}

/* The characters of an object that has data() and size() like std::string and
 * std::string_view. */
template <class T>
tprt_characters charactersOf(const T &text) { return {text.data(), static_cast<size_t>(text.size())}; }
template <class T>
const T &some();
template <class T, class = void>
struct IsView {
  static constexpr bool value = false;
};
template <class T>
struct IsView<T, decltype(void(tprt_characters{some<T>().data(), static_cast<size_t>(some<T>().size())}))> {
  static constexpr bool value = true;
};

template <class T, bool isEnum = __is_enum(T), bool isClass = __is_class(T) || __is_union(T)>
struct LetterOf : Letter<'\0'> {};
template <class T>
struct LetterOf<T, false, true> : Letter<IsView<T>::value ? 'v' : '\0'> {};
template <class T>
struct LetterOf<T, true, false> : LetterOf<__underlying_type(T)> {};
template <class T>
struct LetterOf<T *, false, false> : Letter<'p'> {};
template <>
struct LetterOf<char *, false, false> : Letter<'z'> {};
template <>
struct LetterOf<const char *, false, false> : Letter<'z'> {};
template <>
struct LetterOf<unsigned char *, false, false> : Letter<'z'> {};
template <>
struct LetterOf<const unsigned char *, false, false> : Letter<'z'> {};
template <>
struct LetterOf<signed char *, false, false> : Letter<'z'> {};
template <>
struct LetterOf<const signed char *, false, false> : Letter<'z'> {};
template <>
struct LetterOf<decltype(nullptr), false, false> : Letter<'p'> {};
template <>
struct LetterOf<bool, false, false> : Letter<'b'> {};
template <>
struct LetterOf<char, false, false> : Letter<'c'> {};
template <>
struct LetterOf<signed char, false, false> : Letter<'a'> {};
template <>
struct LetterOf<unsigned char, false, false> : Letter<'h'> {};
template <>
struct LetterOf<float, false, false> : Letter<'f'> {};
template <>
struct LetterOf<double, false, false> : Letter<'d'> {};
template <>
struct LetterOf<short, false, false> : Letter<integerLetter<short>()> {};
template <>
struct LetterOf<unsigned short, false, false> : Letter<integerLetter<unsigned short>()> {};
template <>
struct LetterOf<int, false, false> : Letter<integerLetter<int>()> {};
template <>
struct LetterOf<unsigned, false, false> : Letter<integerLetter<unsigned>()> {};
template <>
struct LetterOf<long, false, false> : Letter<integerLetter<long>()> {};
template <>
struct LetterOf<unsigned long, false, false> : Letter<integerLetter<unsigned long>()> {};
template <>
struct LetterOf<long long, false, false> : Letter<integerLetter<long long>()> {};
template <>
struct LetterOf<unsigned long long, false, false> : Letter<integerLetter<unsigned long long>()> {};
template <>
struct LetterOf<wchar_t, false, false> : Letter<integerLetter<wchar_t>()> {};
template <>
struct LetterOf<char16_t, false, false> : Letter<integerLetter<char16_t>()> {};
template <>
struct LetterOf<char32_t, false, false> : Letter<integerLetter<char32_t>()> {};
#ifdef __cpp_char8_t
template <>
struct LetterOf<char8_t, false, false> : Letter<'h'> {};
#endif
template <class T>
constexpr char letter = LetterOf<typename Plain<T>::type>::letter;

/* The size of the value that a letter describes, as tracers expect it: negative for
 * signed types. Tracers receive a float or double as the bits of a double. */
constexpr int sizeOfLetter(char letter) {
  switch (letter) {
  case 'b':
  case 'h':
    return 1;
  case 'c':
    return char(-1) < char(0) ? -1 : 1;
  case 'a':
    return -1;
  case 's':
    return -2;
  case 't':
    return 2;
  case 'i':
    return -4;
  case 'j':
    return 4;
  case 'l':
    return -8;
  }
  return 8;
}
template <int value>
struct Constant {
  static constexpr int result = value;
};

/* What an argument is converted to, and the type of the word that carries it. The value
 * keeps its own size, so that the compiler need not extend it. Readers use only as many bits
 * as the letter specifies. The conversion of a scalar is an expression. An inline function
 * would have the file's target features, and functions with fewer features could not inline
 * it. Only for a double is there such a function. An int becomes an unsigned int, and so on,
 * because compilers can warn of casts to the same type. */
struct Real {
  uint64_t bits;
  template <class T>
  [[gnu::always_inline]] explicit Real(T value) {
    double number = static_cast<double>(value);
    TPRT_STAY_COLD_(number);
    __builtin_memcpy(&bits, &number, sizeof bits);
  }
  [[gnu::always_inline]] operator uint64_t() const { return bits; }
};
/* A temporary that lives until the trace statement ends, like the argument's own. */
struct Characters {
  tprt_characters room;
  template <class T>
  explicit Characters(const T &text) : room(charactersOf(text)) {}
  operator uint64_t() const { return reinterpret_cast<uint64_t>(&room); }
};
struct Untraceable {
  template <class T>
  explicit Untraceable(const T &) {}
  operator uint64_t() const { return 0; }
};
template <class Conversion, class Word = Conversion>
struct Carrier {
  using conversion = Conversion;
  using word = Word;
};
template <char letter>
struct CarrierOf : Carrier<int> {};
template <>
struct CarrierOf<'i'> : Carrier<unsigned> {};
template <>
struct CarrierOf<'l'> : Carrier<uint64_t> {};
template <>
struct CarrierOf<'m'> : Carrier<int64_t> {};
template <>
struct CarrierOf<'p'> : Carrier<uint64_t> {};
template <>
struct CarrierOf<'z'> : Carrier<uint64_t> {};
template <>
struct CarrierOf<'f'> : Carrier<Real, uint64_t> {};
template <>
struct CarrierOf<'d'> : Carrier<Real, uint64_t> {};
template <>
struct CarrierOf<'v'> : Carrier<Characters, uint64_t> {};
template <>
struct CarrierOf<'\0'> : Carrier<Untraceable, uint64_t> {};
template <class T>
using Conversion = typename CarrierOf<letter<T>>::conversion;
template <class T>
using Word = typename CarrierOf<letter<T>>::word;
template <class T>
constexpr uint64_t wide(T word) {
  return static_cast<uint64_t>(word);
}

/* The stand-in for an argument in the compiler's check of the format. */
template <class T, bool isClass = __is_class(T) || __is_union(T), bool isEnum = __is_enum(T)>
struct Printable {
  using type = T;
};
template <class T>
struct Printable<T, true, false> {
  using type = const char *;
};
template <class T>
struct Printable<T, false, true> {
  using type = __underlying_type(T);
};
template <class T>
struct PrintableOf {
  using type = typename Printable<typename Plain<T>::type>::type;
  static constexpr type value() { return {}; }
};

} // namespace detail
} // namespace tprt

#define TPRT_LETTER_(argument) ::tprt::detail::letter<decltype(argument)>
#define TPRT_WORD_TYPE_(argument) ::tprt::detail::Word<decltype(argument)>
#define TPRT_WORD_(argument) ::tprt::detail::Conversion<decltype(argument)>(argument)
#define TPRT_PRINTABLE_(argument) ::tprt::detail::PrintableOf<decltype(argument)>::value()
#define TPRT_IS_TRACEABLE_(argument) (TPRT_LETTER_(argument) != 0)
#define TPRT_WIDE_(word) ::tprt::detail::wide(word)
/* The size is read from the descriptor, because the code that uses this macro may not
 * name the argument. */
#define TPRT_SIZE_(index, argument) ::tprt::detail::Constant<::tprt::detail::sizeOfLetter(tprt_descriptor_.types[index])>::result

/* The separators between the parameters of a function, and between the values of a call. */
#define TPRT_COMMA_0_
#define TPRT_COMMA_1_ ,
#define TPRT_COMMA_2_ ,
#define TPRT_COMMA_3_ ,
#define TPRT_COMMA_4_ ,
#define TPRT_COMMA_5_ ,
#define TPRT_COMMA_6_ ,
#define TPRT_COMMA_7_ ,
#define TPRT_COMMA_8_ ,
#define TPRT_COMMA_9_ ,
#define TPRT_COMMA_10_ ,
#define TPRT_COMMA_11_ ,

#else /* C */

/* Long double, complex numbers and __int128 have no letter. With GCC, bit-fields have no
 * letter either. Pointers to characters are strings. All other pointers are addresses
 * (type class 5). */
#define TPRT_BY_TYPE_(argument, boolean, character, schar, uchar, int16, uint16, int32, uint32, int64, uint64, single, real, string, other) \
  _Generic((argument),                                                                                                                      \
      _Bool: boolean,                                                                                                                       \
      char: character,                                                                                                                      \
      signed char: schar,                                                                                                                   \
      unsigned char: uchar,                                                                                                                 \
      short: int16,                                                                                                                         \
      unsigned short: uint16,                                                                                                               \
      int: int32,                                                                                                                           \
      unsigned: uint32,                                                                                                                     \
      long: int64,                                                                                                                          \
      unsigned long: uint64,                                                                                                                \
      long long: int64,                                                                                                                     \
      unsigned long long: uint64,                                                                                                           \
      float: single,                                                                                                                        \
      double: real,                                                                                                                         \
      char *: string,                                                                                                                       \
      const char *: string,                                                                                                                 \
      unsigned char *: string,                                                                                                              \
      const unsigned char *: string,                                                                                                        \
      signed char *: string,                                                                                                                \
      const signed char *: string,                                                                                                          \
      default: other)
#define TPRT_LETTER_(argument) \
  TPRT_BY_TYPE_(argument, 'b', 'c', 'a', 'h', 's', 't', 'i', 'j', 'l', 'm', 'f', 'd', 'z', (__builtin_classify_type(argument) == 5 ? 'p' : 0))
#define TPRT_SIZE_(index, argument) TPRT_BY_TYPE_(argument, 1, ((char)-1 < 0 ? -1 : 1), -1, 1, -2, 2, -4, 4, -8, 8, 8, 8, 8, 8)
#define TPRT_IS_TRACEABLE_(argument) (TPRT_LETTER_(argument) != 0)
#define TPRT_PRINTABLE_(argument) (argument)
#define TPRT_WIDE_(word) ((uint64_t)(word))

/* The value that is put into an argument's word. The value keeps its own size, so that the
 * compiler need not extend it. Readers use only as many bits as the letter specifies. The word
 * is made by expressions, in which the associations that are not chosen receive a zero. An
 * inline function would have the file's target features, and functions with fewer features
 * could not inline it. Only for a double is there such a function. It is not static, because
 * inline functions of external linkage may not call static ones. */
#define TPRT_ADDRESS_ const volatile void *
#define TPRT_VALUE_(argument) \
  TPRT_BY_TYPE_(argument, 0, 0, 0, 0, 0, 0, 0, 0u, (int64_t)0, (uint64_t)0, 0.0, 0.0, (TPRT_ADDRESS_)0, (TPRT_ADDRESS_)0)
#define TPRT_WORD_(value)                                                                                   \
  _Generic(value,                                                                                           \
      double: tprt_word_real(_Generic(value, double: value, default: 0.0)),                                 \
      TPRT_ADDRESS_: (uint64_t)(uintptr_t)_Generic(value, TPRT_ADDRESS_: value, default: (TPRT_ADDRESS_)0), \
      default: _Generic(value, double: 0, TPRT_ADDRESS_: 0, default: value))
#define TPRT_INLINE_ extern __inline__ __attribute__((gnu_inline, always_inline))
TPRT_INLINE_ uint64_t tprt_word_real(double value) {
  TPRT_STAY_COLD_(value);
  uint64_t bits;
  __builtin_memcpy(&bits, &value, sizeof bits);
  return bits;
}

#endif

/* For the compiler's own check of a format. This function is never called and
 * has no definition. */
#ifdef __cplusplus
extern "C"
#endif
    __attribute__((format(printf, 1, 2))) void tprt_check_format(const char *format, ...);

#endif
