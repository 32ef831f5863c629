// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Keys.h.

#include "Keys.h"

using namespace llvm;

namespace tpctl {
namespace {

struct SortKey {
  char Key;
  TopSort Sort;
};
constexpr SortKey SortKeys[] = {
    {'r', TopSort::Rate}, {'c', TopSort::Calls}, {'t', TopSort::Total},
    {'e', TopSort::Self}, {'5', TopSort::P50},   {'9', TopSort::P99},
    {'m', TopSort::Max},  {'n', TopSort::Name},
};

constexpr const char *Help[] = {
    "r c t e       sort by calls/s, calls, total, self",
    "5 9 m n       sort by p50, p99, max, name",
    "R             reverse the order",
    "i             sums since the start, or the last interval alone",
    "/             show functions with this text in their names; Enter, Escape",
    "space         freeze, and continue",
    "up down       scroll; also j k, page up, page down, home",
    "Enter         what the first row calls, below it; again: no more",
    "s             save the table to a file: .csv, .json, or else text",
    "q             quit",
    "",
    "total, self   share of the time that has passed, over all threads",
    "self          without calls of other functions that are timed",
    "history       calls/s of the last intervals, relative to the largest",
    "c NAME        because of the budget, this function is only counted now:",
    "              its times are those of earlier calls, and no shares",
    "- NAME        the budget turned this function off: its numbers are old",
};

} // namespace

ArrayRef<const char *> helpLines() { return Help; }

void TopState::finishTyping(bool Accepted) {
  if (What == Typing::Filter && !Accepted)
    View.Filter = FilterBefore;
  if (What == Typing::Path && Accepted)
    SaveTo = Typed;
  What = Typing::Nothing;
  Typed.clear();
}

/// Returns false if the user is not typing a text.
bool TopState::pressWhileTyping(int Key) {
  if (What == Typing::Nothing)
    return false;
  if (Key == KeyEnter || Key == KeyEscape) {
    finishTyping(Key == KeyEnter);
    return true;
  }
  if (Key == KeyBackspace) {
    // A character of UTF-8 may have several bytes.
    while (!Typed.empty() && (Typed.back() & 0xc0) == 0x80)
      Typed.pop_back();
    if (!Typed.empty())
      Typed.pop_back();
  } else if (Key >= ' ' && Key < 256 && Key != 127) {
    Typed += static_cast<char>(Key);
  }
  if (What == Typing::Filter) {
    View.Filter = Typed;
    First = 0;
  }
  return true;
}

bool TopState::scroll(int Key) {
  auto Up = [&](size_t Rows) { First -= std::min(First, Rows); };
  switch (Key) {
  case KeyUp:
  case 'k':
    return Up(1), true;
  case KeyPageUp:
    return Up(Page), true;
  case KeyDown:
  case 'j':
    return ++First, true;
  case KeyPageDown:
    return First += Page, true;
  case KeyHome:
    return First = 0, true;
  default:
    return false;
  }
}

void TopState::press(int Key) {
  if (Key == KeyHangup)
    Quit = true;
  if (Key == KeyNone || Key == KeyResize || pressWhileTyping(Key))
    return;
  bool WasHelp = std::exchange(Help, Key == '?' || Key == 'h');
  if (WasHelp) {
    Help = false;
    return;
  }
  if (scroll(Key))
    return;
  for (const SortKey &S : SortKeys)
    if (Key == S.Key) {
      View.Sort = S.Sort;
      First = 0;
    }
  if (Key == 'q')
    Quit = true;
  else if (Key == ' ')
    Frozen = !Frozen;
  else if (Key == KeyEnter)
    Expand = true;
  else if (Key == 'i')
    View.LastInterval = !View.LastInterval;
  else if (Key == 'R')
    View.Reversed = !View.Reversed;
  else if (Key == '/') {
    What = Typing::Filter;
    FilterBefore = std::exchange(View.Filter, "");
  } else if (Key == 's') {
    What = Typing::Path;
    Typed = "tpctl-top.txt";
  }
}

} // namespace tpctl
