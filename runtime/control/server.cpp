// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The two threads of the control (control_state.h), and the calls of
// tprt/control.h.
//
// The control thread waits for messages. It hands each request to the work
// thread, and waits for the answer; so there is one request at a time, and one
// pair of buffers. The two wait for each other by futexes. If a tool does not
// read its answers, it is disconnected when its socket is full. If a tool asks
// without a pause, only a bounded number of its requests is read in each tenth
// of a second. So no tool makes the program wait, except for the runtime's lock
// during a request.
#include "base/os_file.h"
#include "base/os_memory.h"
#include "base/os_process.h"
#include "base/os_thread.h"
#include "base/page_size.h"
#include "base/process_ends.h"
#include "control/control_state.h"
#include "control/progress.h"
#include "control/socket.h"
#include "loader/module_list.h"
#include "modules/module.h"
#include "patch/uprobe_thread.h"
#include "threads/lock.h"
#include "threads/status.h"
#include "threads/thread_block.h"
#include "tprt/control.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
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
static uint32_t job, readyWord, releaseWord, goneWord;
// What a thread that ends the process asks of the work thread, because a filter
// of the program may end the process for a system call: to remove the socket's
// file, and whether there are filters.
enum Question : uint32_t { NotAsked, Asked, Yes, No };
static uint32_t removal, filtering;
// What the process is about to do: enum tprt_control_read_flags.
static uint32_t ending;
// A thread waits for tools at an end, or has waited at the last one.
static bool entered;
// `endNumber` counts the ends that the process has reached: after a failed
// exec, for example, it continues. `awaited` is the number of tools for which
// it waits. `goneWord` says how many of them have sent GO at this end.
static uint32_t endNumber, awaited;
// How many threads of the program wait for tools.
static uint32_t waiters;
// The program's threads have all ended, so those of the control end as well.
static bool isProgramGone;
// When a tool last got an answer, when it last got one to something new, and
// how long all tools have worked. The control thread stores them.
static uint64_t lastAnswer, lastNews, toolsWorked;
static uint32_t beginnings; // see isNew()

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

// --- futexes -----------------------------------------------------------------

static void wake(uint32_t &word) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

static void set(uint32_t &word, uint32_t value) {
  __atomic_store_n(&word, value, __ATOMIC_RELEASE);
  wake(word);
}

static uint32_t get(const uint32_t &word) {
  return __atomic_load_n(&word, __ATOMIC_ACQUIRE);
}

