// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The control thread (server.h): connections and messages.
//
// If a tool does not read its answers, it is disconnected when its socket is
// full. If a tool asks without a pause, only a bounded number of its requests
// is read in each tenth of a second. So no tool makes the program wait, except
// for the runtime's lock during a request.
#include "control/server.h"
#include "base/os_file.h"
#include "base/os_process.h"
#include "base/os_thread.h"
#include "base/process_ends.h"
#include "control/awaited_tools.h"
#include "control/ends.h"
#include "control/futex_word.h"
#include "control/server_start.h"
#include "control/server_threads.h"
#include "control/work_thread.h"
#include "threads/lock.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace tprt {

// How many requests and new connections are accepted in a tenth of a second, so
// that flooding tools cost the program little time (control_stalled_ratio in
// bench/). Unused requests may be used later, up to the second number. Further
// requests wait. All connections share these numbers. Each waiting connection
// is read once in turn, so a tool that asks rarely waits for at most a tenth of
// a second. If the process waits for a tool at its end, that tool reads often,
// and its readings may have many pages: only each eighth of its requests
// counts. While the program waits for a tool, no tool is delayed.
static constexpr uint32_t kMoreHeard = 10, kMostHeard = 500, kMostGreeted = 10;
static constexpr uint64_t kTenth = 100'000'000;

// If the process changes its user, both threads follow. If the process can do
// so, its user is read each time a tool connects or asks, and five times a
// second.
static constexpr int kFollowMs = 200;

static bool mayFollow() {
  Lock lock;
  return mayFollowProcess();
}

static void follow() {
  Server &s = *server;
  if (!s.follows || !(s.follows = mayFollow()))
    return;
  readProcessRights();
  followProcess();
  request(Job::Follow);
}

static void end(Connection &c) {
  server->client = &c.client;
  request(Job::EndClient);
  server->untidy |= server->result;
  close(c.file);
  Connection &last = server->connections[--server->count];
  if (&c != &last)
    memcpy(static_cast<void *>(&c), &last, sizeof c);
  memset(static_cast<void *>(&last), 0, sizeof last);
}

static void greet(int listener) {
  int32_t pid;
  int file = acceptTool(listener, pid);
  ++server->greeted;
  if (file < 0)
    return;
  if (server->count == kMostClients) {
    close(file);
    return;
  }
  Connection &c = server->connections[server->count++];
  c.file = file;
  c.client.pid = pid;
  c.client.number = ++server->lastNumber;
}

static void readTimeOfTools() {
  // A tool that is busy with other processes connects later.
  uint64_t sum = toolOfStart() ? processorTime(toolOfStart()) : 0;
  for (const Connection &c : server->connections)
    sum += processorTime(c.client.pid);
  noteTimeOfTools(sum);
}

static bool mayHear() { return server->unheard || areToolsAwaited(); }

// Returns false if the connection is over.
static bool hear(Connection &c) {
  Server &s = *server;
  ssize_t got = recv(c.file, s.request, sizeof s.request, MSG_DONTWAIT);
  if (got < 0)
    return errno == EAGAIN || errno == EINTR;
  // An empty message looks like the end of the connection.
  if (got < static_cast<ssize_t>(sizeof(tprt_control_head)) ||
      got > TPRT_CONTROL_MOST_BYTES)
    return false;
  if (s.unheard && (!c.client.awaits || ++s.heard % 8 == 0))
    --s.unheard;
  s.requestBytes = static_cast<size_t>(got);
  s.client = &c.client;
  request(Job::Answer);
  noteAnswered(s.request, s.requestBytes);
  ssize_t sent = send(c.file, s.answer, s.answerBytes,
                      MSG_DONTWAIT | MSG_NOSIGNAL | MSG_EOR);
  return sent == static_cast<ssize_t>(s.answerBytes);
}

