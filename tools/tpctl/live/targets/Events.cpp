// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Events.h.

#include "Events.h"

#include "llvm/ADT/STLExtras.h"
#include <poll.h>

using namespace llvm;

namespace tpctl {

Event Events::await(ArrayRef<std::unique_ptr<Connection>> Of,
                    const Children *Started, std::chrono::nanoseconds Time) {
  std::vector<pollfd> Files;
  if (Started)
    Started->addFiles(Files);
  const size_t Others = Files.size();
  for (const auto &C : Of)
    Files.push_back({Seen.count(C->file()) ? -1 : C->file(), POLLRDHUP, 0});
  timespec Pause = {static_cast<time_t>(Time.count() / 1'000'000'000),
                    static_cast<long>(Time.count() % 1'000'000'000)};
  if (ppoll(Files.data(), Files.size(), &Pause, nullptr) <= 0)
    return Event::Nothing;
  Event Happened = Event::MayBeNext;
  for (const pollfd &File : drop_begin(Files, Others)) {
    if (!File.revents)
      continue;
    Seen.insert(File.fd);
    Happened = Event::Closed;
  }
  return Happened;
}

} // namespace tpctl
