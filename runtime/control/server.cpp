// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The two threads of the control (server.h), and the calls of tprt/control.h.
//
// The control thread waits for messages. It hands each request to the work
// thread, and waits for the answer; so there is one request at a time, and one
// pair of buffers. The two wait for each other by futexes. If a tool does not
// read its answers, it is disconnected when its socket is full. If a tool asks
// without a pause, only a bounded number of its requests is read in each tenth
// of a second. So no tool makes the program wait, except for the runtime's lock
// during a request.
#include "control/server.h"
#include "base/os_file.h"
#include "base/os_memory.h"
#include "base/os_process.h"
#include "base/os_thread.h"
#include "base/page_size.h"
#include "base/process_ends.h"
#include "control/awaited_tools.h"
#include "control/dispatch.h"
#include "control/ends.h"
#include "control/futex_word.h"
#include "control/socket.h"
#include "loader/module_list.h"
#include "modules/module.h"
#include "patch/uprobe_thread.h"
#include "threads/lock.h"
#include "threads/status.h"
#include "threads/thread_block.h"
#include "tprt/control.h"
#include "tprt/control_wire.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

extern "C" {
// The function that at_quick_exit calls; at_quick_exit itself is not in
// libc.so.
extern void *__dso_handle __attribute__((weak, visibility("hidden")));
#ifdef __GLIBC__
int __cxa_at_quick_exit(void (*)(void *), void *);
#endif
}

