// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Settings.h.

#include "Settings.h"

#include "llvm/Support/Allocator.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/StringSaver.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

using namespace llvm;

namespace tp {

Frontend &frontend() {
  thread_local Frontend TheFrontend;
  return TheFrontend;
}

const char *flagPrefix() {
  return std::getenv("TP_CLANG_DEPTH") ? "-ftp-" : "-fplugin-arg-tp-";
}

std::string applyArguments(Options &O, ArrayRef<std::string> Arguments) {
  for (const std::string &Argument : Arguments) {
    auto [Key, Value] = StringRef(Argument).split('=');
    std::string Message =
        applyOption(O, Key, Value, StringRef(Argument).contains('='));
    if (!Message.empty())
      return "invalid argument '" + (flagPrefix() + Argument) + "': " + Message;
  }
  if (O.Help)
    outs() << "Settings of tp, for this compilation:\n"
           << optionsHelp(flagPrefix());
  return "";
}

/// The process's arguments. glibc calls initialisers with those of main, also
/// in libraries that are loaded later.
static ArrayRef<const char *> ProcessArguments;
__attribute__((constructor)) static void keepArguments(int Count, char **Begin,
                                                       char **) {
#ifdef __GLIBC__
  ProcessArguments = ArrayRef<const char *>(Begin, Count);
#endif
}

/// The plugin's arguments in the command line, which is clang's own or, where
/// that compiles in its own process, that of the driver.
static std::vector<std::string> pluginArguments() {
  BumpPtrAllocator Memory;
  SmallVector<const char *, 128> Words(ProcessArguments);
  cl::ExpansionContext Context(Memory, cl::TokenizeGNUCommandLine);
  consumeError(Context.expandResponseFiles(Words));
  std::vector<std::string> Result;
  bool IsNext = false;
  for (const char *Text : Words) {
    StringRef Word = Text ? Text : "";
    if (Word == "-Xclang")
      continue;
    if (IsNext || Word.consume_front("-fplugin-arg-tp-"))
      Result.push_back(Word.str());
    IsNext = !IsNext && Word == "-plugin-arg-tp";
  }
  return Result;
}

bool currentSettings(Options &O, std::string &Error) {
  if (frontend().Undecided) {
    O = *frontend().Undecided;
  } else if (!frontend().Parsed) {
    Error = applyArguments(O, pluginArguments());
    if (!Error.empty())
      return false;
  }
  return optionsFromCommandLine(O, Error);
}

} // namespace tp
