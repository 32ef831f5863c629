// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading a request and writing an answer, with every bound checked. On the
// work thread.
#ifndef TPRT_CONTROL_MESSAGE_H
#define TPRT_CONTROL_MESSAGE_H

#include "tprt/control_wire.h"
#include "tprt/tprt.h"

#include <string.h>

namespace tprt {

// The unread part of a request.
class Request {
public:
  Request(const char *at, size_t bytes) : at(at), left(bytes) {}

  // False: the request is too short.
  template <class T> bool take(T &to) { return takeBytes(&to, sizeof to); }
  bool takeBytes(void *to, size_t bytes) {
    if (left < bytes)
      return false;
    memcpy(to, at, bytes);
    skip(bytes);
    return true;
  }
  // A string, which stays in the request; nullptr if no terminated string is
  // left.
  const char *string() {
    const void *end = memchr(at, 0, left);
    if (!end)
      return nullptr;
    const char *text = at;
    skip(static_cast<size_t>(static_cast<const char *>(end) - at) + 1);
    return text;
  }
  bool isEmpty() const { return !left; }

private:
  void skip(size_t bytes) {
    at += bytes;
    left -= bytes;
  }
  const char *at;
  size_t left;
};

// An answer that is being written. If a part does not fit, it is left out, and
// the call returns that.
class Answer {
public:
  explicit Answer(char *to) : to(to) {}

  template <class T> bool put(const T &value) {
    return putBytes(&value, sizeof value);
  }
  bool putBytes(const void *from, size_t bytes) {
    if (bytes > room())
      return false;
    memcpy(to + used, from, bytes);
    used += bytes;
    return true;
  }
  // Writes the text with its NUL. If the text does not fit, it is cut.
  void putText(const char *text) {
    size_t length = strnlen(text, room() ? room() - 1 : 0);
    if (putBytes(text, length))
      put(char{});
  }
  size_t room() const { return TPRT_CONTROL_MOST_BYTES - used; }
  size_t bytes() const { return used; }
  char *at(size_t place) { return to + place; }
  void cutTo(size_t bytes) { used = bytes; }

private:
  char *to;
  size_t used = 0;
};

// Ends the answer as a failure: its body is replaced by a sentence.
tprt_status refuse(Answer &answer, tprt_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

} // namespace tprt

#endif
