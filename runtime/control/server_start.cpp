// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Starts and stops the control's two threads (server.h), and the calls of
// tprt/control.h.
#include "control/server_start.h"
#include "base/os_file.h"
#include "base/os_memory.h"
#include "base/os_process.h"
#include "base/os_thread.h"
#include "base/page_size.h"
#include "base/process_ends.h"
#include "control/awaited_tools.h"
#include "control/ends.h"
#include "control/futex_word.h"
#include "control/server.h"
#include "control/server_threads.h"
#include "control/work_thread.h"
#include "loader/module_list.h"
#include "modules/module.h"
#include "patch/uprobe_thread.h"
#include "threads/lock.h"
#include "threads/status.h"
#include "tprt/control.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
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

Server *server;
ControlLife life;
// The tool for which this process was started; 0: the program itself, or its
// user, asked for the control.
static uint32_t startedFor;
// Where the processes that the tool's command starts announce themselves. The
// path is empty if the tool looks at the command's own process alone.
static sockaddr_un meeting = {AF_UNIX, {}};
// Set when a tool has sent GO, or the wait is over. Waited for by a futex.
static uint32_t releaseWord;
// The wait was over before a tool has sent GO.
static bool startedAlone;

bool isControlOn() {
  return readWord(life.state) == On && life.generation == processGeneration;
}

bool isControlBroken() {
  return wasKilled(OwnThread::Control) || wasKilled(OwnThread::Work);
}

// Forgets the threads of the process of which this one is a copy.
static void forgetCopied() {
  if (life.generation == processGeneration)
    return;
  life.generation = processGeneration;
  life.state = Off;
  life.isProgramGone = false;
  forgetJob();
  life.ready = 0;
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
  if (life.state != from)
    return false;
  __atomic_store_n(&life.state, to, __ATOMIC_RELEASE);
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
  forgetJob();
  life.ready = 0;
  forgetQuestions();
  *life.failure = 0;
  if (!startThread(workThread, "tprt-work"))
    return giveUp("a limit on threads is reached, or the system refused one");
  if (!startThread(controlThread, TPRT_CONTROL_THREAD_NAME)) {
    request(Job::Leave);
    return giveUp("a limit on threads is reached, or the system refused one");
  }
  awaitChange(life.ready, 0);
  if (readWord(life.ready) == 1)
    return TPRT_STATUS_OK;
  change(Starting, Off);
  return fail(TPRT_STATUS_NO_FILE, "the control cannot be started: %s",
              life.failure);
}

static bool isReleased() { return readWord(releaseWord); }

// A process that the tool's command starts tells the tool about itself by a
// connection to the tool's socket. While the connection is open, the process is
// starting its control. Returns -1 if the tool does not listen, or no longer.
static int announce() {
  if (!*meeting.sun_path)
    return -1;
  int file = raiseDescriptor(
      socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (file < 0)
    return -1;
  if (connect(file, reinterpret_cast<const sockaddr *>(&meeting),
              sizeof meeting) == 0)
    return file;
  close(file);
  return -1;
}

// The tool learns the process from the kernel (unix(7), SO_PASSCRED), and
// connects to its control. Returns false if the tool does not learn it, because
// the control does not run, or the tool does not listen any longer.
static bool endAnnouncement(int file, bool controlRuns) {
  const bool sent =
      controlRuns && send(file, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL) == 1;
  close(file);
  return sent;
}

static void awaitGo() {
  constexpr uint64_t kSilence = 2'000'000'000;
  awaitTools(releaseWord, isReleased, kSilence, 10 * kSilence);
  if (!isReleased())
    __atomic_store_n(&startedAlone, true, __ATOMIC_RELEASE);
  setWord(releaseWord, 1);
}

// Starts the control of an announced process, and waits until the tool has sent
// GO. If the tool does not look at this process, a control thread would have no
// use, and some programs need to be single-threaded.
static tprt_status startAnnounced(int announcement) {
  if (announcement < 0)
    return TPRT_STATUS_OK;
  releaseWord = 0;
  startedAlone = false;
  const bool begins = change(Off, Starting);
  tprt_status status = begins ? start() : TPRT_STATUS_OK;
  const bool runs = begins && status == TPRT_STATUS_OK;
  if (endAnnouncement(announcement, runs))
    awaitGo();
  else
    setWord(releaseWord, 1);
  return status;
}

uint32_t toolOfStart() { return startedFor; }
bool isStartAwaited() { return startedFor && !isReleased(); }

tprt_status startControl(uint32_t tool, const char *path) {
  CancelDisabled uncancelled;
  if (!initialise())
    return fail(TPRT_STATUS_NO_MEMORY, "no memory for libtprt");
  const bool waits = tool > 1;
  if (waits)
    startedFor = tool;
  if (waits && path && strlen(path) < sizeof meeting.sun_path)
    memcpy(meeting.sun_path, path, strlen(path) + 1);
  if (waits && static_cast<uint32_t>(getppid()) != tool)
    return startAnnounced(announce());
  releaseWord = 0;
  if (!change(Off, Starting))
    return TPRT_STATUS_OK;
  if (!waits)
    startedFor = 0;
  tprt_status status = start();
  if (status == TPRT_STATUS_OK && waits)
    awaitGo();
  return status;
}

bool releaseStart() {
  setWord(releaseWord, 1);
  return !__atomic_load_n(&startedAlone, __ATOMIC_ACQUIRE);
}

// Wakes the control thread, which waits for connections.
static void knock() {
  int file = raiseDescriptor(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  if (file < 0)
    return;
  connect(file, reinterpret_cast<const sockaddr *>(&life.path.address),
          sizeof life.path.address);
  close(file);
}

static tprt_status stop() {
  CancelDisabled uncancelled;
  if (!change(On, Stopping))
    return TPRT_STATUS_OK;
  // If the knock fails, for lack of a descriptor, it is repeated.
  do
    knock();
  while (awaitChange(life.ready, 1, 10'000'000) == 1 && !isControlBroken());
  bool left = !server->result;
  change(Stopping, Off);
  return left ? fail(TPRT_STATUS_PENDING,
                     "a thread is still in a handler; what was attached gets "
                     "no more hits")
              : TPRT_STATUS_OK;
}

// The forking thread detaches what a tool has attached. If no tool looks at the
// child, the child gets no thread.
void controlInChild() {
  if (readWord(life.state) != On || life.generation == processGeneration)
    return;
  if (!startedFor) {
    startControl(0, nullptr);
    return;
  }
  if (insideHandler())
    return;
  CancelDisabled uncancelled;
  const int saved = errno;
  {
    WatchHeldBack noWatch;
    {
      Lock lock;
      forgetCopied();
    }
    startRequests();
  }
  startAnnounced(announce());
  errno = saved;
}

} // namespace tprt

using namespace tprt;

tprt_status tprt_control_start() {
  if (insideHandler())
    return fail(TPRT_STATUS_IN_HANDLER,
                "tprt_control_start is not allowed from inside a handler");
  return startControl(0, nullptr);
}

tprt_status tprt_control_stop() {
  if (insideHandler())
    return fail(TPRT_STATUS_IN_HANDLER,
                "tprt_control_stop is not allowed from inside a handler");
  return stop();
}
