// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See KeyText.h.

#include "KeyText.h"

#include "shared/DistinctNames.h"
#include "shared/Escape.h"
#include "shared/Output.h"
#include "shared/Selection.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace llvm;

namespace tpctl {

using expressions::KeyFormat;

bool isName(const KeyFormat &F) {
  return F.Kind == KeyFormat::Function || F.Kind == KeyFormat::Code ||
         F.Kind == KeyFormat::Symbol;
}

/// The frames of a stack are lines.
static std::string shownStack(const KeyValue &Key, bool FullNames) {
  std::vector<std::string> Lines;
  for (const std::string &Frame : Key.Frames)
    Lines.push_back(tp::trace::printable(FullNames ? Frame : shortName(Frame)));
  return join(Lines, "\n");
}

/// Line ends and other control characters of a traced program's strings must
/// not reach the terminal. A string that looks like an unknown key is escaped,
/// too.
static std::string shown(const KeyFormat &F, const KeyValue &Key) {
  if (Key.Text.empty())
    return "\"\"";
  if (F.Kind != KeyFormat::Text || Key.What == KeyValue::Unknown)
    return Key.Text;
  return Key.Text == "?" ? "\\?" : escaped(Key.Text, /*InQuotes=*/false);
}

std::vector<std::vector<std::string>>
keyColumns(const Ask &A, ArrayRef<const KeyValues *> Rows, bool FullNames) {
  std::vector<std::vector<std::string>> Columns;
  for (const auto &[I, F] : enumerate(A.keys())) {
    auto textOf = [&, I = I, &F = F](const KeyValues *Keys) {
      if (Aggregate::isOthers(*Keys))
        return I ? std::string() : Keys->front().Text;
      if (I >= Keys->size())
        return std::string();
      return F.Kind == KeyFormat::Stack ? shownStack((*Keys)[I], FullNames)
                                        : shown(F, (*Keys)[I]);
    };
    Columns.push_back(namesOfRows(Rows, textOf, FullNames || !isName(F)));
  }
  return Columns;
}

void writeKeys(json::OStream &J, const Ask &A, const KeyValues &Keys) {
  J.attributeObject("keys", [&] {
    if (Aggregate::isOthers(Keys))
      return;
    for (const auto &[F, Key] : zip(A.keys(), Keys)) {
      if (Key.What == KeyValue::Unknown)
        J.attribute(F.Heading, nullptr);
      else if (F.Kind == KeyFormat::Stack)
        J.attributeArray(F.Heading, [&, &Key = Key] {
          for (const std::string &Frame : Key.Frames)
            J.value(jsonText(Frame));
        });
      else if (Key.Floating && std::isfinite(*Key.Floating))
        J.attribute(F.Heading, *Key.Floating);
      else if (Key.Number && F.Kind == KeyFormat::Bool)
        J.attribute(F.Heading, *Key.Number != 0);
      else if (Key.Number && Key.IsUnsigned)
        J.attribute(F.Heading, static_cast<uint64_t>(*Key.Number));
      else if (Key.Number)
        J.attribute(F.Heading, *Key.Number);
      else
        J.attribute(F.Heading, jsonText(Key.Text));
    }
  });
  if (Aggregate::isOthers(Keys))
    J.attribute("others", true);
}

std::string keyField(const KeyFormat &F, const KeyValue &Key) {
  return Key.Number && F.Kind == KeyFormat::Time
             ? std::to_string(*Key.Number)
             : csvField(Key.Text.empty() ? "" : shown(F, Key));
}

} // namespace tpctl
