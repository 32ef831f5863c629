// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Inject.h. A child of tpctl does the injection (Injector.h). So if tpctl
// is killed, the child still completes the injection.

#include "Injector.h"
#include "Refusals.h"
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;

namespace tpctl {
namespace {

Expected<Injection> injectHere(pid_t Pid) {
  if (Error E = checkProcess(Pid))
    return explain(Pid, std::move(E));
  // If a libtprt is already being loaded, a second copy must not be loaded.
  constexpr unsigned Tries = 20;
  for (unsigned Try = 0; Try < Tries; ++Try) {
    auto Target = Image::read(Pid);
    if (!Target)
      return Target.takeError();
    if (Error E = checkImage(*Target))
      return E;
    Injector I(*Target);
    auto Done = I.run();
    if (!Done)
      return explain(Pid, Done.takeError());
    if (!I.isStale())
      return Done;
  }
  return createStringError("process " + Twine(Pid) +
                           " loads and unloads libraries all the time: try "
                           "again");
}

/// The child's report to its parent. If the child failed, a text follows.
struct Outcome {
  bool Failed;
  Injection Done;
};

/// The child's part.
[[noreturn]] void injectAndTell(pid_t Pid, int Pipe) {
  setsid(); // so that a signal to tpctl's group does not end it
  auto Done = injectHere(Pid);
  Outcome Told = {!Done, Done ? *Done : Injection()};
  std::string Message(reinterpret_cast<char *>(&Told), sizeof Told);
  if (!Done)
    Message += toString(Done.takeError());
  ssize_t Written = write(Pipe, Message.data(), Message.size());
  _exit(Written == static_cast<ssize_t>(Message.size()) ? 0 : 1);
}

std::string readAll(int Pipe) {
  std::string Message;
  char Piece[4096];
  for (ssize_t Got; (Got = read(Pipe, Piece, sizeof Piece)) > 0 ||
                    (Got < 0 && errno == EINTR);)
    Message.append(Piece, Got > 0 ? static_cast<size_t>(Got) : 0);
  return Message;
}

} // namespace

/// A child does the work, so that it is completed even if tpctl is killed.
Expected<Injection> inject(pid_t Pid) {
  int Pipe[2];
  if (pipe2(Pipe, O_CLOEXEC) != 0)
    return createStringError(Twine("pipe: ") + strerror(errno));
  pid_t Child = fork();
  if (Child == 0)
    injectAndTell(Pid, Pipe[1]);
  int Code = errno;
  close(Pipe[1]);
  std::string Message = readAll(Pipe[0]);
  close(Pipe[0]);
  while (Child > 0 && waitpid(Child, nullptr, 0) < 0 && errno == EINTR)
    ;
  if (Child < 0)
    return createStringError(Twine("fork: ") + strerror(Code));
  Outcome Told;
  if (Message.size() < sizeof Told)
    return createStringError(
        "process " + Twine(Pid) +
        ": the child of tpctl that loads libtprt there was killed");
  memcpy(&Told, Message.data(), sizeof Told);
  if (Told.Failed)
    return createStringError(Message.substr(sizeof Told));
  return Told.Done;
}

} // namespace tpctl
