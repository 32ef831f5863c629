// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See SourceDecision.h.

#include "SourceDecision.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"

using namespace llvm;

namespace tp {

using Kind = SourceAttribute::Kind;

static constexpr StringLiteral AnnotationPrefix = "tp.attribute:";
/// This text follows AnnotationPrefix if the attribute is at a scope around the
/// function.
static constexpr StringLiteral ScopePrefix = "scope:";

namespace {
struct KindInfo {
  Kind What;
  StringLiteral Annotation;
  StringLiteral Written;
};
} // namespace

static constexpr KindInfo Kinds[] = {
    {Kind::Entry, "entry", "tp_entry"},
    {Kind::Exit, "exit", "tp_exit"},
    {Kind::Always, "always", "tp_always"},
    {Kind::Never, "never", "tp_never"},
    {Kind::NoInstrument, "no-instrument", "no_instrument_function"},
    {Kind::Opaque, "opaque", "tp_opaque"},
};

static const KindInfo &infoOf(Kind What) {
  return *find_if(Kinds, [&](const KindInfo &I) { return I.What == What; });
}

std::optional<SourceAttribute> SourceAttribute::parse(StringRef Annotation) {
  if (!Annotation.consume_front(AnnotationPrefix))
    return std::nullopt;
  SourceAttribute A;
  A.IsAround = Annotation.consume_front(ScopePrefix);
  auto [Name, Value] = Annotation.split('=');
  const auto *Info = find_if(
      Kinds, [&, N = Name](const KindInfo &I) { return I.Annotation == N; });
  if (Info == std::end(Kinds))
    return std::nullopt;
  A.What = Info->What;
  if (A.What != Kind::Entry)
    return A;
  auto Nops = EntrySpec::parse(Value);
  if (!Nops) {
    // The frontend has already checked the attribute's arguments.
    consumeError(Nops.takeError());
    return std::nullopt;
  }
  A.Nops = *Nops;
  A.Arguments = Value.str();
  return A;
}

std::string SourceAttribute::annotation() const {
  std::string Text = AnnotationPrefix.str();
  if (IsAround)
    Text += ScopePrefix;
  Text += infoOf(What).Annotation;
  if (What == Kind::Entry)
    Text += "=" + Arguments;
  return Text;
}

std::string SourceAttribute::words() const {
  std::string Text = infoOf(What).Written.str();
  if (What == Kind::Entry)
    Text += "(" + Arguments + ")";
  if (IsAround)
    Text += " around it";
  return Text;
}

void SourceAttributes::add(const SourceAttribute &A) {
  Opaque |= A.What == Kind::Opaque;
  if (A.concernsSleds())
    (A.IsAround ? Around : Own).push_back(A);
}

bool SourceAttributes::has(Kind What) const {
  return any_of(deciding(),
                [&](const SourceAttribute &A) { return A.What == What; });
}

bool SourceAttributes::refuseSleds() const {
  return any_of(deciding(),
                [](const SourceAttribute &A) { return A.refusesSleds(); });
}

std::optional<EntrySpec> SourceAttributes::entry() const {
  for (const SourceAttribute &A : reverse(deciding()))
    if (A.What == Kind::Entry)
      return A.Nops;
  return std::nullopt;
}

StringRef SourceDecision::ruleName() const {
  switch (By) {
  case Rule::Naked:
    return "naked";
  case Rule::Copy:
    return "copy";
  case Rule::Decided:
    return "decided";
  case Rule::Attribute:
    return "attribute";
  case Rule::Filter:
    return "filter";
  case Rule::NoFlag:
    return "no-flag";
  case Rule::CompilerMade:
    return "compiler-made";
  case Rule::IFuncResolver:
    return "ifunc-resolver";
  case Rule::Flag:
    return "flag";
  }
  llvm_unreachable("all rules are named");
}

/// The attributes that decided about one kind of sled, and the flags that
/// decided about the other kind.
static std::string attributeReason(const SourceDecision &D) {
  if (D.IsPart)
    return "attribute of the enclosing function";
  std::string Words;
  bool Entry = false, Exit = false;
  for (const SourceAttribute &A : D.Attributes) {
    Words += (Words.empty() ? "attribute " : ", ") + A.words();
    Entry |= A.What == Kind::Entry || A.What == Kind::Always;
    Exit |= A.What == Kind::Exit || A.What == Kind::Always;
  }
  if (D.Entry && !Entry)
    Words += ", flag -ftp-entry=" + D.Entry->str();
  if (D.Exit && !Exit)
    Words += ", flag -ftp-exit";
  return Words;
}

static std::string flagReason(const SourceDecision &D) {
  std::string Words = D.Entry && D.Exit ? "flags " : "flag ";
  if (D.Entry)
    Words += "-ftp-entry=" + D.Entry->str();
  if (D.Exit)
    Words += D.Entry ? " and -ftp-exit" : "-ftp-exit";
  if (D.Threshold)
    Words +=
        ", unless -ftp-instruction-threshold=" + std::to_string(D.Threshold) +
        " skips it (known after code generation)";
  return Words;
}

std::string SourceDecision::reason() const {
  switch (By) {
  case Rule::Naked:
    return "naked functions have no room for a sled";
  case Rule::Copy:
    return "a copy for inlining only, not part of the object file";
  case Rule::Decided:
    return "decided before";
  case Rule::Attribute:
    return attributeReason(*this);
  case Rule::Filter:
    return (Line.V == FilterList::Always ? "[always] in " : "[never] in ") +
           Line.File + ":" + std::to_string(Line.Line);
  case Rule::NoFlag:
    return "no flag, attribute or filter asks for a sled";
  case Rule::CompilerMade:
    return "made by the compiler";
  case Rule::IFuncResolver:
    return "ifunc resolvers run while the loader relocates";
  case Rule::Flag:
    return flagReason(*this);
  }
  llvm_unreachable("all rules have a reason");
}

} // namespace tp
