// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Captured values as text: arguments, results, and the texts of points.

#ifndef TPCTL_VALUES_H
#define TPCTL_VALUES_H

#include "Tables.h"
#include "llvm/Support/JSON.h"

namespace tpctl {

/// The name of the code at an address to which a call returns.
using CodeNamer = llvm::function_ref<std::string(uint64_t)>;

/// The callers of a call: the addresses to which they return, the innermost
/// first, and what comes after the last (enum tprt_program_stack_end).
struct Stack {
  std::vector<uint64_t> Frames;
  unsigned End = 0;
  /// The names of the frames. After them comes "..." if there are more, and "?"
  /// if the next one could not be found.
  std::vector<std::string> names(CodeNamer Code) const;
};
/// The names with semicolons between them, the outermost first, as flame graphs
/// have them.
std::string foldedStack(llvm::ArrayRef<std::string> Names);

/// One value: a number, a string or a stack. `Form` says which.
struct Value {
  unsigned Form = TPRT_TRACE_FORM_END;
  uint64_t Word = 0;
  std::string Text;
  bool Cut = false;                         ///< the string was longer
  Stack Frames;                             ///< of a stack
  std::vector<std::string> FrameNames = {}; ///< of a computed stack
  /// What the number stands for: the name of an enumerator, of a function and
  /// so on. Empty: it is shown as a number.
  std::string Name = {};
};

/// Splits words into values. If a word is missing, the list ends there.
std::vector<Value> valuesOf(llvm::ArrayRef<unsigned> Forms,
                            llvm::ArrayRef<uint64_t> Words);
/// The forms in the upper bits of a VALUES word.
std::vector<unsigned> formsOf(uint64_t Packed);
/// Bytes as text: those that are no printable characters of ASCII as \x00,
/// and also `"` and `\`.
std::string bytesText(llvm::StringRef Bytes);
/// As in 3, 0xff, "text".
std::string textOf(llvm::ArrayRef<Value> Values);
/// Whether values of a kind are numbers with a sign.
inline bool isSignedKind(uint32_t Kind) {
  return Kind == TPRT_TRACE_VALUE_SIGNED ||
         Kind == TPRT_TRACE_VALUE_NAMED_SIGNED;
}
/// Whether values of a kind are numbers without a sign.
inline bool isUnsignedKind(uint32_t Kind) {
  return Kind == TPRT_TRACE_VALUE_UNSIGNED ||
         Kind == TPRT_TRACE_VALUE_NAMED_UNSIGNED ||
         Kind == TPRT_TRACE_VALUE_TIME;
}
/// A word as its kind is shown (enum tprt_trace_value_kind).
std::string textOf(uint32_t Kind, uint64_t Word);
/// A value that a program has computed, as text. Strings are quoted.
std::string textOf(const tp::trace::ComputedValue &Of, const Value &V);
/// Names what only the reader of a recording can name: the number of a value of
/// the kinds TPRT_TRACE_VALUE_CODE, _SYMBOL and _FUNCTION. Returns "" if it is
/// not known.
using ValueNamer = llvm::function_ref<std::string(uint32_t Kind, uint64_t)>;
/// What programs have computed at an event: visit(ComputedValue, Value) for
/// each, from the forms and the words of TPRT_TRACE_COMPUTED.
void visitComputed(
    const tp::trace::Tables &Names, uint64_t Forms,
    llvm::ArrayRef<uint64_t> Words, ValueNamer Namer,
    llvm::function_ref<void(const tp::trace::ComputedValue &, const Value &)>
        Visit);
/// What a program has computed at an event: the forms, and the words of
/// TPRT_TRACE_COMPUTED. Visitors of calls keep it until they write the call.
struct Computed {
  uint64_t Forms = 0;
  std::vector<uint64_t> Words;
  bool empty() const { return Words.empty(); }
};
/// As an object of JSON: {"size": 3, "str(path)": "/etc/passwd"}. Times are
/// nanoseconds. An unknown value is null. A stack is an array of names.
void writeJson(llvm::json::OStream &J, const tp::trace::Tables &Names,
               const Computed &Of, ValueNamer Namer);
std::string jsonOf(const tp::trace::Tables &Names, const Computed &Of,
                   ValueNamer Namer);
/// The text that printf would write. If a conversion does not fit its value, or
/// has no value, it is left unchanged.
std::string formatted(llvm::StringRef Format, llvm::ArrayRef<Value> Values);
/// A point's text, from the words after its number.
std::string pointText(const tp::trace::Point *P, uint32_t Number,
                      llvm::ArrayRef<uint64_t> Words);

} // namespace tpctl

#endif
