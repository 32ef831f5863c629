// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fuzzes the control's handling of its connections, with a real socket. Tools
// connect and disconnect, and send several messages before they read, empty
// messages, partial messages, messages that are too long, and descriptors
// together with messages. fuzz_control.cpp fuzzes the contents of messages. The
// input is a sequence of steps. After each input, a tool that follows the rules
// must get its answer, and no descriptor may remain open.
#include "control/server.cpp"

#include "base/os_memory.h"
#include "base/page_size.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/uio.h>

using namespace tprt;

namespace {
constexpr unsigned kMostSteps = 24, kTools = 4;
int listener = -1;
int tools[kTools];

struct Input {
  const uint8_t *at;
  size_t left;
  uint8_t byte() { return left ? --left, *at++ : 0; }
};

[[noreturn]] void complain(const char *what) {
  dprintf(2, "fuzz_framing: %s\n", what);
  abort();
}

int makeTool() {
  return socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

int nextDescriptor() {
  int file = fcntl(listener, F_DUPFD_CLOEXEC, 0);
  close(file);
  return file;
}

// Whether the control has work to do, so that it would not wait.
bool isReady() {
  pollfd files[kMostClients + 1] = {{listener, POLLIN, 0}};
  for (uint32_t i = 0; i < server->count; ++i)
    files[i + 1] = {server->connections[i].file, POLLIN, 0};
  return poll(files, server->count + 1, 0) > 0;
}

// One round of the control, without a limit for its messages. Returns false if
// there was no work to do.
bool hearAll() {
  if (!isReady())
    return false;
  server->unheard = kMostHeard;
  server->greeted = 0;
  server->tenth = nanoseconds();
  if (!attend(listener))
    complain("the control cannot wait");
  if (server->count > kMostClients)
    complain("too many connections");
  return true;
}

void drain() {
  for (int round = 0; hearAll(); ++round)
    if (round > 1000)
      complain("the control is never done");
}

void closeTool(unsigned i) {
  if (tools[i] >= 0)
    close(tools[i]);
  tools[i] = -1;
}

void openTool(unsigned i) {
  closeTool(i);
  tools[i] = makeTool();
  if (connect(tools[i], reinterpret_cast<sockaddr *>(&life.path.address),
              sizeof life.path.address) != 0)
    closeTool(i); // the queue is full
}

// The requests that fuzz_control.cpp excludes are excluded here, too.
void correct(char *message, size_t length) {
  tprt_control_head head;
  memcpy(&head, message, sizeof head);
  head.type = head.type % (TPRT_CONTROL_DETACH_SITES + 2);
  memcpy(message, &head, sizeof head);
  constexpr size_t kFlags = sizeof head + offsetof(tprt_control_hello, flags);
  if (head.type == TPRT_CONTROL_HELLO && length > kFlags)
    message[kFlags] &= static_cast<char>(~TPRT_CONTROL_SIGNALS);
  constexpr size_t kWhat = sizeof head + offsetof(tprt_control_record, what);
  if (head.type == TPRT_CONTROL_RECORD && length > kWhat)
    message[kWhat] |= 1;
}

// Sends the bytes together with this many descriptors.
void send(int file, const char *bytes, size_t length, unsigned descriptors) {
  iovec part = {const_cast<char *>(bytes), length};
  alignas(cmsghdr) char attached[CMSG_SPACE(7 * sizeof(int))] = {};
  msghdr message = {};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (descriptors) {
    message.msg_control = attached;
    message.msg_controllen = CMSG_SPACE(descriptors * sizeof(int));
    cmsghdr *head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(descriptors * sizeof(int));
    for (unsigned i = 0; i < descriptors; ++i)
      memcpy(CMSG_DATA(head) + i * sizeof(int), i % 2 ? &file : &listener,
             sizeof(int));
  }
  sendmsg(file, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
}

void sendMessage(int file, Input &input) {
  static char message[TPRT_CONTROL_MOST_BYTES + 64];
  uint8_t how = input.byte();
  size_t length = input.byte() | size_t{input.byte()} << 8;
  bool whole = how & 8, longest = how & 16;
  size_t given = length < input.left ? length : input.left;
  memset(message, 0, sizeof message);
  memcpy(message, input.at, given);
  input.at += given;
  input.left -= given;
  if (longest)
    given = sizeof message - length % 128;
  if (given >= sizeof(tprt_control_head))
    correct(message, given);
  auto bytes = static_cast<uint32_t>(given);
  if (whole && given >= sizeof bytes)
    memcpy(message, &bytes, sizeof bytes);
  send(file, message, given, how & 7);
}

void readAnswer(int file) {
  static char answer[TPRT_CONTROL_MOST_BYTES + 1];
  ssize_t got = recv(file, answer, sizeof answer, MSG_DONTWAIT);
  if (got <= 0)
    return;
  tprt_control_head head;
  if (static_cast<size_t>(got) < sizeof head)
    complain("an answer is shorter than its head");
  memcpy(&head, answer, sizeof head);
  if (head.bytes != static_cast<size_t>(got) ||
      head.version != TPRT_CONTROL_VERSION)
    complain("an answer's head is wrong");
}

// A tool that follows the rules.
void checkService() {
  int file = makeTool();
  if (connect(file, reinterpret_cast<sockaddr *>(&life.path.address),
              sizeof life.path.address) != 0)
    complain("no connection");
  struct {
    tprt_control_head head;
    tprt_control_hello hello;
  } message = {{sizeof message, TPRT_CONTROL_VERSION, TPRT_CONTROL_HELLO, 7, 0},
               {TPRT_CONTROL_VERSION, 0}};
  ::send(file, &message, sizeof message, MSG_NOSIGNAL);
  char answer[4096];
  ssize_t got = -1;
  drain();
  got = recv(file, answer, sizeof answer, MSG_DONTWAIT);
  tprt_control_head head = {};
  if (got >= static_cast<ssize_t>(sizeof head))
    memcpy(&head, answer, sizeof head);
  if (head.id != 7 || head.status != TPRT_STATUS_OK)
    complain("a tool that keeps to the rules gets no answer");
  close(file);
}

void step(Input &input) {
  uint8_t what = input.byte();
  unsigned tool = what / 8 % kTools;
  switch (what % 8) {
  case 0:
    return openTool(tool);
  case 1:
    return closeTool(tool);
  case 2:
    hearAll();
    return;
  case 3:
    return readAnswer(tools[tool]);
  case 4:
    shutdown(tools[tool], what & 32 ? SHUT_WR : SHUT_RD);
    return;
  default:
    if (tools[tool] < 0)
      openTool(tool);
    return sendMessage(tools[tool], input);
  }
}

bool begin() {
  char folder[] = "/tmp/tprt-fuzz-XXXXXX";
  if (!mkdtemp(folder) || setenv("XDG_RUNTIME_DIR", folder, 1) != 0 ||
      tprt_module_refresh() != TPRT_STATUS_OK)
    complain("no folder");
  server = static_cast<Server *>(allocatePages(roundToPages(sizeof(Server))));
  if (!startThread(workThread, "tprt-work"))
    complain("no thread");
  listener = listenAt(life.path, 1, life.failure, sizeof life.failure);
  if (listener < 0)
    complain(life.failure);
  life.state = On;
  for (int &file : tools)
    file = -1;
  keepStandardError(); // same as for a group that prints
  return true;
}
} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
  static bool started = begin();
  Input input = {data, bytes};
  // The fuzzer opens some of its own descriptors between inputs.
  const int firstFree = started ? nextDescriptor() : -1;
  for (unsigned left = started ? kMostSteps : 0; left && input.left; --left)
    step(input);
  for (unsigned i = 0; i < kTools; ++i)
    closeTool(i);
  drain();
  checkService();
  drain();
  if (server->count)
    complain("a connection is left over");
  if (nextDescriptor() == firstFree)
    return 0;
  char file[40], target[200] = "";
  snprintf(file, sizeof file, "/proc/self/fd/%d", firstFree);
  if (readlink(file, target, sizeof target - 1) > 0)
    dprintf(2, "fuzz_framing: %s\n", target);
  complain("a descriptor is left over");
}