// Fills in the descriptors to wait for, and returns how many milliseconds to
// wait.
static int prepare(pollfd *files, int listener) {
  Server &s = *server;
  uint64_t now = nanoseconds();
  if (uint64_t tenths = (now - s.tenth) / kTenth) {
    uint64_t more = s.unheard + tenths * kMoreHeard;
    s.tenth = now;
    s.greeted = 0;
    s.unheard = more < kMostHeard ? static_cast<uint32_t>(more) : kMostHeard;
  }
  bool full = s.greeted >= kMostGreeted, waits = !mayHear();
  files[0] = {listener, static_cast<short>(full ? 0 : POLLIN), 0};
  for (uint32_t i = 0; i < s.count; ++i)
    files[i + 1] = {s.connections[i].file,
                    static_cast<short>(waits ? 0 : POLLIN), 0};
  if (full || waits)
    return static_cast<int>((s.tenth + kTenth - now) / 1'000'000 + 1);
  // A thread of the program that waits is told how the tools get on.
  constexpr int kTellMs = 100;
  return areToolsAwaited() || isStartAwaited() ? kTellMs
         : s.untidy || s.follows || s.count    ? kFollowMs
                                               : -1;
}

// As poll(2), which takes no more descriptors than the process may have open
// (setrlimit(2), RLIMIT_NOFILE). A program may have lowered that since. Where
// it takes not even one, each connection is said to have a request: hear() does
// not wait for one. A new connection could not be taken then.
static int awaitOne(pollfd *files, nfds_t count, int milliseconds) {
  constexpr uint64_t kPauseNs = 20'000'000;
  int ready = poll(files, count, milliseconds);
  if (ready >= 0 || errno != EINVAL)
    return ready;
  sleepFor(kPauseNs);
  ready = 0;
  for (nfds_t i = 0; i < count; ++i) {
    if (poll(&files[i], 1, 0) < 0 && errno == EINVAL)
      files[i].revents = static_cast<short>(i ? files[i].events : 0);
    ready += files[i].revents != 0;
  }
  return ready;
}

// Waits for a message or connection, and handles each connection once. Returns
// false if waiting is not possible.
static bool attend(int listener) {
  Server &s = *server;
  pollfd files[kMostClients + 1];
  uint32_t count = s.count;
  int limit = prepare(files, listener);
  if (awaitOne(files, count + 1, limit) < 0 && errno != EINTR)
    return false;
  follow();
  if (areToolsAwaited())
    readTimeOfTools();
  // From the last on, as an end moves the last connection.
  for (uint32_t i = count; i-- > 0;)
    if (files[i + 1].revents && mayHear() && !hear(s.connections[i]))
      end(s.connections[i]);
  if (files[0].revents && readWord(life.state) == On)
    greet(listener);
  if (s.untidy) {
    request(Job::Tidy);
    s.untidy = s.result;
  }
  return true;
}

// The program's threads have all ended, so the control's threads end when tools
// have read the last counts.
static void serveLast(int listener) {
  awaitToolsAtLastEnd(attend, listener);
  life.isProgramGone = true;
  setWord(life.state, Stopping);
}

static void serve(int listener) {
  while (readWord(life.state) == On && attend(listener))
    if (areLastThreads(2))
      return serveLast(listener);
}

void controlThread() {
  beginLife(OwnThread::Control);
  bool alone = leaveDescriptors();
  if (!alone)
    snprintf(life.failure, sizeof life.failure,
             "the control's thread could not get its own descriptor table: %s "
             "(is there a seccomp filter?)",
             strerror(errno));
  int listener = alone ? listenAt(life.path, controlInstance, life.failure,
                                  sizeof life.failure)
                       : -1;
  // The low priority keeps tools from costing the program's threads processor
  // time.
  setpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)), 10);
  if (listener >= 0) {
    openProcessRights();
    server->follows = mayFollow();
    setWord(life.state, On);
    setWord(life.ready, 1);
    serve(listener);
    unlink(life.path.text());
    close(listener);
    while (server->count)
      end(server->connections[server->count - 1]);
    request(Job::EndAll);
  }
  request(Job::Leave);
  endLife(OwnThread::Control);
  setWord(life.ready, 2);
}

} // namespace tprt
