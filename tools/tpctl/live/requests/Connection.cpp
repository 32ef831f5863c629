// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Connection.h.

#include "Connection.h"

#include "AnswerPatience.h"
#include "Discovery.h"
#include "InjectionLock.h"
#include "NoMatch.h"
#include "Readable.h"
#include "shared/FairClock.h"
#include "shared/Processes.h"
#include "shared/Selection.h"
#include "shared/Verb.h"
#include "tprt/tprt.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Regex.h"
#include <ctime>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace llvm;

namespace tpctl {

char ProcessEnded::ID;
char ProcessStopped::ID;
char NoMatch::ID;
char NoControl::ID;
void ProcessEnded::log(raw_ostream &OS) const { OS << Text; }
void ProcessStopped::log(raw_ostream &OS) const { OS << Text; }
std::error_code ProcessStopped::convertToErrorCode() const {
  return inconvertibleErrorCode();
}
std::error_code ProcessEnded::convertToErrorCode() const {
  return inconvertibleErrorCode();
}

void NoControl::log(raw_ostream &OS) const {
  OS << "process " << Pid << " has no control: 'tpctl attach -p " << Pid
     << "' starts one";
}
std::error_code NoControl::convertToErrorCode() const {
  return inconvertibleErrorCode();
}

namespace {

/// How often tpctl checks whether the process works, and whether it is stopped.
constexpr int LookMs = 2000;
/// After this time, tpctl prints what it is waiting for.
constexpr int FirstMs = 1000;

/// The clock ticks that the control's threads have run, or those of the whole
/// process if no such thread is found. 0 if the process has ended.
uint64_t workOf(pid_t Pid) {
  uint64_t Work = 0;
  std::error_code EC;
  for (sys::fs::directory_iterator At(procPath(Pid, "task"), EC), End;
       !EC && At != End; At.increment(EC)) {
    auto Text = MemoryBuffer::getFileAsStream(At->path() + "/stat");
    if (!Text)
      continue;
    // The name is in parentheses, and utime and stime are the twelfth and
    // thirteenth field after it (proc_pid_stat(5)).
    auto [Name, Rest] = (*Text)->getBuffer().rsplit(')');
    if (!Name.contains("(tprt-"))
      continue;
    SmallVector<StringRef, 16> Fields;
    Rest.trim().split(Fields, ' ', /*MaxSplit=*/13);
    for (size_t I : {11, 12})
      if (uint64_t Ticks; I < Fields.size() && to_integer(Fields[I], Ticks, 10))
        Work += Ticks + 1;
  }
  timespec Time = {};
  clockid_t Clock = 0;
  if (!Work && !clock_getcpuclockid(Pid, &Clock) &&
      !clock_gettime(Clock, &Time))
    Work = static_cast<uint64_t>(Time.tv_sec) * 100 +
           static_cast<uint64_t>(Time.tv_nsec) / 10'000'000;
  return Work;
}

int openProcess(pid_t Pid) {
  return static_cast<int>(syscall(SYS_pidfd_open, Pid, 0));
}

/// Whether the other end of the connection is this process. The process's
/// number may have been reused.
bool isOf(int Socket, pid_t Pid) {
  ucred Who = {};
  socklen_t Bytes = sizeof Who;
  return getsockopt(Socket, SOL_SOCKET, SO_PEERCRED, &Who, &Bytes) == 0 &&
         (Who.pid == Pid || Who.pid == 0);
}

} // namespace

Expected<std::optional<Injection>> provideControl(pid_t Pid) {
  auto Path = findSocket(Pid);
  if (Path && !*Path) {
    auto Alone = InjectionLock::acquire(Pid);
    if (!Alone)
      return Alone.takeError();
    Path = findSocket(Pid);
    if (Path && !*Path)
      return inject(Pid);
  }
  if (!Path)
    return Path.takeError();
  return std::nullopt;
}

Expected<std::unique_ptr<Connection>> Connection::open(pid_t Pid,
                                                       uint32_t Flags) {
  int Process = openProcess(Pid);
  auto Path = findSocket(Pid);
  if (!Path) {
    close(Process);
    return Path.takeError();
  }
  if (!*Path) {
    close(Process);
    return make_error<NoControl>(Pid);
  }
  auto Socket = connectTo(**Path);
  if (!Socket) {
    close(Process);
    return Socket.takeError();
  }
  std::unique_ptr<Connection> Made(new Connection(**Path, Process, *Socket));
  if (!isOf(*Socket, Pid))
    return createStringError("process " + Twine(Pid) +
                             ": its socket belongs to another process now");
  if (Error E = Made->greet(Flags))
    return E;
  return Made;
}

Connection::~Connection() {
  close(Socket);
  if (Process >= 0)
    close(Process);
}

bool Connection::hasEnded() const {
  if (Process < 0) // before Linux 5.3
    return !stateOf(Pid);
  pollfd Ended = {Process, POLLIN, 0};
  return poll(&Ended, 1, 0) > 0;
}

bool Connection::isClosed() const {
  pollfd Closed = {Socket, POLLRDHUP, 0};
  return poll(&Closed, 1, 0) > 0;
}

Error Connection::tooShort() const {
  return createStringError(name() + " answers with too few bytes");
}

std::string Connection::name() const {
  return (sys::path::filename(Program) + " (" + Twine(Pid) + ")").str();
}

double Connection::nanosecondsPerTick() const {
  return Hello.ticks_per_second
             ? 1e9 / static_cast<double>(Hello.ticks_per_second)
             : 1;
}

double Connection::timeOf(uint64_t Ticks) const {
  return Greeted +
         static_cast<double>(static_cast<int64_t>(Ticks - Hello.ticks)) *
             nanosecondsPerTick();
}

/// The file of the program that a process runs. Empty if the process has ended
/// or may not be inspected.
static std::string fileOf(pid_t Pid) {
  SmallString<256> Path;
  return sys::fs::real_path(procPath(Pid, "exe"), Path) ? std::string()
                                                        : Path.str().str();
}

/// The kernel closes the socket a moment before the process ends or runs
/// another program. Returns the file of that program, or an empty string if
/// there is none so far. If the process has executed the same file again, it
/// has a new control thread.
std::string Connection::otherProgram() const {
  auto Until =
      std::chrono::steady_clock::now() +
      std::chrono::milliseconds(End & TPRT_CONTROL_READ_EXEC ? 2000 : 200);
  while (!hasEnded() && !File.empty()) {
    std::string Now = fileOf(Pid);
    if (!Now.empty() && Now != File)
      return Now;
    if (auto Path = findSocket(Pid); !Path)
      consumeError(Path.takeError());
    else if (*Path && (*Path)->Thread != Thread)
      return Now;
    if (std::chrono::steady_clock::now() >= Until)
      break;
    pollfd Ended = {Process, POLLIN, 0};
    poll(&Ended, Process >= 0, 1);
  }
  return "";
}

Error Connection::lost() const {
  std::string Name =
      Program.empty() ? "process " + std::to_string(Pid) : name();
  std::string Other = otherProgram();
  if (!Other.empty() && Other == File)
    return make_error<ProcessEnded>(
        Name + " has restarted its program by exec" +
            (Awaits ? ", which tpctl does not watch: watch it with -p " +
                          std::to_string(Pid)
                    : ""),
        /*Executed=*/true);
  // A recording uses separate files for the other program.
  const char *Advice = Awaits
                           ? ", which tpctl does not watch: give that program "
                             "to tpctl as its command, or watch it with -p "
                           : "";
  if (!Other.empty())
    return make_error<ProcessEnded>(Name + " runs another program now, " +
                                        Other + Advice +
                                        (Awaits ? std::to_string(Pid) : ""),
                                    /*Executed=*/true);
  if (hasEnded())
    return make_error<ProcessEnded>(
        Name + (End & TPRT_CONTROL_READ_EXEC
                    ? " has become another program, which tpctl did not watch "
                      "and which has ended: give that program to tpctl as its "
                      "command"
                    : " has ended"),
        /*Executed=*/(End & TPRT_CONTROL_READ_EXEC) != 0);
  return make_error<ProcessEnded>(
      Name + " has closed the connection: it runs another program now, has "
             "ended its control, or got too many requests at once");
}

Error Connection::checkRuns() const {
  const char State = stateOf(Pid);
  if (State != 'T' && State != 't')
    return Error::success();
  return make_error<ProcessStopped>(
      "process " + std::to_string(Pid) +
      (State == 'T' ? " is stopped: send it SIGCONT"
                    : " is stopped by a debugger: let it continue"));
}

Error Connection::awaitAnswer() const {
  AnswerPatience Patience;
  std::optional<FairClock> Time; // most answers come before the first check
  do {
    pollfd Answer = {Socket, POLLIN, 0};
    if (poll(&Answer, 1, Time ? LookMs : FirstMs) > 0)
      return Error::success();
    if (Error Stopped = checkRuns()) {
      std::string Why = toString(std::move(Stopped));
      if (!WaitsWhileStopped || !WaitsWhileStopped(Why))
        return make_error<ProcessStopped>(std::move(Why));
      Patience = AnswerPatience();
      Time.emplace(Pid); // from now on
      continue;
    }
    if (!Time && isatty(STDERR_FILENO))
      note((Program.empty() ? "process " + std::to_string(Pid) : name()) +
           " is still working on the request");
    if (!Time)
      Time.emplace(Pid);
  } while (Patience.lasts(Time->elapsed(), workOf(Pid)));
  return createStringError("process " + Twine(Pid) +
                           " has not worked on the answer for " +
                           Twine(AnswerPatience::Most.count()) + " s");
}

/// libtprt's messages name every way to change something: options of tpctl and
/// of TPRT_OPTIONS, and flags of libtprt's interface. Users of tpctl need only
/// tpctl's options. An older libtprt names only its flags.
std::string inWordsOfTpctl(std::string Text) {
  // libtprt names the first site of several by the linker's name.
  static const Regex Linked("the first (_[ZR][A-Za-z0-9_.$]+)");
  SmallVector<StringRef, 2> Parts;
  if (Linked.match(Text, &Parts)) {
    auto At = static_cast<size_t>(Parts[1].data() - Text.data());
    std::string Name = tp::trace::readableName(Parts[1]);
    Text.replace(At, Parts[1].size(), shortName(Name));
  }
  constexpr std::pair<StringLiteral, StringLiteral> Words[] = {
      {"tpctl --traps, TPRT_OPTIONS=traps=1, TPRT_SELECT_TRAPS", "--traps"},
      {"TPRT_SELECT_TRAPS", "--traps"},
      {"TPRT_SELECT_CODE (tpctl: --code)", "--code"},
      {"TPRT_SELECT_CODE", "--code"},
      {"tpctl --code, TPRT_OPTIONS=code=1", "--code and a pattern"},
      {"-fplugin-arg-tp-entry=2,0",
       "-fplugin-arg-tp-entry=2,0, or give --code and a pattern"}};
  for (const auto &[Theirs, Ours] : Words)
    for (size_t At = 0; (At = Text.find(Theirs.str(), At)) != std::string::npos;
         At += Ours.size())
      Text.replace(At, Theirs.size(), Ours.str());
  return Text;
}

/// The answer to the last request. Skips answers that nobody has read.
Expected<std::string> Connection::receive() {
  for (;;) {
    if (Error E = awaitAnswer()) {
      noteUnread(); // a stopped process answers later
      return E;
    }
    std::string Answer(TPRT_CONTROL_MOST_BYTES, '\0');
    ssize_t Got = recv(Socket, Answer.data(), Answer.size(), 0);
    if (Got <= 0)
      return lost();
    Answer.resize(static_cast<size_t>(Got));
    auto Back = Reader(Answer).take<tprt_control_head>();
    if (!Unread || !Back || Back->id < Unread || Back->id >= LastId) {
      Unread = 0;
      return Answer;
    }
  }
}

static Error refused(int32_t Status, std::string Why) {
  if (Status == TPRT_STATUS_NO_MATCH || Status == TPRT_STATUS_NO_TABLE)
    return make_error<NoMatch>(std::move(Why));
  return createStringError(Why);
}

Expected<std::string> Connection::ask(tprt_control_type Type,
                                      const Body &Request) {
  tprt_control_head Head = {
      static_cast<uint32_t>(sizeof Head + Request.Bytes.size()),
      TPRT_CONTROL_VERSION, static_cast<uint16_t>(Type), ++LastId, 0};
  if (Head.bytes > TPRT_CONTROL_MOST_BYTES)
    return createStringError("too many patterns or sites for one request");
  std::string Message = Body().put(Head).Bytes + Request.Bytes;
  if (send(Socket, Message.data(), Message.size(), MSG_NOSIGNAL) < 0)
    return lost();
  auto Answer = receive();
  if (!Answer)
    return Answer.takeError();
  Reader R(*Answer);
  auto Back = R.take<tprt_control_head>();
  if (!Back || Back->bytes != Answer->size() || Back->id != LastId ||
      Back->type != Type)
    return createStringError("process " + Twine(Pid) +
                             " sent an answer that matches no request");
  if (Back->status == TPRT_STATUS_OK || Back->status == TPRT_STATUS_PARTIAL ||
      Back->status == TPRT_STATUS_PENDING)
    return R.rest().str();
  const std::string Why = inWordsOfTpctl(R.text());
  if (Back->version == TPRT_CONTROL_VERSION)
    return refused(Back->status, Why);
  return createStringError("process " + Twine(Pid) +
                           " has loaded another libtprt: " + Why +
                           "; or start the program again, so that it loads the "
                           "libtprt of this tpctl");
}

Expected<bool> Connection::begin() {
  auto Answer = ask(TPRT_CONTROL_GO);
  if (!Answer)
    return Answer.takeError();
  auto Back = Reader(*Answer).take<tprt_control_go_answer>();
  return !Back || !Back->late; // an older libtprt does not say
}

void Connection::goOn() {
  tprt_control_head Head = {sizeof Head, TPRT_CONTROL_VERSION, TPRT_CONTROL_GO,
                            ++LastId, 0};
  send(Socket, &Head, sizeof Head, MSG_NOSIGNAL);
  pollfd Answer = {Socket, POLLIN, 0};
  char Back[256];
  if (poll(&Answer, 1, 100) <= 0)
    noteUnread(); // a busy process answers later
  else if (recv(Socket, Back, sizeof Back, 0) < 0)
    return; // the process has ended
}

Error Connection::greet(uint32_t Flags) {
  Body Request;
  Request.put(tprt_control_hello{TPRT_CONTROL_VERSION, Flags});
  auto Answer = ask(TPRT_CONTROL_HELLO, Request);
  if (!Answer)
    return Answer.takeError();
  Reader R(*Answer);
  auto Back = R.take<tprt_control_hello_answer>();
  if (!Back)
    return createStringError("process " + Twine(Pid) +
                             " answers HELLO with too few bytes");
  Hello = *Back;
  Greeted = std::chrono::duration<double, std::nano>(
                std::chrono::steady_clock::now().time_since_epoch())
                .count();
  R.text(); // libtprt's version
  Program = R.text();
  File = fileOf(Pid);
  Awaits = Flags & TPRT_CONTROL_AWAIT_AT_END;
  return Error::success();
}

} // namespace tpctl
