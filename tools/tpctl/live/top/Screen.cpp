// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Screen.h.

#include "Screen.h"

#include "Keys.h"
#include "Layout.h"
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <langinfo.h>
#include <poll.h>
#include <termios.h>
#include <unistd.h>
// This header comes last, because it defines short names.
#define NCURSES_NOMACROS
#include <ncurses.h>
#include <term.h>
#undef lines
#undef columns

using namespace llvm;

namespace tpctl {
namespace {

SCREEN *Terminal;

enum Pair : short { FaintPair = 1, WarningPair };

/// Ctrl-\ would end tpctl without restoring the terminal.
void turnQuitOff() {
  termios Mode;
  if (tcgetattr(STDIN_FILENO, &Mode) == 0) {
    Mode.c_cc[VQUIT] = _POSIX_VDISABLE;
    tcsetattr(STDIN_FILENO, TCSANOW, &Mode);
    def_prog_mode();
  }
}

Error unusable(int Found) {
  const char *Name = getenv("TERM");
  std::string Why =
      !Name || !*Name ? "TERM is not set"
      : Found == 1    ? "it cannot move its cursor"
                   : "the terminfo database has no '" + std::string(Name) + "'";
  if (Found < 0)
    Why = "there is no terminfo database";
  return createStringError("this terminal cannot be used, as " + Why +
                           ": set TERM, for example to xterm or vt100, install "
                           "the terminfo database (ncurses-base, "
                           "ncurses-term), or use --batch");
}

int specialKey(int Code) {
  switch (Code) {
  case KEY_UP:
    return KeyUp;
  case KEY_DOWN:
    return KeyDown;
  case KEY_PPAGE:
    return KeyPageUp;
  case KEY_NPAGE:
    return KeyPageDown;
  case KEY_HOME:
    return KeyHome;
  case KEY_ENTER:
  case '\r':
  case '\n':
    return KeyEnter;
  case 27:
    return KeyEscape;
  case KEY_BACKSPACE:
  case 127:
  case 8:
    return KeyBackspace;
  case KEY_RESIZE:
    return KeyResize;
  default:
    return Code >= 0 && Code < 256 ? Code : KeyNone;
  }
}

} // namespace

Expected<std::unique_ptr<Screen>> Screen::open() {
  // Sets only the locale of characters: numbers keep their points.
  setlocale(LC_CTYPE, "");
  int Found = 0;
  if (setupterm(nullptr, STDOUT_FILENO, &Found) != OK)
    return unusable(Found);
  if (!tigetstr(const_cast<char *>("cup")))
    return unusable(1);
  Terminal = newterm(nullptr, stdout, stdin);
  if (!Terminal)
    return unusable(1);
  std::unique_ptr<Screen> Made(new Screen);
  Made->Utf8 = StringRef(nl_langinfo(CODESET)) == "UTF-8";
  cbreak();
  noecho();
  nonl();
  keypad(stdscr, TRUE);
  nodelay(stdscr, TRUE);
  set_escdelay(25);
  curs_set(0);
  turnQuitOff();
  Made->chooseColors();
  return Made;
}

void Screen::chooseColors() {
  const char *No = getenv("NO_COLOR");
  Colors = !(No && *No) && has_colors() && start_color() == OK &&
           use_default_colors() == OK;
  if (!Colors)
    return;
  init_pair(FaintPair, COLOR_CYAN, -1);
  init_pair(WarningPair, COLOR_YELLOW, -1);
}

Screen::~Screen() {
  endwin();
  delscreen(Terminal);
}

size_t Screen::height() const {
  return static_cast<size_t>(std::max(0, getmaxy(stdscr)));
}
size_t Screen::width() const {
  return static_cast<size_t>(std::max(0, getmaxx(stdscr)));
}

void Screen::clear() { werase(stdscr); }

static attr_t attributesOf(Style How, bool Colors) {
  switch (How) {
  case Style::Plain:
    return A_NORMAL;
  case Style::Bold:
    return A_BOLD;
  case Style::Title:
    return A_REVERSE;
  case Style::Faint:
    return Colors ? static_cast<attr_t>(COLOR_PAIR(FaintPair)) : A_DIM;
  case Style::Warning:
    return Colors ? static_cast<attr_t>(COLOR_PAIR(WarningPair)) : A_BOLD;
  }
  return A_NORMAL;
}

void Screen::put(size_t Line, StringRef Text, Style How) {
  size_t Width = width();
  if (Line >= height())
    return;
  std::string Fits = Text.str();
  while (columnsOf(Fits) > Width) {
    while (!Fits.empty() && (Fits.back() & 0xc0) == 0x80)
      Fits.pop_back();
    Fits.pop_back();
  }
  if (How == Style::Title)
    Fits.append(Width - columnsOf(Fits), ' ');
  wattrset(stdscr, static_cast<int>(attributesOf(How, Colors)));
  mvwaddstr(stdscr, static_cast<int>(Line), 0, Fits.c_str());
  wattrset(stdscr, A_NORMAL);
}

void Screen::show() { wrefresh(stdscr); }

int Screen::key(std::chrono::milliseconds AtMost) {
  // Keys that were typed together are already in ncurses' queue.
  if (int Code = wgetch(stdscr); Code != ERR)
    return specialKey(Code);
  pollfd Input = {STDIN_FILENO, POLLIN, 0};
  int Ready = poll(&Input, 1, static_cast<int>(AtMost.count()));
  // Also called after a signal: wgetch() reports a change of the size.
  int Code = wgetch(stdscr);
  if (Code == ERR && Ready > 0)
    return KeyHangup; // readable without a key: the end of the input
  return Code == ERR ? KeyNone : specialKey(Code);
}

} // namespace tpctl
