// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The work thread (server.h): carries out one request at a time, and searches
// for uprobes between requests.
#include "control/work_thread.h"
#include "base/os_process.h"
#include "base/os_thread.h"
#include "base/process_ends.h"
#include "control/ends.h"
#include "control/futex_word.h"
#include "control/server_threads.h"
#include "patch/uprobe_thread.h"
#include "threads/status.h"
#include "threads/thread_block.h"

namespace tprt {

// The word by which the two threads hand over a job.
static uint32_t job;

void forgetJob() { job = 0; }

bool isAnswering() { return readWord(job) != static_cast<uint32_t>(Job::None); }

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

void workThread() {
  beginLife(OwnThread::Work);
  keepThreadQuiet(); // an answer tells the tool
  startRequests();
  startsWatch = true; // a tool may look at this process from here on
  // This thread also looks in a child of fork(), which has the probes but not
  // the watch.
  hostWatch(wakeToLook);
  for (;;) {
    answerEnds(life.path.text());
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
  for (unsigned i = 0; life.isProgramGone && !areLastThreads(1) && i < kRounds;
       ++i)
    sleepFor(1'000'000);
  endLife(OwnThread::Work);
}

void request(Job what) {
  setWord(job, static_cast<uint32_t>(what));
  while (awaitChange(job, static_cast<uint32_t>(what)) !=
         static_cast<uint32_t>(Job::None)) {
  }
}

} // namespace tprt
