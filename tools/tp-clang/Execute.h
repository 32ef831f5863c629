// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the real clang in place of this driver.
#ifndef TP_CLANG_EXECUTE_H
#define TP_CLANG_EXECUTE_H

#include <string>
#include <vector>

namespace tp {

/// Replaces this process by \p Path. If that fails, or if the program at \p
/// Path keeps calling this driver, prints a message and ends.
[[noreturn]] void execute(const std::string &Path,
                          const std::vector<std::string> &Args);

} // namespace tp

#endif
