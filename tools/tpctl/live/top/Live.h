// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tpctl top in a terminal: reads the processes, draws the table, and handles
// keys until the verb ends.

#ifndef TPCTL_LIVE_TOP_LIVE_H
#define TPCTL_LIVE_TOP_LIVE_H

#include "Expansion.h"
#include "Keys.h"
#include "Layout.h"
#include "Screen.h"
#include "Source.h"

namespace tpctl {

class LiveTop {
public:
  using Clock = Target::Clock;

  LiveTop(Target &At, const Patterns &P, TopSource &T, TopState Begin,
          TopLayout How)
      : At(At), P(P), T(T), State(std::move(Begin)), How(How) {}
  ~LiveTop() {
    At.Messages.sayBy({});
    T.sayBy({});
  }
  LiveTop(const LiveTop &) = delete;
  /// Runs until q is pressed, --for has passed, or a signal arrives.
  /// Afterwards, `said` has the messages that were on the screen.
  llvm::Error run();
  llvm::ArrayRef<std::string> said() const { return Said; }

private:
  llvm::Error readWhatIsDue();
  void takeRows();
  void tellEnded();
  void say(std::string Line);
  void save();
  void quit();
  void expand();
  std::vector<TopRow> visibleRows() const;
  Clock::time_point nextEvent() const;
  const TopTable &table() const { return State.Frozen ? Frozen : Now; }
  void draw();
  void drawHelp();
  void drawRows();
  std::string title() const;
  std::string bottom() const;

  Target &At;
  const Patterns &P;
  TopSource &T;
  TopState State;
  TopLayout How;
  std::unique_ptr<Screen> S;
  TopTable Now, Frozen;
  std::optional<Expansion> Expanded;
  Clock::time_point Due;
  std::string Name, Message;
  std::vector<std::string> Said;
  size_t Ended = 0;
  bool AskedToQuit = false;
  bool Dirty = true; ///< the screen is out of date
};

} // namespace tpctl

#endif
