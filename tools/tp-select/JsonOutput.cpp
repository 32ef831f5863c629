// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same list for programs; docs/select.md describes it.

#include "Output.h"
#include "llvm/Support/JSON.h"

using namespace llvm;

namespace tp {

StringRef ruleName(Rule R) {
  switch (R) {
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

static void writeFunction(json::OStream &J, const Entry &E) {
  const FunctionInfo &F = E.Function;
  // Names are bytes to the linker, but JSON is UTF-8.
  auto Text = [](StringRef S) { return json::fixUTF8(S); };
  J.attribute("name", Text(F.Name));
  J.attribute("readable", Text(F.Readable));
  J.attribute("file", Text(F.File));
  if (F.Line) {
    J.attribute("line", F.Line);
    J.attribute("column", F.Column);
  }
  J.attributeArray("units", [&] {
    for (const std::string &Unit : E.Units)
      J.value(Text(Unit));
  });
  J.attribute("sled", F.hasSled());
  J.attribute("rule", ruleName(F.By));
  J.attribute("why", Text(F.Why));
  if (F.Entry)
    J.attributeObject("entry", [&] {
      J.attribute("nops", F.Entry->Total);
      J.attribute("before", F.Entry->Before);
    });
  J.attribute("exit", F.Exit);
  if (F.Threshold)
    J.attribute("threshold", F.Threshold);
  if (F.By == Rule::Filter)
    J.attributeObject("filter", [&] {
      J.attribute("file", Text(F.FilterFile));
      J.attribute("line", F.FilterLine);
    });
  if (F.Size)
    J.attributeObject("measures", [&] {
      J.attribute("statements", F.Size->Statements);
      J.attribute("loops", F.Size->Loops);
      J.attribute("calls", F.Size->Calls);
      J.attribute("virtual", F.Size->Virtual);
    });
}

void writeJson(raw_ostream &OS, const Results &R) {
  json::OStream J(OS, 2);
  J.object([&] {
    J.attribute("version", 1);
    J.attributeArray("functions", [&] {
      for (const Entry &E : R.Entries)
        J.object([&] { writeFunction(J, E); });
    });
    J.attributeArray("failed", [&] {
      for (const std::string &Unit : R.Failed)
        J.value(json::fixUTF8(Unit));
    });
  });
  OS << '\n';
}

} // namespace tp
