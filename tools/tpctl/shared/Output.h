// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes results, and formats numbers and fields.

#ifndef TPCTL_OUTPUT_H
#define TPCTL_OUTPUT_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <memory>
#include <string>

namespace tpctl {

/// A file that is replaced only after everything has been written, or standard
/// output, or standard error.
class Output {
public:
  /// "-" means standard output, and "" standard error.
  static llvm::Expected<std::unique_ptr<Output>> open(llvm::StringRef Path);
  /// The error that open() would return. Changes nothing.
  static llvm::Error check(llvm::StringRef Path);
  /// Writes a result that cannot be had again. If the file cannot be written,
  /// writes the result to standard error, and returns the error. With
  /// `Appends`, a file keeps what it has, and the result comes after it.
  static llvm::Error write(llvm::StringRef Path,
                           llvm::function_ref<void(llvm::raw_ostream &)> Write,
                           bool Appends = false);
  ~Output();
  llvm::raw_ostream &stream() { return *Stream; }
  /// Whether writing has failed, for example because the reader has gone.
  bool hasFailed() const { return Stream->has_error(); }
  /// Call this once. Returns the error of any earlier write.
  llvm::Error close();

private:
  Output() = default;
  static llvm::Expected<std::unique_ptr<Output>> open(llvm::StringRef Path,
                                                      bool Appends);
  std::string Path, Temporary;
  std::unique_ptr<llvm::raw_fd_ostream> Stream;
};

/// The tables that a verb writes one after another.
class ResultTables {
public:
  /// `Path` is as for Output::open(). With `Replaces`, a file has only the
  /// latest table. Otherwise its tables follow one another, as they do on a
  /// terminal or in a pipe.
  ResultTables(std::string Path, bool Replaces);
  /// Writes a table. `Write` gets whether no table precedes it: then CSV needs
  /// its heading.
  llvm::Error
  write(llvm::function_ref<void(llvm::raw_ostream &, bool IsFirst)> Write);
  /// Whether a table was written.
  bool any() const { return Any; }

private:
  std::string Path;
  bool Replaces, Any = false;
};

/// The first line of a table of --interval: when it was made, and whether it
/// has only what happened since the table before.
std::string intervalText(double Seconds, bool IsPart);
/// Nanoseconds as text with three digits and a unit.
std::string timeText(double Nanoseconds);
/// Nanoseconds as a plain number with at most three decimals.
std::string plainNumber(double Value);
/// In the fewest digits that tell it from all other doubles, or floats.
std::string exactNumber(double Value, bool IsFloat = false);
/// "1 call", "1,234 calls". `Many` is the plural, if an s is not enough.
std::string countText(uint64_t Number, llvm::StringRef One,
                      llvm::StringRef Many = "");
/// A printable field of CSV (RFC 4180), quoted where needed.
std::string csvField(llvm::StringRef Text);
/// An argument to type in a shell: quoted where needed.
std::string shellWord(llvm::StringRef Text);
/// The same for a file's path, without the working folder in front.
std::string shellPath(llvm::StringRef Path);
/// A file's path from the root, for processes that have another working folder.
std::string absolutePath(llvm::StringRef Path);
/// Text without characters that a terminal acts upon (tp::trace::printable).
/// Line ends are kept.
std::string printableLines(llvm::StringRef Text);
/// For JSON: bytes that are not UTF-8 become U+FFFD.
std::string jsonText(llvm::StringRef Text);

} // namespace tpctl

#endif
