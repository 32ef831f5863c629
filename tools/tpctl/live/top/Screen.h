// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The terminal, by ncurses. While a Screen exists, the terminal shows it; the
// destructor restores the terminal. Used on the main thread.

#ifndef TPCTL_LIVE_TOP_SCREEN_H
#define TPCTL_LIVE_TOP_SCREEN_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <chrono>
#include <memory>

namespace tpctl {

enum class Style { Plain, Bold, Title, Faint, Warning };

class Screen {
public:
  /// The error says why the terminal cannot be used.
  static llvm::Expected<std::unique_ptr<Screen>> open();
  ~Screen();
  Screen(const Screen &) = delete;

  size_t height() const;
  size_t width() const;
  /// Whether the locale's characters are those of UTF-8.
  bool isUtf8() const { return Utf8; }

  void clear();
  /// Text that does not fit into the line is cut.
  void put(size_t Line, llvm::StringRef Text, Style How = Style::Plain);
  void show();
  /// The next key (Keys.h). Returns KeyNone if no key was pressed in time, or a
  /// signal arrived.
  int key(std::chrono::milliseconds AtMost);

private:
  Screen() = default;
  void chooseColors();
  bool Utf8 = false, Colors = false;
};

} // namespace tpctl

#endif
