/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Points: tracepoints inside functions. docs/reference/points.md is the guide.
 *
 *   #include <tprt/trace.h>
 *   TPRT_POINT(request_done);
 *
 *   TPRT_TRACE(request_done, "id=%u path=%s", id, path);
 *
 * While the point is off, a trace statement costs one nop: no load, no branch, and
 * no evaluation of its arguments. libtprt finds the statements of every loaded
 * module through a read-only table. It turns the nop into a jump when the point is
 * requested (tprt/point.h, TPRT_OPTIONS=print=request_done). A program that uses
 * this header needs no library, no compiler plugin and no initialisation: without
 * libtprt all points stay off.
 *
 * For C11 and C++17 or later, GCC 12 or later and clang 14 or later, on x86-64 and
 * AArch64. It includes only tprt/table.h and the other files of trace.h.
 */
#ifndef TPRT_TRACE_H
#define TPRT_TRACE_H

#if defined(__cplusplus) ? __cplusplus < 201703L : __STDC_VERSION__ < 201112L
#error "tprt/trace.h needs C11 or C++17"
#endif
#if defined(__clang__) ? __clang_major__ < 14 : __GNUC__ < 12
#error "tprt/trace.h needs GCC 12 or clang 14"
#endif

#include "tprt/table.h"
#include "tprt/trace_arguments.h"
#include "tprt/trace_code.h"
#include "tprt/trace_format.h"

/* A point: a name that any number of statements refer to. A module has one object
 * per point, however many of its source files declare the point. The object is not
 * exported. Two modules' points of the same name are different objects. */
struct tprt_point {
  /* The number of tracers that use the point's USDT probe. Tracers change this
   * number; see TPRT_POINT_USDT. */
  uint16_t semaphore;
  /* TPRT_POINT_VERSION. */
  uint16_t version;
  char provider[28];
  char name[64];
};

/* The same structure with an additional mark. The two kinds of points can be
 * distinguished by their sizes. */
struct tprt_usdt_point {
  struct tprt_point point;
  uint64_t mark;
};

/* Declares a point. The declaration must be at file scope or in a named namespace, in a
 * source file or in a header. The name is an identifier of at most 63 characters.
 * Namespaces do not distinguish points: points with the same name are one point. */
#define TPRT_POINT(name) TPRT_POINT_(name)

/* Declares a point that is also a USDT probe: bpftrace, perf, gdb and systemtap see
 * each of its statements as `provider:name`. The provider is an identifier of at
 * most 27 characters. The probe fires while the point is on. Tracers that support
 * semaphores raise the point's semaphore. libtprt then turns the point on if it was
 * requested to watch semaphores (TPRT_OPTIONS=usdt=1, or tprt_usdt_watch()). */
#define TPRT_POINT_USDT(provider, name) TPRT_POINT_USDT_(#provider, name)

/* Traces: while the point is on, evaluates the arguments and passes them to the
 * attached probes. `...` is a format as for printf, a string literal, and at most 12
 * arguments. An argument is an integer of at most 64 bits, bool, a character, an
 * enumerator, a float or double, a pointer, or a string. A string is a sequence of
 * characters that ends with a NUL, or NULL. In C++ it can also be a std::string, a
 * std::string_view, or another object with data() and size() of characters. Arguments
 * of other types do not compile. Strings are read while the statement runs. `%.*s`
 * needs a length and characters, which need no NUL. `%n` and a width by argument
 * (`%*d`) do not compile.
 *
 * The macro is a statement. It cannot be used in constexpr functions. The arguments
 * are expressions: their side effects happen only while the point is on. In C++17
 * an argument must not contain a lambda. */
#define TPRT_TRACE(point, ...) TPRT_TRACE_(point, TPRT_POINT_STYLE_PRINTF, TPRT_NOTHING_, TPRT_LAZY_, TPRT_COUNT_(__VA_ARGS__), __VA_ARGS__)

/* TPRT_TRACE() with a format as for std::format: `{}`, `{:x}`, `{:>8.3f}`, `{0}`. The
 * macro needs C++20. The compiler checks the format. */
#if defined(__cplusplus) && __cplusplus >= 202002L
#define TPRT_TRACEF(point, ...) TPRT_TRACE_(point, TPRT_POINT_STYLE_BRACES, TPRT_NOTHING_, TPRT_LAZY_, TPRT_COUNT_(__VA_ARGS__), __VA_ARGS__)
#endif

