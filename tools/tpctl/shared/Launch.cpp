// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Launch.h. Used only on the main thread, because of the signals.

#include "Launch.h"

#include "Progress.h"
#include "Verb.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <optional>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <thread>
#include <unistd.h>

using namespace llvm;
using std::chrono::milliseconds;

namespace tpctl {
namespace {

/// A program contains this text only if it is linked to libtprt.a.
constexpr StringLiteral OfStaticRuntime = "TPRT_OPTIONS takes name=value";

/// Whether the program gains rights that tpctl does not have. Then its loader
/// ignores LD_PRELOAD, and libtprt ignores TPRT_OPTIONS (ld.so(8),
/// secure-execution mode).
bool gainsRights(const std::string &Path) {
  struct stat File;
  struct statvfs Mount;
  if (stat(Path.c_str(), &File) != 0 || statvfs(Path.c_str(), &Mount) != 0 ||
      (Mount.f_flag & ST_NOSUID))
    return false;
  bool OtherUser = (File.st_mode & S_ISUID) && File.st_uid != geteuid();
  bool OtherGroup = (File.st_mode & S_ISGID) && (File.st_mode & S_IXGRP) &&
                    File.st_gid != getegid();
  return OtherUser || OtherGroup ||
         (geteuid() != 0 &&
          getxattr(Path.c_str(), "security.capability", nullptr, 0) > 0);
}

/// Returns nullptr if there is no such program. The later start of the program
/// will report that.
std::unique_ptr<MemoryBuffer> readProgram(const std::string &Path) {
  auto File = MemoryBuffer::getFile(Path, /*IsText=*/false,
                                    /*RequiresNullTerminator=*/false);
  return File ? std::move(*File) : nullptr;
}

/// The path of the loader that starts a program with these contents. Returns ""
/// if the program is static, and std::nullopt if the file is not a program, for
/// example a script.
std::optional<StringRef> loaderOf(StringRef Contents) {
  auto File = object::ELF64LEFile::create(Contents);
  if (!File)
    return consumeError(File.takeError()), std::nullopt;
  auto Headers = File->program_headers();
  if (!Headers)
    return consumeError(Headers.takeError()), std::nullopt;
  for (const auto &Header : *Headers)
    if (Header.p_type == ELF::PT_INTERP)
      return Contents.substr(Header.p_offset, Header.p_filesz);
  return "";
}

/// Whether musl's loader starts a program with these contents.
bool usesMusl(StringRef Contents) {
  return sys::path::filename(loaderOf(Contents).value_or(""))
      .starts_with("ld-musl");
}

/// libtprt uses threads and the loader. Before glibc 2.34, these are in two
/// libraries that small programs do not load. Returns them as an addition to
/// LD_PRELOAD, or "" if glibc contains them.
std::string separateLibraries(StringRef Contents) {
#ifdef __x86_64__
  constexpr StringLiteral Usual = "/lib64/ld-linux-x86-64.so.2";
#else
  constexpr StringLiteral Usual = "/lib/ld-linux-aarch64.so.1";
#endif
  StringRef Loader = loaderOf(Contents).value_or("").split('\0').first;
  if (Loader.empty()) // a script, or a static program: for those it starts
    Loader = Usual;
  SmallString<128> Path;
  if (sys::fs::real_path(Loader, Path))
    return "";
  sys::path::remove_filename(Path);
  sys::path::append(Path, "libc.so.6");
  auto Library = readProgram(std::string(Path));
  return !Library || Library->getBuffer().contains("GLIBC_2.34")
             ? ""
             : ":libpthread.so.0:libdl.so.2";
}

bool is32Bit(StringRef Contents) {
  return Contents.starts_with(ELF::ElfMagic) &&
         Contents.size() > ELF::EI_CLASS &&
         Contents[ELF::EI_CLASS] == ELF::ELFCLASS32;
}

/// The names of emulators and dynamic translators.
bool translatesCode(StringRef Program) {
  StringRef Name = sys::path::filename(Program);
  return Name == "valgrind" || Name.starts_with("qemu-") || Name == "box64" ||
         Name == "drrun";
}

volatile pid_t Child; // for the signal handler

/// See passSignalsTo().
void forward(int Signal, siginfo_t *Info, void *) {
  if (Child > 0 && Info->si_code <= 0)
    kill(Child, Signal);
}

} // namespace

Expected<std::string> findRuntime(StringRef Name) {
  std::string Tried;
  SmallString<128> Here;
  if (sys::fs::real_path("/proc/self/exe", Here))
    return createStringError("no " + Name + ": /proc is not mounted");
  sys::path::remove_filename(Here);
  for (const char *Folder : {"../lib", "../lib64", "../lib/x86_64-linux-gnu",
                             "../lib/aarch64-linux-gnu", "."}) {
    SmallString<128> Path(Here);
    sys::path::append(Path, Folder, Name);
    sys::path::remove_dots(Path, /*remove_dot_dot=*/true);
    if (sys::fs::exists(Path))
      return std::string(Path);
    Tried += (Tried.empty() ? "" : ", ") + std::string(Path);
  }
  return createStringError("no " + Name + ": looked for " + Tried);
}

Error preloadRuntime(StringRef Program) {
  auto Path = sys::findProgramByName(Program);
  auto File = Path ? readProgram(*Path) : nullptr;
  StringRef Contents = File ? File->getBuffer() : "";
  // The kernel gives no rights to scripts.
  if (Path && !Contents.starts_with("#!") && gainsRights(*Path))
    return createStringError("'" + Program +
                             "' gains rights by its file (set-user-ID or the "
                             "like), so nothing can be loaded when it starts: "
                             "run it first, and then tpctl -p PID as root");
  if (Contents.contains(OfStaticRuntime))
    return Error::success();
  if (is32Bit(Contents))
    return createStringError("'" + Program +
                             "' is a 32-bit program, and libtprt is for 64-bit "
                             "programs");
  if (translatesCode(Program))
    return createStringError(
        "'" + Program +
        "' executes a translation of a program's code, in which probes have no "
        "effect: run the program without it");
  auto Runtime =
      usesMusl(Contents) ? findRuntime(RuntimeForMusl) : findRuntime();
  if (!Runtime)
    return Runtime.takeError();
  if (StringRef(*Runtime).find_first_of(" :") != StringRef::npos)
    return createStringError("LD_PRELOAD cannot name '" + *Runtime +
                             "', which has a space or a colon: install tp in "
                             "another folder, or use -p PID");
  if (!usesMusl(Contents))
    *Runtime += separateLibraries(Contents);
  // The user's own libraries come first, because a sanitizer's runtime must be
  // the first library.
  if (const char *Others = getenv("LD_PRELOAD"); Others && *Others)
    *Runtime = std::string(Others) + ":" + *Runtime;
  setenv("LD_PRELOAD", Runtime->c_str(), 1);
  return Error::success();
}

std::string whyNotLoaded(StringRef Program) {
  auto Path = sys::findProgramByName(Program);
  auto File = Path ? readProgram(*Path) : nullptr;
  StringRef Contents = File ? File->getBuffer() : "";
  if (loaderOf(Contents) != "" || Contents.contains(OfStaticRuntime))
    return "";
  return ": it is a static program, which has no loader that could load "
         "libtprt; link it with libtprt (tp-clang does)";
}

/// Opens other files in place of the terminal. Each of them is opened only
/// once, so that the lines of standard error do not overwrite those of standard
/// output.
static void replaceTerminal(posix_spawn_file_actions_t &Files,
                            const std::string &Output) {
  const char *Path = Output.empty() ? "/dev/null" : Output.c_str();
  if (isatty(STDIN_FILENO))
    posix_spawn_file_actions_addopen(&Files, STDIN_FILENO, "/dev/null",
                                     O_RDONLY, 0);
  int First = -1;
  for (int File : {STDOUT_FILENO, STDERR_FILENO}) {
    if (Output.empty() && !isatty(File))
      continue;
    if (First < 0)
      posix_spawn_file_actions_addopen(&Files, File, Path,
                                       O_WRONLY | O_CREAT | O_TRUNC, 0666);
    else
      posix_spawn_file_actions_adddup2(&Files, First, File);
    First = First < 0 ? File : First;
  }
}

Expected<int> startCommand(ArrayRef<char *> Command,
                           const std::string *Output) {
  std::vector<char *> Args(Command);
  Args.push_back(nullptr);
  // tpctl ignores these two signals, but the command must not ignore them.
  sigset_t Usual;
  sigemptyset(&Usual);
  sigaddset(&Usual, SIGPIPE);
  sigaddset(&Usual, SIGXFSZ);
  posix_spawnattr_t Attributes;
  posix_spawnattr_init(&Attributes);
  posix_spawnattr_setsigdefault(&Attributes, &Usual);
  posix_spawnattr_setflags(&Attributes, POSIX_SPAWN_SETSIGDEF);
  posix_spawn_file_actions_t Files;
  posix_spawn_file_actions_init(&Files);
  if (Output)
    replaceTerminal(Files, *Output);
  pid_t Started = 0;
  int Code = posix_spawnp(&Started, Args[0], &Files, &Attributes, Args.data(),
                          environ);
  posix_spawn_file_actions_destroy(&Files);
  posix_spawnattr_destroy(&Attributes);
  if (Code)
    return createStringError(Twine("cannot run '") + Args[0] +
                             "': " + strerror(Code));
  return Started;
}

int exitCodeOf(int Status) {
  return WIFSIGNALED(Status) ? 128 + WTERMSIG(Status) : WEXITSTATUS(Status);
}

void passSignalsTo(pid_t To, ArrayRef<int> Signals) {
  Child = To;
  struct sigaction Action{};
  Action.sa_sigaction = forward;
  Action.sa_flags = SA_SIGINFO | SA_RESTART;
  for (int Signal : Signals)
    sigaction(Signal, &Action, nullptr);
}

Expected<CommandEnd> runCommand(ArrayRef<char *> Command,
                                function_ref<milliseconds(pid_t)> Meanwhile) {
  passSignalsTo(0, {SIGINT, SIGQUIT, SIGTERM, SIGHUP});
  auto Started = startCommand(Command);
  if (!Started)
    return Started.takeError();
  Child = *Started;
  shareTerminal();
  int Status = 0;
  for (;;) {
    pid_t Ended = waitpid(*Started, &Status, Meanwhile ? WNOHANG : 0);
    if (Ended == *Started || (Ended < 0 && errno != EINTR))
      break;
    if (Meanwhile)
      std::this_thread::sleep_for(Meanwhile(*Started));
  }
  Child = 0;
  return CommandEnd{exitCodeOf(Status),
                    WIFSIGNALED(Status) ? WTERMSIG(Status) : 0};
}

} // namespace tpctl