namespace tprt {

namespace {
enum State : uint32_t { Off, Starting, On, Stopping };

// The jobs that the control thread gives to the work thread.
enum class Job : uint32_t {
  None,
  Answer,
  EndClient,
  Tidy,
  Follow, // the process's user
  Look,   // for breakpoints (patch/uprobe_thread.h); from any thread
  EndAll,
  Leave
};

// A connection. `file` is a descriptor of the control thread's own table.
struct Connection {
  int file;
  Client client;
};

struct Server {
  // Written by one thread and read by the other, when one of the words below
  // says so.
  char request[TPRT_CONTROL_MOST_BYTES + 1], answer[TPRT_CONTROL_MOST_BYTES];
  size_t requestBytes, answerBytes;
  Client *client;
  bool result; // of Tidy and EndAll
  // Used by the control thread alone.
  Connection connections[kMostClients];
  uint32_t count, lastNumber;
  uint64_t tenth;   // when the present tenth of a second began
  uint32_t greeted; // connections in it
  uint32_t unheard; // how many requests may still be heard before the next
  uint32_t heard;   // of tools that the process waits for at its end
  bool untidy;
  bool follows; // The process may give up rights that the threads have.
};
} // namespace

// The state belongs to the process with this number; in another one it is Off.
static uint32_t state, ownerGeneration;
// The tool for which this process was started; 0: the program itself, or its
// user, asked for the control.
static uint32_t startedFor;
static Server *server;
static SocketPath path;
static char failure[256];
// Words that threads wait for by a futex.
static uint32_t job, readyWord, releaseWord;
// The program's threads have all ended, so those of the control end as well.
static bool isProgramGone;
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

bool isControlOn() {
  return readWord(state) == On && ownerGeneration == processGeneration;
}

bool isControlBroken() {
  return wasKilled(OwnThread::Control) || wasKilled(OwnThread::Work);
}

bool isAnswering() { return readWord(job) != static_cast<uint32_t>(Job::None); }

// --- the work thread ---------------------------------------------------------

static void carryOut(Job what) {
  Server &s = *server;
  switch (what) {
  case Job::Answer:
    s.answerBytes =
        answerRequest(*s.client, s.request, s.requestBytes, s.answer);
    break;
  case Job::EndClient:
    endClient(*s.client);
    [[fallthrough]];
  case Job::Tidy:
    s.result = tidy();
    break;
  case Job::EndAll:
    s.result = endAll();
    break;
  case Job::Follow:
    followProcess();
    break;
  case Job::Leave:
    endHosting();
    break;
  case Job::None:
  case Job::Look:
    break;
  }
}

static bool replaceJob(Job now, Job then) {
  auto expected = static_cast<uint32_t>(now);
  return __atomic_compare_exchange_n(&job, &expected,
                                     static_cast<uint32_t>(then), false,
                                     __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

void wakeToLook() {
  if (replaceJob(Job::None, Job::Look))
    wakeWaiters(job);
}

static void work() {
  beginLife(OwnThread::Work);
  keepThreadQuiet(); // an answer tells the tool
  startRequests();
  startsWatch = true; // a tool may look at this process from here on
  // This thread also looks in a child of fork(), which has the probes but not
  // the watch.
  hostWatch(wakeToLook);
  for (;;) {
    answerEnds(path.text());
    const uint64_t pause = lookAsHost();
    auto what = static_cast<Job>(
        awaitChange(job, static_cast<uint32_t>(Job::None), pause));
    if (what == Job::None ||
        (what == Job::Look && replaceJob(Job::Look, Job::None)))
      continue;
    what = static_cast<Job>(readWord(job)); // a request may have come since
    carryOut(what);
    setWord(job, static_cast<uint32_t>(Job::None));
    if (what == Job::Leave)
      break;
  }
  // The last thread that ends calls exit(), as the program's last thread would
  // have done. The control thread does not have the program's descriptors, so
  // it ends before.
  constexpr unsigned kRounds = 1000;
  for (unsigned i = 0; isProgramGone && !areLastThreads(1) && i < kRounds; ++i)
    sleepFor(1'000'000);
  endLife(OwnThread::Work);
}

// Gives the work thread this job, and waits for its end.
static void request(Job what) {
  setWord(job, static_cast<uint32_t>(what));
  while (awaitChange(job, static_cast<uint32_t>(what)) !=
         static_cast<uint32_t>(Job::None)) {
  }
}

// --- the control thread ------------------------------------------------------

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
  uint64_t sum = 0;
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
  return areToolsAwaited()                  ? kTellMs
         : s.untidy || s.follows || s.count ? kFollowMs
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
  if (files[0].revents && readWord(state) == On)
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
  isProgramGone = true;
  setWord(state, Stopping);
}

static void serve(int listener) {
  while (readWord(state) == On && attend(listener))
    if (areLastThreads(2))
      return serveLast(listener);
}

static void control() {
  beginLife(OwnThread::Control);
  bool alone = leaveDescriptors();
  if (!alone)
    snprintf(failure, sizeof failure,
             "the control's thread could not get its own descriptor table: %s "
             "(is there a seccomp filter?)",
             strerror(errno));
  int listener =
      alone ? listenAt(path, controlInstance, failure, sizeof failure) : -1;
  // The low priority keeps tools from costing the program's threads processor
  // time.
  setpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)), 10);
  if (listener >= 0) {
    openProcessRights();
    server->follows = mayFollow();
    setWord(state, On);
    setWord(readyWord, 1);
    serve(listener);
    unlink(path.text());
    close(listener);
    while (server->count)
      end(server->connections[server->count - 1]);
    request(Job::EndAll);
  }
  request(Job::Leave);
  endLife(OwnThread::Control);
  setWord(readyWord, 2);
}

// --- start and stop ----------------------------------------------------------

// Forgets the threads of the process of which this one is a copy.
static void forgetCopied() {
  if (ownerGeneration == processGeneration)
    return;
  ownerGeneration = processGeneration;
  state = Off;
  isProgramGone = false;
  job = readyWord = 0;
  forgetEnds();
  if (server) {
    server->count = 0;
    server->untidy = false;
    // The lists of sites are not freed: the work thread may have been changing
    // them.
    memset(static_cast<void *>(server->connections), 0,
           sizeof server->connections);
  }
}

// Returns false if the state is not `from`.
static bool change(State from, State to) {
  Lock lock;
  forgetCopied();
  if (state != from)
    return false;
  __atomic_store_n(&state, to, __ATOMIC_RELEASE);
  return true;
}

static tprt_status giveUp(const char *why) {
  change(Starting, Off);
  return fail(TPRT_STATUS_NO_MEMORY, "the control cannot be started: %s", why);
}

