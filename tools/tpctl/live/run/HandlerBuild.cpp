// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See HandlerBuild.h.

#include "HandlerBuild.h"

#include "shared/Output.h"
#include "shared/Verb.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include <vector>

using namespace llvm;

namespace tpctl {

namespace {

/// What a handler can do without: it runs in a thread of the program, which may
/// be anywhere, and gets no library. docs/reference/live-verbs.md lists these.
constexpr const char *Flags[] = {"-O2",
                                 "-fPIC",
                                 "-shared",
                                 "-nostdlib",
                                 "-ffreestanding",
                                 "-mgeneral-regs-only",
                                 "-fvisibility=hidden",
                                 "-fno-stack-protector",
                                 "-fno-exceptions",
                                 "-fno-asynchronous-unwind-tables",
#if defined(__x86_64__)
                                 "-fcf-protection=full",
#else
                                 "-mbranch-protection=standard",
                                 "-mno-outline-atomics",
                                 "-ffixed-x18",
#endif
                                 "-Wl,-z,now",
                                 "-Wl,-z,noexecstack",
                                 "-Wl,-Bsymbolic",
                                 "-Wl,--build-id=none"};
constexpr const char *FlagsOfCxx[] = {"-fno-rtti", "-fno-threadsafe-statics"};

bool isCxx(StringRef Path) {
  return is_contained({".cc", ".cpp", ".cxx", ".C"},
                      sys::path::extension(Path));
}

/// The folder with tprt/run.h: of this installation, or of the build.
Expected<std::string> findHeaders() {
  SmallString<128> Here;
  if (sys::fs::real_path("/proc/self/exe", Here))
    return createStringError("/proc is not mounted");
  sys::path::remove_filename(Here);
  sys::path::append(Here, "..", "include");
  sys::path::remove_dots(Here, /*remove_dot_dot=*/true);
  SmallString<128> Header(Here);
  sys::path::append(Header, "tprt", "run.h");
  if (sys::fs::exists(Header))
    return std::string(Here);
  return createStringError("no header tprt/run.h: looked for " +
                           std::string(Header) +
                           "; install tp's headers beside tpctl");
}

/// The compiler's program and the user's options for it.
Expected<std::vector<std::string>> findCompiler(const std::string &Asked) {
  const char *OfUser = getenv("CC");
  const StringRef Text = !Asked.empty() ? StringRef(Asked)
                         : OfUser       ? StringRef(OfUser)
                                        : StringRef();
  if (!Text.trim().empty()) {
    SmallVector<StringRef> Words;
    Text.split(Words, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
    auto Found = sys::findProgramByName(Words[0]);
    if (!Found)
      return createStringError(
          "no compiler '" + Words[0] + "': it was given by " +
          (Asked.empty() ? "the environment's CC" : "--compiler"));
    std::vector<std::string> Command = {*Found};
    for (StringRef Word : drop_begin(Words))
      Command.push_back(Word.str());
    return Command;
  }
  for (const char *Name : {"clang", "gcc", "cc"})
    if (auto Found = sys::findProgramByName(Name))
      return std::vector<std::string>{*Found};
  return createStringError("no C compiler: looked for clang, gcc and cc; "
                           "install one, or name it by --compiler");
}

Expected<std::unique_ptr<MemoryBuffer>> readFile(const std::string &Path) {
  auto File = MemoryBuffer::getFile(Path, /*IsText=*/false,
                                    /*RequiresNullTerminator=*/false);
  if (!File)
    return createStringError("cannot read '" + Path +
                             "': " + File.getError().message());
  return std::move(*File);
}

Error compile(std::vector<std::string> Command, bool Verbose) {
  std::vector<StringRef> Arguments(Command.begin(), Command.end());
  if (Verbose) {
    std::string Text;
    for (const std::string &Word : Command)
      Text += (Text.empty() ? "" : " ") + shellWord(Word);
    note(Text);
  }
  std::string Why;
  const int Code =
      sys::ExecuteAndWait(Command[0], Arguments, std::nullopt, {},
                          /*SecondsToWait=*/0, /*MemoryLimit=*/0, &Why);
  if (Code < 0)
    return createStringError("the compiler " + Command[0] +
                             " did not run: " + Why);
  if (Code)
    return createStringError("the compiler " + Command[0] +
                             " failed with exit status " + Twine(Code));
  return Error::success();
}

} // namespace

Expected<std::unique_ptr<MemoryBuffer>>
buildHandlers(const std::string &Path, const std::string &Compiler,
              bool Verbose) {
  auto Source = readFile(Path);
  if (!Source || (*Source)->getBuffer().starts_with("\177ELF"))
    return Source;
  if (!isCxx(Path) && sys::path::extension(Path) != ".c")
    return createStringError("'" + Path +
                             "' is no file of handlers: its name has to end "
                             "with .c, .cc, .cpp or .cxx, or it is a shared "
                             "library");
  auto Command = findCompiler(Compiler);
  if (!Command)
    return Command.takeError();
  auto Headers = findHeaders();
  if (!Headers)
    return Headers.takeError();
  SmallString<128> Made;
  if (std::error_code Reason =
          sys::fs::createTemporaryFile("tpctl-run", "so", Made))
    return createStringError("cannot create a temporary file: " +
                             Reason.message());
  FileRemover Removes(Made);
  append_range(*Command, Flags);
  if (isCxx(Path))
    append_range(*Command, FlagsOfCxx);
  Command->insert(Command->end(),
                  {"-I", *Headers, "-o", std::string(Made), Path});
  if (Error E = compile(std::move(*Command), Verbose))
    return E;
  return readFile(std::string(Made));
}

} // namespace tpctl
