// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The decision about one function, by an attribute, a filter file or a flag,
// and its reason. The decision pass makes it; tp-select prints it.
//
// The attributes travel from clang's declarations to the decision pass as text,
// in annotations:
//
//     tp.attribute:entry=2,0         tp_entry(2,0) at the function
//     tp.attribute:exit              tp_exit
//     tp.attribute:always            tp_always
//     tp.attribute:never             tp_never
//     tp.attribute:opaque            tp_opaque
//     tp.attribute:no-instrument     no_instrument_function
//     tp.attribute:scope:never       tp_never at a class or namespace around it
//
// Only SourceAttribute parses and prints this text. No state; safe on every
// thread.

#ifndef TP_SOURCEDECISION_H
#define TP_SOURCEDECISION_H

#include "EntrySpec.h"
#include "Export.h"
#include "FilterList.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>
#include <string>

namespace tp {

/// One attribute that a programmer wrote.
struct SourceAttribute {
  enum class Kind { Entry, Exit, Always, Never, NoInstrument, Opaque };

  Kind What = Kind::Never;
  /// Only for Kind::Entry.
  EntrySpec Nops = {};
  /// The arguments of tp_entry as in the source: "2" and "2,0" are the same
  /// nops.
  std::string Arguments = {};
  /// The attribute is at a class or namespace around the function.
  bool IsAround = false;

  /// Returns nothing if \p Annotation is not one of ours.
  TP_EXPORT static std::optional<SourceAttribute>
  parse(llvm::StringRef Annotation);
  /// The text that parse() reads.
  TP_EXPORT std::string annotation() const;
  /// The text in messages: "tp_entry(2,0)", "tp_never around it".
  std::string words() const;

  bool asksForSled() const {
    return What == Kind::Entry || What == Kind::Exit || What == Kind::Always;
  }
  bool refusesSleds() const {
    return What == Kind::Never || What == Kind::NoInstrument;
  }
  /// True for every attribute except tp_opaque.
  bool concernsSleds() const { return asksForSled() || refusesSleds(); }
  bool operator==(const SourceAttribute &) const = default;
};

/// The attributes that apply to one function: the function's own, and those of
/// the scopes around it.
class SourceAttributes {
public:
  void add(const SourceAttribute &A);
  /// Replaces the attributes around the function by those of \p Other.
  void takeScopeOf(const SourceAttributes &Other) { Around = Other.Around; }

  /// The attributes that decide which sleds the function gets. If the function
  /// itself has attributes that concern sleds, its own attributes decide.
  /// Otherwise the attributes around the function decide.
  llvm::ArrayRef<SourceAttribute> deciding() const {
    return Own.empty() ? Around : Own;
  }
  /// Whether deciding() has an attribute of kind \p What.
  bool has(SourceAttribute::Kind What) const;
  bool refuseSleds() const;
  /// The values of the last tp_entry in deciding().
  std::optional<EntrySpec> entry() const;
  bool isOpaque() const { return Opaque; }

private:
  llvm::SmallVector<SourceAttribute, 2> Own, Around;
  bool Opaque = false;
};

/// Which rule decided about one function.
enum class Rule {
  Naked,         ///< a naked function cannot have sleds
  Copy,          ///< available_externally: not part of the object file
  Decided,       ///< the function carried a decision already
  Attribute,     ///< SourceDecision::Attributes
  Filter,        ///< a line of a filter file
  NoFlag,        ///< nothing asks for sleds
  CompilerMade,  ///< no programmer wrote the function
  IFuncResolver, ///< the function runs while the loader relocates
  Flag,          ///< the flags ask for sleds
};

struct SourceDecision {
  Rule By = Rule::NoFlag;
  /// Empty if the function gets no entry sled.
  std::optional<EntrySpec> Entry = std::nullopt;
  bool Exit = false;
  /// A function with fewer machine instructions gets no sled. 0 for no limit.
  unsigned Threshold = 0;
  /// The line that decided, for Rule::Filter.
  FilterList::Match Line = {};
  /// The attributes that decided, for Rule::Attribute.
  llvm::SmallVector<SourceAttribute, 2> Attributes = {};
  /// clang made this function from a part of another function, and the
  /// attributes are written at that other function.
  bool IsPart = false;

  bool hasSled() const { return Entry || Exit; }
  /// The rule as one word, for programs: "attribute", "no-flag".
  TP_EXPORT llvm::StringRef ruleName() const;
  /// Part of a sentence, for messages: "attribute tp_exit, flag
  /// -ftp-entry=2,0".
  TP_EXPORT std::string reason() const;
};

} // namespace tp

#endif
