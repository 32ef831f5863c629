// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bodies of requests and answers (tprt/control_wire.h). An answer comes
// from another process, so tpctl does not trust it, and checks each bound.

#ifndef TPCTL_LIVE_REQUESTS_MESSAGE_H
#define TPCTL_LIVE_REQUESTS_MESSAGE_H

#include "Readable.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <algorithm>
#include <cstring>
#include <optional>
#include <string>

namespace tpctl {

/// A request's body.
class Body {
public:
  template <class T> Body &put(const T &Value) {
    Bytes.append(reinterpret_cast<const char *>(&Value), sizeof Value);
    return *this;
  }
  Body &text(llvm::StringRef Text) {
    Bytes.append(Text.data(), Text.size());
    Bytes += '\0';
    return *this;
  }
  template <class T> Body &all(llvm::ArrayRef<T> Values) {
    for (const T &Value : Values)
      put(Value);
    return *this;
  }
  Body &bytes(llvm::StringRef Text) {
    Bytes += Text;
    return *this;
  }
  std::string Bytes;
};

/// The unread rest of an answer's body.
class Reader {
public:
  explicit Reader(llvm::StringRef Rest) : Rest(Rest) {}
  /// nullopt if the answer is too short.
  template <class T> std::optional<T> take() {
    T Value;
    if (Rest.size() < sizeof Value)
      return std::nullopt;
    memcpy(&Value, Rest.data(), sizeof Value);
    Rest = Rest.drop_front(sizeof Value);
    return Value;
  }
  /// Up to the next NUL, or to the end.
  std::string text() { return tp::trace::printable(bytes()); }
  /// The same text with its control characters unchanged.
  llvm::StringRef bytes() {
    auto [Text, After] = Rest.split('\0');
    Rest = After;
    return Text;
  }
  /// The next bytes; nullopt if the answer is too short.
  std::optional<llvm::StringRef> block(size_t Count) {
    if (Rest.size() < Count)
      return std::nullopt;
    llvm::StringRef Block = Rest.take_front(Count);
    Rest = Rest.drop_front(Count);
    return Block;
  }
  llvm::StringRef rest() const { return Rest; }

private:
  llvm::StringRef Rest;
};

/// Calls visit(Part) for parts of at most `Most` items, in order, until a call
/// returns an error. One message does not hold all of them.
template <class T, class Function>
llvm::Error inParts(llvm::ArrayRef<T> All, size_t Most, Function Visit) {
  while (!All.empty()) {
    llvm::ArrayRef<T> Part = All.take_front(Most);
    if (llvm::Error E = Visit(Part))
      return E;
    All = All.drop_front(Part.size());
  }
  return llvm::Error::success();
}

/// The string at an offset of a table; "" if the offset is outside the table.
inline std::string textAt(llvm::StringRef Strings, uint32_t Place) {
  return tp::trace::printable(
      Strings.drop_front(std::min<size_t>(Place, Strings.size()))
          .split('\0')
          .first);
}

} // namespace tpctl

#endif