/* TPRT_TRACE() for a point of TPRT_POINT_USDT() whose probe works without libtprt. A
 * one-byte nop is at the statement, and the statement's arguments are always
 * evaluated, even while no tracer is attached. Use it for arguments whose values are
 * already available. */
#define TPRT_TRACE_INLINE(point, ...) TPRT_TRACE_(point, TPRT_POINT_STYLE_PRINTF, TPRT_INLINE_PROBE_, TPRT_QUIET_, TPRT_COUNT_(__VA_ARGS__), __VA_ARGS__)

/* Whether the point was requested: for work that only a trace needs. An
 * expression of type bool. While the point is off, it costs one nop and no
 * load. */
#define TPRT_POINT_ON(point) TPRT_POINT_ON_(point)

/* --- the implementation of the macros above
 * -------------------------------- */

#define TPRT_PASTE_(a, b) TPRT_PASTE_AGAIN_(a, b)
#define TPRT_PASTE_AGAIN_(a, b) a##b
#define TPRT_LIST_(...) {__VA_ARGS__}

#ifdef __cplusplus
#define TPRT_STATIC_ASSERT_ static_assert
#define TPRT_CONSTANT_ constexpr
#define TPRT_BOOL_ bool
#define TPRT_HIDDEN_ __attribute__((visibility("hidden")))
#else
#define TPRT_STATIC_ASSERT_ _Static_assert
#define TPRT_CONSTANT_ const
#define TPRT_BOOL_ _Bool
#define TPRT_HIDDEN_
#endif

/* Even a linker that drops unused data must keep a semaphore to which only the
 * probes' notes refer. */
#if defined(__has_attribute)
#if __has_attribute(retain)
#define TPRT_KEEP_ , used, retain
#endif
#endif
#ifndef TPRT_KEEP_
#define TPRT_KEEP_ , used
#endif

#define TPRT_POINT_VERSION 1

/* If the name is a macro, as in libraries that give their names a prefix, it is expanded
 * first, as in the statements. */