// Waits until the word has another value than `value`, for at most this long
// (0: without limit). Returns the word's value.
static uint32_t awaitChange(const uint32_t &word, uint32_t value,
                            uint64_t limit = 0) {
  uint64_t end = nanoseconds() + limit;
  for (;;) {
    uint32_t now = get(word);
    uint64_t time = limit ? nanoseconds() : 0;
    if (now != value || (limit && time >= end))
      return now;
    timespec left = {static_cast<time_t>((end - time) / 1'000'000'000),
                     static_cast<long>((end - time) % 1'000'000'000)};
    syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value,
            limit ? &left : nullptr, nullptr, 0);
  }
}

// Whether a thread of the control was killed alone, as by a seccomp filter that
// the program has set for all threads. It may have had the runtime's lock, and
// answers nothing more.
static bool isBroken() {
  return wasKilled(OwnThread::Control) || wasKilled(OwnThread::Work);
}

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

// Each is stored before the thread is woken, and read after it was.
static void answerEnds() {
  if (__atomic_load_n(&removal, __ATOMIC_SEQ_CST) == Asked) {
    unlink(path.text());
    set(removal, Yes);
  }
  if (__atomic_load_n(&filtering, __ATOMIC_SEQ_CST) == Asked)
    set(filtering, haveFilters() ? Yes : No);
}

// If the thread is busy, it looks afterwards.
static void wakeToLook() {
  if (replaceJob(Job::None, Job::Look))
    wake(job);
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
    answerEnds();
    const uint64_t pause = lookAsHost();
    auto what = static_cast<Job>(
        awaitChange(job, static_cast<uint32_t>(Job::None), pause));
    if (what == Job::None ||
        (what == Job::Look && replaceJob(Job::Look, Job::None)))
      continue;
    what = static_cast<Job>(get(job)); // a request may have come since
    carryOut(what);
    set(job, static_cast<uint32_t>(Job::None));
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
  set(job, static_cast<uint32_t>(what));
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

// The processor time of all tools together. A thread of the program that waits
// for tools may not make the system call for it.
static void readTimeOfTools() {
  uint64_t sum = 0;
  for (const Connection &c : server->connections)
    sum += processorTime(c.client.pid);
  __atomic_store_n(&toolsWorked, sum, __ATOMIC_RELAXED);
}

// On any thread. Makes no system call.
static ToolsSeen seeTools() {
  return {nanoseconds(), __atomic_load_n(&toolsWorked, __ATOMIC_RELAXED),
          __atomic_load_n(&lastAnswer, __ATOMIC_RELAXED),
          __atomic_load_n(&lastNews, __ATOMIC_RELAXED),
          get(job) != static_cast<uint32_t>(Job::None)};
}

static bool areAllGone() { return get(goneWord) >= get(awaited); }

// How long the process waits for tools at an end: see Patience.
static constexpr uint64_t kSilenceAtEnd = 4'000'000'000,
                          kMostAtEnd = 60'000'000'000;

// Returns false if another thread is already ending the process.
static bool beginEnd(uint32_t flags) {
  if (__atomic_exchange_n(&entered, true, __ATOMIC_ACQ_REL))
    return false;
  __atomic_store_n(&goneWord, 0, __ATOMIC_RELAXED);
  __atomic_fetch_add(&endNumber, 1, __ATOMIC_RELEASE);
  __atomic_store_n(&ending, flags, __ATOMIC_RELEASE);
  return true;
}

static bool mayHear() { return server->unheard || get(waiters); }

// Whether a request is progress for its tool. Later pages are progress;
// beginning the same reading repeatedly is not.
static bool isNew(const char *request, size_t bytes) {
  constexpr uint32_t kMostBeginnings = 100;
  return isLaterPage(request, bytes) ||
         __atomic_fetch_add(&beginnings, 1, __ATOMIC_RELAXED) < kMostBeginnings;
}

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
  uint64_t now = nanoseconds();
  __atomic_store_n(&lastAnswer, now, __ATOMIC_RELAXED);
  if (isNew(s.request, s.requestBytes))
    __atomic_store_n(&lastNews, now, __ATOMIC_RELAXED);
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
  return get(waiters)                       ? kTellMs
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
  if (get(waiters))
    readTimeOfTools();
  // From the last on, as an end moves the last connection.
  for (uint32_t i = count; i-- > 0;)
    if (files[i + 1].revents && mayHear() && !hear(s.connections[i]))
      end(s.connections[i]);
  if (files[0].revents && get(state) == On)
    greet(listener);
  if (s.untidy) {
    request(Job::Tidy);
    s.untidy = s.result;
  }
  return true;
}

// The program's threads have all ended; without the control's threads, the
// process would have ended, too. So these end when tools have read the last
// counts. No other thread can be ending the process now, but a thread that has
// since ended may have begun to.
static void serveLast(int listener) {
  __atomic_store_n(&entered, false, __ATOMIC_RELAXED);
  beginEnd(TPRT_CONTROL_READ_ENDING);
  __atomic_fetch_add(&waiters, 1, __ATOMIC_RELAXED);
  Patience patience(seeTools(), kSilenceAtEnd, kMostAtEnd);
  while (!areAllGone() && patience.lasts(seeTools()) && attend(listener)) {
  }
  isProgramGone = true;
  set(state, Stopping);
}

static void serve(int listener) {
  while (get(state) == On && attend(listener))
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
    set(state, On);
    set(readyWord, 1);
    serve(listener);
    unlink(path.text());
    close(listener);
    while (server->count)
      end(server->connections[server->count - 1]);
    request(Job::EndAll);
  }
  request(Job::Leave);
  endLife(OwnThread::Control);
  set(readyWord, 2);
}

// --- start and stop ----------------------------------------------------------

// Forgets the threads of the process of which this one is a copy.
static void forgetCopied() {
  if (ownerGeneration == processGeneration)
    return;
  ownerGeneration = processGeneration;
  state = Off;
  isProgramGone = false;
  job = readyWord = goneWord = awaited = removal = filtering = 0;
  waiters = 0;
  ending = 0;
  entered = false;
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
  job = readyWord = removal = filtering = 0;
  *failure = 0;
  if (!startThread(work, "tprt-work"))
    return giveUp("a limit on threads is reached, or the system refused one");
  if (!startThread(control, TPRT_CONTROL_THREAD_NAME)) {
    request(Job::Leave);
    return giveUp("a limit on threads is reached, or the system refused one");
  }
  awaitChange(readyWord, 0);
  if (get(readyWord) == 1)
    return TPRT_STATUS_OK;
  change(Starting, Off);
  return fail(TPRT_STATUS_NO_FILE, "the control cannot be started: %s",
              failure);
}

static bool isReleased() { return get(releaseWord); }

// Waits until `isOver()`, which depends on the word, as long as tools make
// progress: on a busy machine, or with many functions, a tool needs many
// seconds.
static void awaitTools(const uint32_t &word, bool (*isOver)(), uint64_t silence,
                       uint64_t most) {
  constexpr uint64_t kLook = 100'000'000;
  __atomic_store_n(&beginnings, 0, __ATOMIC_RELAXED);
  __atomic_fetch_add(&waiters, 1, __ATOMIC_RELAXED);
  Patience patience(seeTools(), silence, most);
  for (;;) {
    uint32_t seen = get(word);
    if (isOver() || isBroken() || !patience.lasts(seeTools()))
      break;
    awaitChange(word, seen, kLook);
  }
  __atomic_fetch_sub(&waiters, 1, __ATOMIC_RELAXED);
}

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

void releaseStart() { set(releaseWord, 1); }

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
  while (awaitChange(readyWord, 1, 10'000'000) == 1 && !isBroken());
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
  if (get(state) != On || ownerGeneration == processGeneration)
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

void beginAwaiting(Client &client) {
  if (!client.awaits)
    __atomic_fetch_add(&awaited, 1, __ATOMIC_RELEASE);
  client.awaits = true;
}

void noteGone(Client &client) {
  uint32_t now = get(endNumber);
  if (!endFlags() || !client.awaits || client.went == now)
    return;
  client.went = now;
  set(goneWord, goneWord + 1);
}

void endAwaiting(Client &client) {
  noteGone(client); // wakes who waits
  if (endFlags() && client.awaits && client.went == get(endNumber))
    set(goneWord, goneWord - 1);
  if (client.awaits)
    __atomic_fetch_sub(&awaited, 1, __ATOMIC_RELEASE);
  client.awaits = false;
}

uint32_t endFlags() { return get(ending); }

// Asks the work thread, which answers at once, unless processors are busy.
// Returns the answer; Asked: there is none.
static uint32_t ask(uint32_t &question) {
  constexpr uint64_t kLook = 100'000'000;
  const uint64_t end = nanoseconds() + kSilenceAtEnd;
  __atomic_store_n(&question, Asked, __ATOMIC_SEQ_CST);
  do
    wakeToLook();
  while (awaitChange(question, Asked, kLook) == Asked && !isBroken() &&
         nanoseconds() < end);
  return get(question);
}

// Waits for the tools that asked to see the end; `flags` describe the end.
// Returns false if there is no control, or if another thread is already ending
// the process.
static bool awaitLastReadings(uint32_t flags) {
  if (get(state) != On || ownerGeneration != processGeneration)
    return false;
  // A child of vfork() or clone(CLONE_VM) has its parent's memory.
  if (!isOwnProcess() || (ask(filtering) == No && !isOwnProcessBySystem()) ||
      !beginEnd(flags))
    return false;
  awaitTools(goneWord, areAllGone, kSilenceAtEnd, kMostAtEnd);
  return true;
}

void controlLeave() {
  int saved = errno;
  if (awaitLastReadings(TPRT_CONTROL_READ_ENDING))
    ask(removal);
  errno = saved;
}

void controlPause() {
  int saved = errno;
  if (get(awaited) &&
      awaitLastReadings(TPRT_CONTROL_READ_ENDING | TPRT_CONTROL_READ_EXEC)) {
    __atomic_store_n(&ending, 0, __ATOMIC_RELEASE);
    __atomic_store_n(&entered, false, __ATOMIC_RELEASE);
  }
  errno = saved;
}

__attribute__((destructor)) static void leave() { controlLeave(); }

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
