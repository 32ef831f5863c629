// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recording::distribute: the caller's thread reads the file. Each sink runs on
// a separate thread, which gets its work from a bounded queue. All segments of
// a recorded thread go to the sink that got the thread's first segment.

#include "Recording.h"

#include <condition_variable>
#include <deque>
#include <thread>
#include <unordered_map>

using namespace llvm;

namespace tp::trace {
namespace {

/// The bytes of words that may wait in all queues together.
constexpr size_t MostWaiting = 24 << 20;

class Queue {
public:
  Queue(SegmentSink &Sink, size_t Most)
      : Sink(Sink), Most(Most), Worker([this] { run(); }) {}
  ~Queue() {
    {
      std::lock_guard<std::mutex> Lock(Mutex);
      Ended = true;
    }
    Changed.notify_all();
    Worker.join();
  }
  void push(Segment S) {
    std::unique_lock<std::mutex> Lock(Mutex);
    Changed.wait(Lock, [&] { return Waiting.empty() || Bytes < Most; });
    Bytes += S.Words.size() * sizeof(uint64_t);
    Waiting.push_back(std::move(S));
    Changed.notify_all();
  }
  size_t given = 0; ///< bytes so far, for the caller's thread

private:
  void run() {
    std::unique_lock<std::mutex> Lock(Mutex);
    while (true) {
      Changed.wait(Lock, [&] { return Ended || !Waiting.empty(); });
      if (Waiting.empty())
        break;
      Segment S = std::move(Waiting.front());
      Waiting.pop_front();
      Lock.unlock();
      Sink.segment(S);
      Lock.lock();
      Bytes -= S.Words.size() * sizeof(uint64_t);
      Changed.notify_all();
    }
    Lock.unlock();
    Sink.finish();
  }

  SegmentSink &Sink;
  const size_t Most;
  std::mutex Mutex;
  std::condition_variable Changed;
  std::deque<Segment> Waiting;
  size_t Bytes = 0;
  bool Ended = false;
  std::thread Worker; ///< last, as it uses the others
};

} // namespace

Error Recording::distribute(ArrayRef<std::unique_ptr<SegmentSink>> Sinks) {
  if (Sinks.size() == 1) {
    Error E = visit([&](Segment S) {
      Sinks.front()->segment(S);
      return true;
    });
    Sinks.front()->finish();
    return E;
  }
  std::vector<std::unique_ptr<Queue>> Queues;
  for (const auto &Sink : Sinks)
    Queues.push_back(
        std::make_unique<Queue>(*Sink, MostWaiting / Sinks.size()));
  std::unordered_map<uint64_t, Queue *> Owner;
  Error E = visit([&](Segment S) {
    Queue *&Q = Owner[S.key()];
    if (!Q)
      Q = llvm::min_element(Queues, [](const auto &A, const auto &B) {
            return A->given < B->given;
          })->get();
    Q->given += S.Words.size() * sizeof(uint64_t) + 1;
    Q->push(std::move(S));
    return true;
  });
  Queues.clear(); // waits for the workers
  return E;
}

} // namespace tp::trace