#define TPRT_POINT_(name) TPRT_DECLARE_POINT_(struct tprt_point, name, "tprt_point." #name, , (0, TPRT_POINT_VERSION, "", #name))
#define TPRT_POINT_USDT_(provider, name)                                                                \
  TPRT_STATIC_ASSERT_(sizeof(provider) <= 28, "the name of a USDT provider has at most 27 characters"); \
  TPRT_DECLARE_POINT_(struct tprt_usdt_point, name, "tprt_point." provider "." #name, TPRT_KEEP_, ({0, TPRT_POINT_VERSION, provider, #name}, 0))

/* The symbol has a special name, so that it does not collide with a function or variable
 * of the point's name in another file. */
#define TPRT_DECLARE_POINT_(type, name, symbol, attributes, value)                           \
  TPRT_STATIC_ASSERT_(sizeof(#name) <= 64, "the name of a point has at most 63 characters"); \
  extern type name __asm__(symbol) __attribute__((visibility("hidden")));                    \
  type name __attribute__((weak attributes)) = TPRT_LIST_ value

/* One descriptor per statement. GCC would make the descriptors in inline functions unique
 * in the process, so that their library could never be unloaded. Hidden descriptors are
 * merged per module. */
#define TPRT_DESCRIPTOR_(point, style, count, text, letters)                                                            \
  TPRT_STATIC_ASSERT_(sizeof(text) <= UINT16_MAX, "the format of a point has at most 65,534 characters");               \
  TPRT_STATIC_ASSERT_(sizeof(__FILE__) <= UINT16_MAX, "the path of a file with a point has at most 65,534 characters"); \
  static TPRT_CONSTANT_ struct TPRT_HIDDEN_ {                                                                           \
    struct tprt_descriptor head;                                                                                        \
    char types[count + 1];                                                                                              \
    char name[sizeof(#point)];                                                                                          \
    char format[sizeof(text)];                                                                                          \
    char file[sizeof(__FILE__)];                                                                                        \
  } tprt_descriptor_ __attribute__((aligned(8))) = {                                                                    \
      {TPRT_DESCRIPTOR_VERSION, style, count, 0, __LINE__, sizeof(#point), sizeof(text), sizeof(__FILE__), 0}, TPRT_LIST_ letters, #point, text, __FILE__}

#define TPRT_IS_USDT_(point) (sizeof(point) == sizeof(struct tprt_usdt_point))
#define TPRT_CHECK_POINT_(point)                                                                     \
  TPRT_STATIC_ASSERT_(TPRT_IS_USDT_(point) || sizeof(point) == sizeof(struct tprt_point), "`" #point \
                                                                                          "` was not declared by TPRT_POINT")

/* The operations for each argument. */
#define TPRT_LETTER_ITEM_(index, argument) TPRT_LETTER_(argument),
#define TPRT_CHECK_ARGUMENT_(index, argument)                                                                                            \
  TPRT_STATIC_ASSERT_(TPRT_IS_TRACEABLE_(argument), "cannot trace `" #argument "`: not an integer of at most 64 bits, bool, character, " \
                                                    "float, double, pointer or string");
#define TPRT_PRINTABLE_ITEM_(index, argument) , TPRT_PRINTABLE_(argument)
#define TPRT_WORD_ITEM_(index, argument)                             \
  __typeof__(TPRT_VALUE_(argument)) tprt_value_##index = (argument); \
  __typeof__(TPRT_WORD_(tprt_value_##index)) tprt_word_##index = TPRT_WORD_(tprt_value_##index);
#define TPRT_PARAMETER_ITEM_(index, argument) TPRT_COMMA_##index##_ TPRT_WORD_TYPE_(argument) tprt_word_##index
#define TPRT_PASSED_ITEM_(index, argument) TPRT_COMMA_##index##_ TPRT_WORD_(argument)
#define TPRT_DECLARE_ITEM_(index, argument) TPRT_WORD_TYPE_(argument) tprt_word_##index;
#define TPRT_ASSIGN_ITEM_(index, argument) static_cast<void>(tprt_word_##index = TPRT_WORD_(argument)),
#define TPRT_TAKE_ITEM_(index, argument) TPRT_TAKE_##index##_
#define TPRT_IN_ITEM_(index, argument) TPRT_IN_##index##_
#define TPRT_SPILLED_ITEM_(index, argument) TPRT_SPILLED_##index##_
#define TPRT_SIZE_ITEM_(index, argument) , [tprt_size_##index] "i"(TPRT_SIZE_(index, argument))
#define TPRT_AT_ITEM_(index, argument) TPRT_GAP_##index##_ "%c[tprt_size_" #index "]" TPRT_AT_##index##_
#define TPRT_VALUE_ITEM_(index, argument) , [tprt_value_##index] TPRT_VALUE_CONSTRAINT_(tprt_word_##index)
#define TPRT_VALUE_AT_ITEM_(index, argument) TPRT_GAP_##index##_ "%c[tprt_size_" #index "]@" TPRT_VALUE_MODIFIER_ "[tprt_value_" #index "]"

/* Words for which no register is left. */
#define TPRT_SPILL_DECLARE_NO_(...)
#define TPRT_SPILL_DECLARE_YES_(...) const uint64_t tprt_memory[] = {__VA_ARGS__};
#define TPRT_SPILL_INPUT_NO_
#define TPRT_SPILL_INPUT_YES_ TPRT_IN_MEMORY_
#define TPRT_SPILL_TAKE_NO_
#define TPRT_SPILL_TAKE_YES_ TPRT_TAKE_MEMORY_

#define TPRT_GATE_(record, label)                                                  \
  __asm__ __inline__ goto(TPRT_NOP_ TPRT_POINT_NOTE_("6", "tp_points") record      \
                          :                                                        \
                          : [tprt_site] TPRT_SYMBOL_CONSTRAINT_(&tprt_descriptor_) \
                          :                                                        \
                          : label)

/* Runs the code in the cold block, which is the target of the static branch. Clang itself places
 * the targets of asm goto apart from hot code. In C++, clang refuses asm goto in coroutines.
 * Before version 17 it also refuses two in a function where one jumps over a variable with a
 * destructor. So there the static branch is in a separate function, which is inlined into the
 * statement. The call has the attribute, and not the function: clang refuses calls of functions
 * that must be inlined and that have more target features than the caller. Clang 14 has no such
 * attribute of calls, and clang 16 crashes at one in a template. */
#if defined(__clang__) && defined(__cplusplus)
#if __clang_major__ >= 17
#define TPRT_INLINED_
#define TPRT_INLINE_CALL_ [[clang::always_inline]]
#else
#define TPRT_INLINED_ __attribute__((always_inline))
#define TPRT_INLINE_CALL_
#endif
#define TPRT_BEGIN_ bool tprt_branch;
#define TPRT_IF_ON_(record, code)                              \
  TPRT_INLINE_CALL_ tprt_branch = []() TPRT_INLINED_ -> bool { \
    TPRT_GATE_(record, tprt_on);                               \
    return false;                                              \
  tprt_on:                                                     \
    return true;                                               \
  }();                                                         \
  if (tprt_branch) {                                           \
    code                                                       \
  }
#else
#ifdef __clang__
#define TPRT_COLD_
#else
#define TPRT_COLD_ __attribute__((cold));
#endif
#define TPRT_BEGIN_ __label__ tprt_on;
#define TPRT_IF_ON_(record, code) \
  TPRT_GATE_(record, tprt_on);    \
  if (0) {                        \
  tprt_on:                        \
    TPRT_COLD_                    \
    code                          \
  }
#endif

/* clang-format off */

/* The point sled, with the words in registers. */
#define TPRT_SLED_(point, usdt, count, ...)                                                                       \
  TPRT_PASTE_(TPRT_SPILL_DECLARE_, TPRT_SPILLS_##count##_)(TPRT_EACH_##count(TPRT_SPILLED_ITEM_, __VA_ARGS__))    \
  TPRT_EACH_##count(TPRT_TAKE_ITEM_, __VA_ARGS__)                                                                 \
  TPRT_PASTE_(TPRT_SPILL_TAKE_, TPRT_SPILLS_##count##_)                                                           \
  __asm__ volatile(TPRT_USDT_(TPRT_EACH_##count(TPRT_AT_ITEM_, __VA_ARGS__))                                      \
                   TPRT_NOP_ TPRT_DESCRIPTOR_REFERENCE_ TPRT_SLED_RECORD_ TPRT_USDT_RECORD_                       \
                   :                                                                                              \
                   : [tprt_site] TPRT_SYMBOL_CONSTRAINT_(&tprt_descriptor_),                                      \
                     [tprt_name] TPRT_SYMBOL_CONSTRAINT_(&point),                                                 \
                     [tprt_usdt] "i"(usdt)                                                                        \
                     TPRT_EACH_##count(TPRT_SIZE_ITEM_, __VA_ARGS__)                                              \
                     TPRT_EACH_##count(TPRT_IN_ITEM_, __VA_ARGS__)                                                \
                     TPRT_PASTE_(TPRT_SPILL_INPUT_, TPRT_SPILLS_##count##_)                                       \
                   : TPRT_SLED_CLOBBERS_);

/* A USDT probe in the hot code. */
#define TPRT_PROBE_(point, count, ...)                                                                            \
  __asm__ volatile(TPRT_USDT_(TPRT_EACH_##count(TPRT_VALUE_AT_ITEM_, __VA_ARGS__))                                \
                   :                                                                                              \
                   : [tprt_name] TPRT_SYMBOL_CONSTRAINT_(&point),                                                 \
                     [tprt_usdt] "i"(1)                                                                           \
                     TPRT_EACH_##count(TPRT_SIZE_ITEM_, __VA_ARGS__)                                              \
                     TPRT_EACH_##count(TPRT_VALUE_ITEM_, __VA_ARGS__));

/* Runs code with the arguments' words in tprt_word_0 and so on. In C++ the assignments and
 * the code are one expression, because temporaries in the arguments live until its end. GCC
 * moves all variables of a coroutine to memory, also those that are in registers by name. So
 * with GCC the code is in a separate function, which is inlined into the statement. */
#if defined(__cplusplus) && defined(__clang__)
#define TPRT_WITH_WORDS_(code, count, ...)                                                                        \
  {                                                                                                               \
    TPRT_EACH_##count(TPRT_DECLARE_ITEM_, __VA_ARGS__)                                                            \
    TPRT_EACH_##count(TPRT_ASSIGN_ITEM_, __VA_ARGS__) __extension__({ code });                                    \
  }
#elif defined(__cplusplus)
#define TPRT_WITH_WORDS_(code, count, ...)                                                                        \
  [](TPRT_EACH_##count(TPRT_PARAMETER_ITEM_, __VA_ARGS__)) __attribute__((always_inline)) { code }(TPRT_EACH_##count(TPRT_PASSED_ITEM_, __VA_ARGS__));
#else
#define TPRT_WITH_WORDS_(code, count, ...) {TPRT_EACH_##count(TPRT_WORD_ITEM_, __VA_ARGS__) code}
#endif

/* clang-format on */

/* The action of a statement while it is on, and of an inline statement before its static
 * branch. */
#define TPRT_LAZY_(point, count, ...) TPRT_WITH_WORDS_(TPRT_SLED_(point, TPRT_IS_USDT_(point), count, __VA_ARGS__), count, __VA_ARGS__)
#define TPRT_QUIET_(point, count, ...) TPRT_WITH_WORDS_(TPRT_SLED_(point, 0, count, __VA_ARGS__), count, __VA_ARGS__)
#define TPRT_INLINE_PROBE_(point, count, ...)                                                    \
  TPRT_STATIC_ASSERT_(TPRT_IS_USDT_(point), "`" #point "` was not declared by TPRT_POINT_USDT"); \
  TPRT_WITH_WORDS_(TPRT_PROBE_(point, count, __VA_ARGS__), count, __VA_ARGS__)

/* Checks the format against the arguments. The compiler's own warnings name the line.
 * Our own check knows what readers of the format support. */
#ifdef __cplusplus
#define TPRT_CHECK_GRAMMAR_(check, count, text) static_assert(::tprt::detail::check(text, tprt_descriptor_.types), "the format of a point");
#else
#define TPRT_CHECK_GRAMMAR_(check, count, text) TPRT_CONVERSIONS_##count(text)
#endif
#define TPRT_CHECK_FORMAT_TPRT_POINT_STYLE_PRINTF(count, ...)                                          \
  if (0)                                                                                               \
    tprt_check_format(TPRT_FORMAT_(__VA_ARGS__) TPRT_EACH_##count(TPRT_PRINTABLE_ITEM_, __VA_ARGS__)); \
  TPRT_CHECK_GRAMMAR_(check_printf, count, TPRT_FORMAT_(__VA_ARGS__))
#define TPRT_CHECK_FORMAT_TPRT_POINT_STYLE_BRACES(count, ...) TPRT_CHECK_GRAMMAR_(check_braces, count, TPRT_FORMAT_(__VA_ARGS__))

#define TPRT_NOTHING_(...)
#define TPRT_TRACE_(point, style, before, inside, count, ...) TPRT_TRACE_OF_(point, style, before, inside, count, __VA_ARGS__)
#define TPRT_TRACE_OF_(point, style, before, inside, count, ...)                                                                 \
  __extension__({                                                                                                                \
    TPRT_BEGIN_                                                                                                                  \
    TPRT_CHECK_POINT_(point);                                                                                                    \
    TPRT_EACH_##count(TPRT_CHECK_ARGUMENT_, __VA_ARGS__)                                                                         \
        TPRT_DESCRIPTOR_(point, style, count, TPRT_FORMAT_(__VA_ARGS__), (TPRT_EACH_##count(TPRT_LETTER_ITEM_, __VA_ARGS__) 0)); \
    TPRT_CHECK_FORMAT_##style(count, __VA_ARGS__)                                                                                \
        before(point, count, __VA_ARGS__)                                                                                        \
            TPRT_IF_ON_(TPRT_GATE_RECORD_, inside(point, count, __VA_ARGS__))(void) 0;                                           \
  })

/* Linkers that fold identical code must not fold two tests of different points. Nothing
 * else in their code identifies the point that each one tests. */
#define TPRT_TELL_APART_ __asm__ volatile(TPRT_DESCRIPTOR_REFERENCE_ : : [tprt_site] TPRT_SYMBOL_CONSTRAINT_(&tprt_descriptor_));

#define TPRT_POINT_ON_(point)                                        \
  __extension__({                                                    \
    TPRT_BEGIN_                                                      \
    TPRT_CHECK_POINT_(point);                                        \
    TPRT_DESCRIPTOR_(point, TPRT_POINT_STYLE_TEST, 0, "", (0));      \
    TPRT_BOOL_ tprt_is_on = 0;                                       \
    TPRT_IF_ON_(TPRT_TEST_RECORD_, TPRT_TELL_APART_ tprt_is_on = 1;) \
    tprt_is_on;                                                      \
  })

#endif
