// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fuzzes the control's requests. The input is a sequence of messages, each
// after two bytes with its length. Every answer must have a whole head and fit
// into a message. What a request attaches is ended when the connection ends.
// A message may attach to all sites, which takes a hundred microseconds, so the
// messages of an input are bounded: else most of the time goes into attaching.
#include "control/control_state.h"
#include "tprt/control_wire.h"

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>

using namespace tprt;

// Makes messages that get further: the length is right, the type is known, and
// no recording is begun, as that would write files.
static void correct(char *message, size_t length) {
  tprt_control_head head;
  memcpy(&head, message, sizeof head);
  head.bytes = static_cast<uint32_t>(length);
  head.type = head.type % (TPRT_CONTROL_DETACH_SITES + 2);
  memcpy(message, &head, sizeof head);
  // The handlers of the sanitizers stay theirs.
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
    // The block on the heap has exactly this size, so a read of a byte too far
    // is noticed.
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
