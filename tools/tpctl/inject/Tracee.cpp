// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Tracee.h. Uses PTRACE_SYSCALL instead of single steps and breakpoints.
// Single steps and breakpoints raise SIGTRAP. If the thread blocks SIGTRAP, the
// kernel would then remove the program's handler.
//
// A thread is continued only from an event stop. Such a stop is in the kernel's
// signal code, which then restarts the interrupted system call. If the thread
// continued from a stop at a system call, the kernel would not restart that
// call.

#include "Tracee.h"

#include <cerrno>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#ifndef PTRACE_EVENT_STOP
#define PTRACE_EVENT_STOP 128
#endif

using namespace llvm;
using std::chrono::microseconds;
using std::chrono::milliseconds;

namespace tpctl {

char PtraceFailure::ID;
void PtraceFailure::log(raw_ostream &OS) const {
  OS << What << ": " << strerror(Code);
}
std::error_code PtraceFailure::convertToErrorCode() const {
  return {Code, std::generic_category()};
}

namespace {
/// The kernel's signal set, not the C library's.
void *signalSetBytes() { return reinterpret_cast<void *>(sizeof(uint64_t)); }
} // namespace

Error Tracee::request(int Request, void *Address, void *Data,
                      const char *What) {
  if (ptrace(static_cast<__ptrace_request>(Request), Thread, Address, Data) < 0)
    return make_error<PtraceFailure>(
        ("thread " + Twine(Thread) + ": " + What).str(), errno);
  return Error::success();
}

Expected<Tracee::Stop> Tracee::await(Clock::time_point Deadline) {
  for (unsigned Tries = 0;; ++Tries) {
    int Status = 0;
    pid_t Got = waitpid(Thread, &Status, __WALL | WNOHANG);
    if (Got < 0 && errno != EINTR)
      return make_error<PtraceFailure>("waitpid", errno);
    if (Got == Thread && !WIFSTOPPED(Status)) {
      Seized = false;
      return make_error<PtraceFailure>("the thread has ended", ESRCH);
    }
    if (Got == Thread) {
      if (WSTOPSIG(Status) == (SIGTRAP | 0x80))
        return Stop::Call;
      if (Status >> 16 == PTRACE_EVENT_STOP)
        return Stop::Event; // also where SIGSTOP has stopped the process
      Signal = WSTOPSIG(Status);
      return Stop::Signal;
    }
    if (Clock::now() >= Deadline)
      return Stop::Late;
    if (Tries < 100)
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(microseconds(50));
  }
}

/// Lets the thread run to its next system call, or out of it.
Expected<Tracee::Stop> Tracee::awaitCall(Clock::time_point Deadline,
                                         function_ref<bool()> MayGoOn) {
  for (;;) {
    if (Error E = request(PTRACE_SYSCALL, nullptr, nullptr, "cannot go on"))
      return E;
    auto Seen = await(Deadline);
    while (Seen && *Seen == Stop::Late && MayGoOn && MayGoOn())
      Seen = await(Deadline = Clock::now() + milliseconds(500));
    // If SIGSTOP stops the whole process, that stop takes effect again at the
    // end.
    if (Seen && *Seen == Stop::Event)
      continue;
    if (Seen && *Seen == Stop::Signal)
      return make_error<PtraceFailure>(
          "an unexpected signal " + Twine(Signal).str(), EINTR);
    return Seen;
  }
}

Expected<Tracee::Stop> Tracee::interrupt(Clock::time_point Deadline) {
  if (Error E =
          request(PTRACE_INTERRUPT, nullptr, nullptr, "cannot be stopped"))
    return E;
  return await(Deadline);
}

Expected<Registers> Tracee::registers() {
  Registers R{};
  if (Error E = request(PTRACE_GETREGS, nullptr, &R, "registers"))
    return E;
  return R;
}

Error Tracee::setRegisters(Registers R) {
  Changed = true;
  return request(PTRACE_SETREGS, nullptr, &R, "registers");
}

Error Tracee::save() {
  Vectors.resize(65536);
  iovec Into = {Vectors.data(), Vectors.size()};
  if (Error E =
          request(PTRACE_GETREGSET, reinterpret_cast<void *>(NT_X86_XSTATE),
                  &Into, "vector registers"))
    return E;
  Vectors.resize(Into.iov_len);
  return request(PTRACE_GETSIGMASK, signalSetBytes(), &Blocked, "signals");
}

Expected<std::unique_ptr<Tracee>> Tracee::stop(pid_t Thread,
                                               Clock::duration Patience) {
  std::unique_ptr<Tracee> T(new Tracee(Thread));
  auto Options = reinterpret_cast<void *>(PTRACE_O_TRACESYSGOOD);
  if (Error E = T->request(PTRACE_SEIZE, nullptr, Options, "ptrace"))
    return E;
  T->Seized = true;
  T->Begin = Clock::now();
  auto Seen = T->interrupt(T->Begin + Patience);
  if (!Seen)
    return Seen.takeError();
  if (*Seen != Stop::Event)
    return nullptr;
  auto First = T->registers();
  if (!First)
    return First.takeError();
  T->First = *First;
  if (Error E = T->save())
    return E;
  return T;
}

std::optional<uint64_t> Tracee::restartable() const {
  struct { // struct ptrace_rseq_configuration of linux/ptrace.h
    uint64_t Address;
    uint32_t Bytes, Signature, Flags, Padding;
  } Told{};
  constexpr int GetConfiguration = 0x420f;
  if (ptrace(static_cast<__ptrace_request>(GetConfiguration), Thread,
             reinterpret_cast<void *>(sizeof Told), &Told) < 0)
    return std::nullopt;
  return Told.Address;
}

Error Tracee::blockSignals() {
  uint64_t All = ~uint64_t{0};
  Changed = true;
  return request(PTRACE_SETSIGMASK, signalSetBytes(), &All, "signals");
}

Expected<int64_t> Tracee::call(uint64_t Instruction, uint64_t Number,
                               const std::vector<uint64_t> &Arguments) {
  if (Error E =
          setRegisters(forSystemCall(First, Instruction, Number, Arguments)))
    return E;
  auto Deadline = Clock::now() + std::chrono::seconds(60);
  for (int Half = 0; Half < 2; ++Half) {
    auto Seen = awaitCall(Deadline);
    if (!Seen)
      return Seen.takeError();
    if (*Seen != Stop::Call)
      return make_error<PtraceFailure>("its system call does not end",
                                       ETIMEDOUT);
  }
  auto R = registers();
  if (!R)
    return R.takeError();
  return resultOf(*R);
}

Expected<bool> Tracee::run(const Registers &From, uint64_t LastCall,
                           Clock::duration Patience,
                           function_ref<bool()> MayGoOn) {
  auto Deadline = Clock::now() + Patience;
  if (Error E = setRegisters(From))
    return E;
  for (bool Entry = true;; Entry = !Entry) {
    auto Seen = awaitCall(Deadline, MayGoOn);
    if (!Seen)
      return Seen.takeError();
    if (*Seen == Stop::Late) {
      auto Stopped = interrupt(Clock::now() + std::chrono::seconds(1));
      return Stopped ? Expected<bool>(false) : Stopped.takeError();
    }
    auto R = registers();
    if (!R)
      return R.takeError();
    if (!Entry || systemCallOf(*R) != LastCall)
      continue;
    skipSystemCall(*R);
    if (Error E = setRegisters(*R))
      return E;
    return true;
  }
}

/// Restarts the system call that the stop has ended.
Error Tracee::repeatCall() {
  auto R = registers();
  if (!R)
    return R.takeError();
  if (!isInSystemCall(*R) || resultOf(*R) != -EINTR)
    return Error::success();
  restartSystemCall(*R);
  return setRegisters(*R);
}

/// Brings the thread to an event stop, see above. Without this stop, the thread
/// would continue with wrong registers. So the wait is long enough for a busy
/// machine.
Error Tracee::reachEventStop() {
  auto Deadline = Clock::now() + std::chrono::seconds(60);
  if (Error E = request(PTRACE_INTERRUPT, nullptr, nullptr, "stop"))
    return E;
  for (;;) {
    // ESRCH: the thread is still running in a long system call.
    if (ptrace(PTRACE_CONT, Thread, nullptr, nullptr) < 0 && errno != ESRCH)
      return make_error<PtraceFailure>("stop", errno);
    auto Seen = await(Deadline);
    if (!Seen)
      return Seen.takeError();
    if (*Seen == Stop::Event)
      return Error::success();
    if (*Seen == Stop::Late)
      return make_error<PtraceFailure>("the thread does not stop", ETIMEDOUT);
  }
}

Expected<Clock::duration> Tracee::release() {
  if (!Seized)
    return make_error<PtraceFailure>("the thread has ended", ESRCH);
  Seized = false;
  if (Changed) {
    Error E = reachEventStop();
    iovec From = {Vectors.data(), Vectors.size()};
    if (!E)
      E = request(PTRACE_SETREGSET, reinterpret_cast<void *>(NT_X86_XSTATE),
                  &From, "vector registers");
    if (!E)
      E = request(PTRACE_SETSIGMASK, signalSetBytes(), &Blocked, "signals");
    if (E)
      return E;
  }
  if (Error E = setRegisters(First))
    return E;
  auto Length = Clock::now() - Begin;
  if (Error E = request(PTRACE_DETACH, nullptr, nullptr, "cannot go on"))
    return E;
  return Length;
}

Tracee::~Tracee() {
  if (!Seized)
    return;
  if (Changed || Restarts) {
    consumeError(release().takeError());
    return;
  }
  // Even a signal that the program ignores reaches a traced thread, and may
  // have ended its system call.
  if (Signal)
    consumeError(repeatCall());
  // A thread must stop before it can be released. If the stop takes too long,
  // the kernel releases the thread when tpctl ends.
  auto Deadline = Clock::now() + milliseconds(500);
  while (ptrace(PTRACE_DETACH, Thread, nullptr, Signal) < 0 && errno == ESRCH &&
         Clock::now() < Deadline) {
    int Status = 0;
    pid_t Got = waitpid(Thread, &Status, __WALL | WNOHANG);
    if (Got < 0 || (Got == Thread && !WIFSTOPPED(Status)))
      return;
    if (Got == Thread && Status >> 16 != PTRACE_EVENT_STOP)
      Signal = WSTOPSIG(Status);
    if (Got == Thread)
      consumeError(repeatCall());
    std::this_thread::sleep_for(microseconds(50));
  }
}

} // namespace tpctl
