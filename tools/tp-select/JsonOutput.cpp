// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The list as JSON, for programs. docs/reference/select.md describes it.

#include "Output.h"
#include "llvm/Support/JSON.h"

using namespace llvm;

namespace tp {

// For the linker, a name may have any bytes. JSON needs UTF-8.
static std::string text(StringRef S) { return json::fixUTF8(S); }

static void writeDecision(json::OStream &J, const FunctionInfo &F) {
  const SourceDecision &D = F.Decision;
  J.attribute("sled", D.hasSled());
  J.attribute("rule", D.ruleName());
  J.attribute("why", text(F.Why));
  if (D.Entry)
    J.attributeObject("entry", [&] {
      J.attribute("nops", D.Entry->Total);
      J.attribute("before", D.Entry->Before);
    });
  J.attribute("exit", D.Exit);
  if (D.Threshold)
    J.attribute("threshold", D.Threshold);
  if (D.By == Rule::Filter)
    J.attributeObject("filter", [&] {
      J.attribute("file", text(D.Line.File));
      J.attribute("line", D.Line.Line);
    });
}

static void writeFunction(json::OStream &J, const Entry &E) {
  const FunctionInfo &F = E.Function;
  J.attribute("name", text(F.Name));
  J.attribute("readable", text(F.Readable));
  J.attribute("file", text(F.File));
  if (F.Line) {
    J.attribute("line", F.Line);
    J.attribute("column", F.Column);
  }
  J.attributeArray("units", [&] {
    for (const std::string &Unit : E.Units)
      J.value(text(Unit));
  });
  writeDecision(J, F);
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
        J.value(text(Unit));
    });
  });
  OS << '\n';
}

} // namespace tp
