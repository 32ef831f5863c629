// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See TableTime.h.

#include "TableTime.h"

#include "shared/Output.h"

using namespace llvm;

namespace tpctl {

void TableTime::writeText(raw_ostream &OS) const {
  if (Seconds)
    OS << intervalText(*Seconds, IsPart);
}

void TableTime::writeJson(raw_ostream &OS,
                          function_ref<void(json::OStream &)> Rows) const {
  json::OStream J(OS, Seconds ? 0 : 1);
  if (Seconds)
    J.object([&] {
      J.attribute("seconds", *Seconds);
      J.attributeArray("rows", [&] { Rows(J); });
    });
  else
    J.array([&] { Rows(J); });
  OS << '\n';
}

void TableTime::writeCsv(raw_ostream &OS, StringRef Heading) const {
  if (IsFirst)
    OS << (Seconds ? "seconds," : "") << Heading << '\n';
}

void TableTime::beginRow(raw_ostream &OS) const {
  if (Seconds)
    OS << plainNumber(*Seconds) << ',';
}

} // namespace tpctl
