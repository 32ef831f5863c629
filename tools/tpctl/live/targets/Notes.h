// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The messages of a live verb, each printed once although it may be true of
// many processes. Used on the main thread.

#ifndef TPCTL_LIVE_TARGETS_NOTES_H
#define TPCTL_LIVE_TARGETS_NOTES_H

#include <functional>
#include <set>
#include <string>

namespace tpctl {

class Notes {
public:
  /// Prints a message, unless it was printed before. Addresses in it do not
  /// count: the same function has another address in each process.
  void once(const std::string &Text) {
    if (isNews(Text))
      say(Text);
  }
  /// Whether once() would print this. Afterwards it counts as printed.
  bool isNews(const std::string &Text);
  void say(const std::string &Text) const;
  /// From now on, messages go to this function. Without a function, they are
  /// printed.
  void sayBy(std::function<void(const std::string &)> Say) {
    this->Say = std::move(Say);
  }
  /// Whether messages go to a function.
  bool areRedirected() const { return static_cast<bool>(Say); }

private:
  std::set<std::string> Said;
  std::function<void(const std::string &)> Say;
};

} // namespace tpctl

#endif
