// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Settings.h.

#include "Settings.h"

#include "llvm/Support/Allocator.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/StringSaver.h"

using namespace llvm;

namespace tp {

Frontend &frontend() {
  thread_local Frontend TheFrontend;
  return TheFrontend;
}

/// The process's arguments. glibc calls initialisers with the arguments of
/// main, even in libraries that are loaded later.
static ArrayRef<const char *> ProcessArguments;
__attribute__((constructor)) static void keepArguments(int Count, char **Begin,
                                                       char **) {
#ifdef __GLIBC__
  ProcessArguments = ArrayRef<const char *>(Begin, Count);
#endif
}

/// The plugin's arguments in the command line. The command line is that of
/// clang -cc1. If the driver compiles in its own process, the command line is
/// the driver's.
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

Expected<Options> currentSettings() {
  Options O;
  if (frontend().Undecided) {
    O = *frontend().Undecided;
  } else if (!frontend().Parsed) {
    if (Error E = applyArguments(O, pluginArguments()))
      return E;
  }
  if (Error E = applyCommandLine(O))
    return E;
  if (Error E = loadFilters(O, *vfs::getRealFileSystem()))
    return E;
  return O;
}

} // namespace tp
