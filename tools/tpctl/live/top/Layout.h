// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of tpctl top as lines of a given width. Independent of terminals.

#ifndef TPCTL_LIVE_TOP_LAYOUT_H
#define TPCTL_LIVE_TOP_LAYOUT_H

#include "Source.h"
#include "Table.h"

namespace tpctl {

/// The format of lines.
struct TopLayout {
  size_t Width = 80;
  bool Utf8 = false;
  bool FullNames = false;
  const TopKeys *Keys = nullptr; ///< of the rows, if they are no functions
};

/// The names of the columns. This function and the next one omit columns that
/// do not fit into the width.
std::string headerLine(const TopView &View, const TopLayout &How);
std::string rowLine(const TopRow &Row, const TopLayout &How);

/// A character for each of the last `Width` numbers, relative to the largest.
std::string sparkline(llvm::ArrayRef<double> Values, size_t Width, bool Utf8);
/// A number in at most six columns, as in 14.2M.
std::string shortNumber(double Value);
/// The width of a line in columns of the terminal.
size_t columnsOf(llvm::StringRef Text);

} // namespace tpctl

#endif
