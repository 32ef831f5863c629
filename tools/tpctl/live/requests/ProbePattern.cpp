// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ProbePattern.h.

#include "ProbePattern.h"

#include "names/match.h"
#include "names/path_glob.h"
#include "shared/UsageError.h"
#include "llvm/ADT/SmallVector.h"

using namespace llvm;

namespace tpctl {
namespace {

constexpr StringLiteral ProbePrefix = "usdt:";

/// The module of a pattern, and what comes after it.
std::pair<StringRef, StringRef> partsOf(const std::string &Text) {
  const char *Bang = tprt::splitAtModule(Text.c_str());
  if (!Bang)
    return {"", Text};
  return {StringRef(Text).take_front(static_cast<size_t>(Bang - Text.c_str())),
          Bang + 1};
}

/// A namespace of C++ may be called usdt.
bool isProbe(StringRef Text) {
  return Text.consume_front(ProbePrefix) && !Text.starts_with(":");
}

} // namespace

bool ProbePattern::is(StringRef Text) {
  return isProbe(partsOf(Text.str()).second);
}

Expected<std::optional<ProbePattern>> ProbePattern::parse(StringRef Text) {
  const std::string Whole = Text.str();
  auto [Module, Rest] = partsOf(Whole);
  if (!isProbe(Rest))
    return std::nullopt;
  SmallVector<StringRef, 3> Parts;
  Rest.drop_front(ProbePrefix.size()).split(Parts, ':');
  if (Parts.size() == 1 && Parts[0] == "*")
    Parts.push_back("*");
  if (Parts.size() == 3 && Module.empty()) {
    Module = Parts[0];
    Parts.erase(Parts.begin());
  }
  if (Parts.size() != 2 || Parts[0].empty() || Parts[1].empty())
    return wrongUsage("'" + Text +
                      "' is no pattern for USDT probes: write "
                      "usdt:PROVIDER:NAME, as in 'usdt:python:*'; "
                      "FILE!usdt:PROVIDER:NAME takes those of one file");
  ProbePattern Made;
  Made.Module = Module.str();
  Made.Provider = Parts[0].str();
  Made.Name = Parts[1].str();
  for (const std::string *Glob : {&Made.Module, &Made.Provider, &Made.Name})
    if (const char *Fault =
            Glob->empty() ? nullptr : tprt::globFault(Glob->c_str()))
      return wrongUsage("'" + Text + "': the pattern " + Fault);
  return Made;
}

bool ProbePattern::matches(StringRef Path, const usdt::Note &N) const {
  return tprt::globMatches(Provider.c_str(), N.Provider.c_str()) &&
         tprt::globMatches(Name.c_str(), N.Name.c_str()) &&
         (Module.empty() ||
          tprt::globMatchesPath(Module.c_str(), Path.str().c_str()));
}

} // namespace tpctl
