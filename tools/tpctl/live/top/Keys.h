// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The keys of tpctl top and their effects. Independent of terminals.

#ifndef TPCTL_LIVE_TOP_KEYS_H
#define TPCTL_LIVE_TOP_KEYS_H

#include "Table.h"

namespace tpctl {

/// Keys that are not characters. Characters have their own numbers, below
/// these.
enum Key : int {
  KeyNone = -1,
  KeyUp = 0x10000,
  KeyDown,
  KeyPageUp,
  KeyPageDown,
  KeyHome,
  KeyEnter,
  KeyEscape,
  KeyBackspace,
  KeyResize,
  KeyHangup ///< the terminal is gone
};

/// What the screen shows, and the text that the user is typing.
struct TopState {
  enum class Typing { Nothing, Filter, Path };

  TopView View;
  bool Frozen = false, Help = false, Quit = false;
  Typing What = Typing::Nothing;
  std::string Typed;
  std::string FilterBefore;   ///< comes back at Escape
  std::string SaveTo;         ///< not empty: save the table there
  bool Expand = false;        ///< the first visible row, or the same again
  size_t First = 0, Page = 1; ///< the first visible row, and the number of rows

  void press(int Key);

private:
  bool pressWhileTyping(int Key);
  void finishTyping(bool Accepted);
  bool scroll(int Key);
};

/// The lines of the help page.
llvm::ArrayRef<const char *> helpLines();

} // namespace tpctl

#endif