static void leaveQuickly(void *) { controlLeave(); }

static void watchQuickExit() {
  static bool watches; // also in children of fork()
  if (watches)
    return;
  watches = true;
#ifdef __GLIBC__
  __cxa_at_quick_exit(leaveQuickly, &__dso_handle);
#else
  at_quick_exit([] { leaveQuickly(nullptr); });
#endif
}

static tprt_status start() {
  watchQuickExit();
  constexpr size_t kBytes = sizeof(Server);
  if (!server &&
      !(server = static_cast<Server *>(allocatePages(roundToPages(kBytes)))))
    return giveUp("no memory");
  controlInstance = nanoseconds() ^ static_cast<uint64_t>(getpid()) << 40;
  job = readyWord = 0;
  forgetQuestions();
  *failure = 0;
  if (!startThread(work, "tprt-work"))
    return giveUp("a limit on threads is reached, or the system refused one");
  if (!startThread(control, TPRT_CONTROL_THREAD_NAME)) {
    request(Job::Leave);
    return giveUp("a limit on threads is reached, or the system refused one");
  }
  awaitChange(readyWord, 0);
  if (readWord(readyWord) == 1)
    return TPRT_STATUS_OK;
  change(Starting, Off);
  return fail(TPRT_STATUS_NO_FILE, "the control cannot be started: %s",
              failure);
}

static bool isReleased() { return readWord(releaseWord); }

tprt_status startControl(uint32_t tool) {
  CancelDisabled uncancelled;
  if (!initialise())
    return fail(TPRT_STATUS_NO_MEMORY, "no memory for libtprt");
  const bool waits = tool > 1;
  // This program was started by the tool's command, not by the tool, so the
  // tool does not look at it. A control thread would have no use, and some
  // programs need to be single-threaded.
  if (waits && static_cast<uint32_t>(getppid()) != tool)
    return TPRT_STATUS_OK;
  releaseWord = 0;
  if (!change(Off, Starting))
    return TPRT_STATUS_OK;
  startedFor = waits ? tool : 0;
  tprt_status status = start();
  constexpr uint64_t kSilence = 2'000'000'000;
  if (status == TPRT_STATUS_OK && waits)
    awaitTools(releaseWord, isReleased, kSilence, 10 * kSilence);
  return status;
}

void releaseStart() { setWord(releaseWord, 1); }

// Wakes the control thread, which waits for connections.
static void knock() {
  int file = raiseDescriptor(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  if (file < 0)
    return;
  connect(file, reinterpret_cast<const sockaddr *>(&path.address),
          sizeof path.address);
  close(file);
}

static tprt_status stop() {
  CancelDisabled uncancelled;
  if (!change(On, Stopping))
    return TPRT_STATUS_OK;
  // If the knock fails, for lack of a descriptor, it is repeated.
  do
    knock();
  while (awaitChange(readyWord, 1, 10'000'000) == 1 && !isControlBroken());
  bool left = !server->result;
  change(Stopping, Off);
  return left ? fail(TPRT_STATUS_PENDING,
                     "a thread is still in a handler; what was attached gets "
                     "no more hits")
              : TPRT_STATUS_OK;
}

// The forking thread detaches what a tool has attached. No tool looks at the
// child, so the child gets no thread.
void controlAfterFork() {
  if (readWord(state) != On || ownerGeneration == processGeneration)
    return;
  if (!startedFor) {
    startControl(0);
    return;
  }
  if (insideHandler())
    return;
  CancelDisabled uncancelled;
  WatchHeldBack noWatch;
  const int saved = errno;
  {
    Lock lock;
    forgetCopied();
  }
  startRequests();
  errno = saved;
}

} // namespace tprt

using namespace tprt;

tprt_status tprt_control_start() {
  if (insideHandler())
    return fail(TPRT_STATUS_IN_HANDLER,
                "tprt_control_start is not allowed from inside a handler");
  return startControl(0);
}

tprt_status tprt_control_stop() {
  if (insideHandler())
    return fail(TPRT_STATUS_IN_HANDLER,
                "tprt_control_stop is not allowed from inside a handler");
  return stop();
}
