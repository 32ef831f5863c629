// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of functions that `report` shows and `diff` compares. It is made
// from one or more recordings; equal functions are added up.

#ifndef TPCTL_ROWS_H
#define TPCTL_ROWS_H

#include "shared/Selection.h"

namespace tpctl {

enum class GroupBy { Nothing, Thread, Process, Host, Module, File };

struct Row {
  std::string Group, Module, Name;
  std::string Linked; ///< the name as linked; empty if unknown
  /// The text that distinguishes functions of one module and name, otherwise
  /// empty.
  std::string Where;
  tp::trace::FunctionStats Stats; ///< in nanoseconds
  tp::trace::SourceFrame Source;  ///< if requested and known
  uint64_t notWhole() const { return Stats.Calls - Stats.Whole; }
  double average() const {
    return Stats.Whole ? static_cast<double>(Stats.Sum) /
                             static_cast<double>(Stats.Whole)
                       : 0;
  }
};

struct Table {
  std::vector<Row> Rows;
  uint64_t Events = 0, Lost = 0;
  size_t Threads = 0;
  double Nanoseconds = 0; ///< from the first event to the last one
  /// The number of findings of each kind, in all files together.
  std::vector<std::pair<std::string, uint64_t>> Findings;
  std::string WhyEmpty; ///< set if there are no rows
};

/// The name of a row without the suffixes of compilers: f for f.constprop.0,
/// f.llvm.123 and, in Rust, f::h0123456789abcdef.
std::string nameInSource(const Row &R);

/// Reads the files of a selection, and reports repairs on standard error.
/// `WithSource` adds the files and lines of functions.
llvm::Expected<Table> readRows(const Selection &Chosen, GroupBy By,
                               unsigned Jobs, bool WithSource);

} // namespace tpctl

#endif
