// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ReadableNames.h.

#include "ReadableNames.h"

#include "names/match.h"
#include "names/shorten.h"
#include <algorithm>
#include <memory>

using namespace llvm;

namespace tp {
namespace {

/// A readable name, and the place of the function's own name in it.
struct Form {
  std::string Text;
  size_t Begin = 0, End = 0;

  /// Updates the places after a replacement in the text.
  void replace(size_t At, size_t Length, StringRef By) {
    for (size_t *Place : {&Begin, &End})
      if (*Place >= At + Length)
        *Place += By.size() - Length;
    Text.replace(At, Length, By.data(), By.size());
  }
  void replaceAll(StringRef What, StringRef By, size_t Step) {
    for (size_t At = 0;
         (At = Text.find(What.data(), At, What.size())) != Text.npos;
         At += Step)
      replace(At, What.size(), By);
  }
  void dropTags() {
    for (size_t At; (At = Text.find("[abi:")) != Text.npos;) {
      size_t Close = Text.find(']', At);
      if (Close == Text.npos)
        return;
      replace(At, Close + 1 - At, "");
    }
  }
  void addTo(std::vector<std::string> &Forms) const {
    for (auto [From, To] : {std::pair(size_t(0), Text.size()),
                            {size_t(0), End},
                            {Begin, Text.size()},
                            {Begin, End}}) {
      std::string Part = Text.substr(From, To - From);
      if (std::find(Forms.begin(), Forms.end(), Part) == Forms.end())
        Forms.push_back(std::move(Part));
    }
  }
};

Form read(StringRef Linked) {
  std::string Text = Linked.str();
  if (!tprt::names::mayBeMangled(Text.c_str()))
    return {};
  struct Room {
    tprt::names::Memory Memory;
    char Text[tprt::names::kMostBytes];
  };
  auto Of = std::make_unique_for_overwrite<Room>();
  tprt::names::Parts Parts;
  if (!tprt::names::demangle(Text.c_str(), Of->Memory, Of->Text,
                             sizeof Of->Text, Parts))
    return {};
  return {std::string(Of->Text, Parts.length), Parts.nameBegin, Parts.nameEnd};
}

} // namespace

std::string readableName(StringRef Linked) {
  Form F = read(Linked);
  return F.Text.empty() ? Linked.str() : F.Text;
}

std::string normalName(StringRef Text) {
  std::string Given = Text.str(), Normal(Text.size() + 1, 0);
  tprt::writeNormal(Given.c_str(), Normal.data());
  Normal.resize(strlen(Normal.c_str()));
  return Normal;
}

std::vector<std::string> readableForms(StringRef Linked) {
  std::vector<std::string> Forms;
  Form F = read(Linked);
  if (F.Text.empty())
    return Forms;
  F.addTo(Forms);
  F.dropTags();
  F.addTo(Forms);
  for (const std::string &Long : std::vector<std::string>(Forms)) {
    std::string Short = Long;
    tprt::shortenLibraryNames(Short.data()); // makes no name longer
    Short.resize(strlen(Short.c_str()));
    if (std::find(Forms.begin(), Forms.end(), Short) == Forms.end())
      Forms.push_back(std::move(Short));
  }
  // libstdc++'s demangler.
  F.replaceAll(">>", "> >", 2);
  F.replaceAll("std::nullptr_t", "decltype(nullptr)", 1);
  F.addTo(Forms);
  return Forms;
}

} // namespace tp
