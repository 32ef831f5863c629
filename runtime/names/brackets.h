// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Treats a readable name as text in which brackets pair up. Unpaired brackets
// are left unchanged. The functions have no state and acquire no lock:
// async-signal-safe.
#ifndef TPRT_NAMES_BRACKETS_H
#define TPRT_NAMES_BRACKETS_H

namespace tprt {

// The brackets that are open at a position in a name.
struct Brackets {
  static constexpr unsigned kMost = 64;
  char *open[kMost];
  unsigned count = 0;
  unsigned angles = 0; // how many of them are <

  // Returns the bracket that the bracket at `at` closes, or nullptr.
  char *step(char *at) {
    if (*at == '<' || *at == '(') {
      angles += *at == '<';
      if (count < kMost)
        open[count] = at;
      ++count;
    } else if (*at == '>' && count && at[-1] != '-') {
      if (count <= kMost && *open[count - 1] == '<')
        return --angles, open[--count];
    } else if (*at == ')') {
      // A < that is still open was a comparison.
      while (count && count <= kMost) {
        char *last = open[--count];
        if (*last == '(')
          return last;
        --angles;
      }
    }
    return nullptr;
  }
};

} // namespace tprt

#endif
