// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code that runs in the target; see Payload.h. Everything in the section
// tp_inject is copied. So nothing in it may refer to anything outside: no
// string, no constant table, no function of tpctl. A test checks that the
// section has no relocation.
//
// The new thread starts with all signals blocked, like the thread that made it.
// The new thread waits for tpctl only a bounded time, and then cleans up by
// itself. So no harm is done if tpctl is killed.

#include "Payload.h"

#include "Machine.h"
#include <cerrno>
#include <dlfcn.h>
#include <link.h>
#include <sys/syscall.h>

#define TP_INJECTED __attribute__((section("tp_inject"), used, noinline))

// The linker defines these.
extern "C" const char __start_tp_inject[], __stop_tp_inject[];
extern "C" const char tp_inject_call[], tp_inject_thread[];

namespace tpctl {
namespace {

/// A function of the target.
template <typename Function> Function *at(uint64_t Address) {
  return reinterpret_cast<Function *>(Address);
}

__attribute__((always_inline)) inline void pause1ms() {
  volatile uint64_t Time[2];
  Time[0] = 0;
  Time[1] = 1'000'000; // nanoseconds
  rawCall(SYS_nanosleep, reinterpret_cast<uint64_t>(Time), 0, 0, 0);
}

__attribute__((always_inline)) inline bool awaitWord(uint32_t &Word, int Ms) {
  while (!__atomic_load_n(&Word, __ATOMIC_ACQUIRE) && Ms-- > 0)
    pause1ms();
  return __atomic_load_n(&Word, __ATOMIC_ACQUIRE);
}

__attribute__((always_inline)) inline void copyText(InjectBlock &B,
                                                    const char *From) {
  unsigned I = 0;
  for (; From && I + 1 < sizeof B.Text && From[I]; ++I)
    *const_cast<volatile char *>(&B.Text[I]) = From[I];
  B.Text[I] = 0;
}

__attribute__((always_inline)) inline void
fail(InjectBlock &B, InjectFailure Why, int Code, const char *Text) {
  B.Failure = Why;
  B.Code = Code;
  copyText(B, Text);
  __atomic_store_n(&B.Reached, Stage::Failed, __ATOMIC_RELEASE);
}

/// /proc/thread-self/fd/./NUMBER. The spelling is unusual on purpose. The
/// loader treats equal paths as equal files, and the program may load its own
/// libraries from memory files.
__attribute__((always_inline)) inline void makePath(InjectBlock &B) {
  volatile char *To = B.Path;
  for (const volatile char *From = B.Folder; *From; ++From)
    *To++ = *From;
  unsigned Number = static_cast<unsigned>(B.File), Scale = 1;
  while (Number / Scale >= 10)
    Scale *= 10;
  for (; Scale; Scale /= 10)
    *To++ = static_cast<char>('0' + Number / Scale % 10);
  *To = 0;
}

/// Makes a file that tpctl fills.
__attribute__((always_inline)) inline bool makeFile(InjectBlock &B) {
  constexpr uint64_t CloseOnExec = 1;
  int64_t File =
      rawCall(SYS_memfd_create, reinterpret_cast<uint64_t>(B.FileName),
              CloseOnExec, 0, 0);
  B.File = static_cast<int32_t>(File);
  if (File < 0)
    return fail(B, InjectFailure::NoFile, static_cast<int>(-File), nullptr),
           false;
  __atomic_store_n(&B.Reached, Stage::FileMade, __ATOMIC_RELEASE);
  return true;
}

/// Gives the library another name in the loader's list. A tool that opens the
/// files of this list would open its own descriptor with that number, or the
/// program's next one. For example, gdb would read from one of its own pipes,
/// and wait forever. In glibc and in musl, the handle is the library's entry in
/// the list.
__attribute__((always_inline)) inline void rename(InjectBlock &B,
                                                  void *Library) {
  volatile char *Name = static_cast<link_map *>(Library)->l_name;
  unsigned Same = 0;
  while (Name[Same] && Name[Same] == B.Path[Same])
    ++Same;
  if (Name[Same] != B.Path[Same])
    return;
  const volatile char *To = B.LinkName;
  for (; *To && *Name; ++To)
    *Name++ = *To;
  *Name = 0;
}

/// Loads the library.
__attribute__((always_inline)) inline bool load(InjectBlock &B) {
  if (!B.HasPath && !makeFile(B))
    return false;
  void *Library = nullptr;
  bool Filled = B.HasPath || awaitWord(B.Filled, 60'000);
  if (Filled) {
    if (!B.HasPath)
      makePath(B);
    Library = at<void *(const char *, int)>(B.Dlopen)(
        B.Path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (Library && !B.HasPath)
      rename(B, Library);
  }
  if (!B.HasPath)
    rawCall(SYS_close, static_cast<uint64_t>(B.File), 0, 0, 0);
  if (!Library)
    return fail(B, Filled ? InjectFailure::NotLoaded : InjectFailure::NotFilled,
                0, Filled ? at<const char *()>(B.Dlerror)() : nullptr),
           false;
  auto *Find = at<void *(void *, const char *)>(B.Dlsym);
  B.ControlStart = reinterpret_cast<uint64_t>(Find(Library, B.StartName));
  B.ErrorString = reinterpret_cast<uint64_t>(Find(Library, B.ErrorName));
  if (!B.ControlStart)
    fail(B, InjectFailure::NoStart, 0, nullptr);
  return B.ControlStart;
}

} // namespace

/// Before glibc 2.34, on the stopped thread: loads the libraries that have the
/// functions of threads and of the loader, for all modules, because libtprt
/// uses them. Returns 0 or an error.
extern "C" TP_INJECTED int tp_inject_libraries(InjectBlock *Block) {
  InjectBlock &B = *Block;
  if (!B.LibcOpen)
    return 0;
  // dlopen() of libdl.so.2 adds the last bit (elf/dlfcn of glibc: the caller is
  // a program).
  constexpr int Mode =
      static_cast<int>(RTLD_NOW | RTLD_GLOBAL | RTLD_NODELETE | 0x80000000);
  auto *Open = at<void *(const char *, int)>(B.LibcOpen);
  auto *Find = at<void *(void *, const char *)>(B.LibcSymbol);
  void *Threads = Open(B.ThreadsName, Mode);
  void *Functions = Threads ? Open(B.FunctionsName, Mode) : nullptr;
  if (!Functions)
    return ELIBACC;
  B.PthreadCreate = reinterpret_cast<uint64_t>(Find(Threads, B.CreateName));
  B.PthreadDetach = reinterpret_cast<uint64_t>(Find(Threads, B.DetachName));
  B.Dlopen = reinterpret_cast<uint64_t>(Find(Functions, B.OpenName));
  B.Dlsym = reinterpret_cast<uint64_t>(Find(Functions, B.SymbolName));
  B.Dlerror = reinterpret_cast<uint64_t>(Find(Functions, B.OpenErrorName));
  return B.PthreadCreate && B.PthreadDetach && B.Dlopen && B.Dlsym && B.Dlerror
             ? 0
             : ELIBACC;
}

/// The new thread. Returns whether its caller has to unmap everything.
extern "C" TP_INJECTED bool tp_inject_run(InjectBlock *Block) {
  InjectBlock &B = *Block;
  B.ThreadId = static_cast<int32_t>(rawCall(SYS_gettid, 0, 0, 0, 0));
  // A fault must reach the program's handlers as on any other thread.
  uint64_t Faults = FaultSignals;
  rawCall(SYS_rt_sigprocmask, /*SIG_UNBLOCK=*/1,
          reinterpret_cast<uint64_t>(&Faults), 0, sizeof Faults);
  at<int(uint64_t)>(B.PthreadDetach)(at<uint64_t()>(B.PthreadSelf)());
  if (B.ControlStart || load(B)) {
    int Status = at<int()>(B.ControlStart)();
    if (Status == 0)
      __atomic_store_n(&B.Reached, Stage::Started, __ATOMIC_RELEASE);
    else
      fail(B, InjectFailure::NotStarted, Status,
           B.ErrorString ? at<const char *()>(B.ErrorString)() : nullptr);
  }
  // If tpctl was killed early, or waits for a processor, the other thread may
  // still be in the code.
  awaitWord(B.Seen, 2000);
  return awaitWord(B.Restored, 60'000);
}

llvm::StringRef payloadCode() {
  return {__start_tp_inject,
          static_cast<size_t>(__stop_tp_inject - __start_tp_inject)};
}
uint64_t callEntry() {
  return static_cast<uint64_t>(tp_inject_call - __start_tp_inject);
}
uint64_t threadEntry() {
  return static_cast<uint64_t>(tp_inject_thread - __start_tp_inject);
}

} // namespace tpctl
