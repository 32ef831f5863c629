// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fuzzes the control's requests. The input is a sequence of messages, each
// after two bytes with its length. Every answer must have a complete head and
// fit into a message. Everything that a request attaches is detached when the
// connection ends. A message may attach to all sites, which takes a hundred
// microseconds. So the number of messages in an input is limited. Otherwise
// attaching would use most of the time.
#include "control/dispatch.h"
#include "tprt/control_wire.h"
#include "tprt/tprt.h"

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>

using namespace tprt;

// Changes messages so that they are processed further: the length is correct,
// the type is known, and no recording is begun, because a recording would write
// files.
static void correct(char *message, size_t length) {
  tprt_control_head head;
  memcpy(&head, message, sizeof head);
  head.bytes = static_cast<uint32_t>(length);
  head.type = head.type % (TPRT_CONTROL_ROWS + 2);
  memcpy(message, &head, sizeof head);
  // The sanitizers keep their signal handlers.
  constexpr size_t kFlags = sizeof head + offsetof(tprt_control_hello, flags);
  if (head.type == TPRT_CONTROL_HELLO && length > kFlags)
    message[kFlags] &= ~TPRT_CONTROL_SIGNALS;
  constexpr size_t kWhat = sizeof head + offsetof(tprt_control_record, what);
  if (head.type == TPRT_CONTROL_RECORD && length > kWhat)
    message[kWhat] |= 1;
}

constexpr unsigned kMostMessages = 16;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
  static Client client;
  static char answer[TPRT_CONTROL_MOST_BYTES];
  static bool started = tprt_module_refresh() == TPRT_STATUS_OK;
  client.number = started ? 1 : 2;
  client.greeted = true;
  for (unsigned left = kMostMessages; left && bytes >= 2; --left) {
    size_t length = data[0] | data[1] << 8;
    data += 2, bytes -= 2;
    length = length < bytes ? length : bytes;
    // The block on the heap has exactly this size, so reading one byte too far
    // is detected.
    std::unique_ptr<char[]> message(new char[length]);
    memcpy(message.get(), data, length);
    tprt_control_head head;
    if (length >= sizeof head) {
      correct(message.get(), length);
      size_t got = answerRequest(client, message.get(), length, answer);
      if (got < sizeof head || got > sizeof answer)
        abort();
      memcpy(&head, answer, sizeof head);
      if (head.bytes != got || head.version != TPRT_CONTROL_VERSION)
        abort();
    }
    data += length, bytes -= length;
  }
  endClient(client);
  return 0;
}
