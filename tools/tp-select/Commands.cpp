// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Commands.h.

#include "Commands.h"
#include "Config.h"

#include "clang/Driver/Types.h"
#include "clang/Tooling/Tooling.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace clang;
using llvm::StringRef;
using llvm::Twine;
using tooling::CompilationDatabase;
using tooling::CompileCommand;

namespace tp {
namespace {

llvm::Expected<std::unique_ptr<CompilationDatabase>>
loadDatabase(const CommandOptions &O) {
  std::string Why;
  std::unique_ptr<CompilationDatabase> Database;
  if (!O.BuildPath.empty())
    // Only that folder is searched. Its parent folders may have another
    // program's database.
    Database = CompilationDatabase::loadFromDirectory(O.BuildPath, Why);
  else if (!O.Sources.empty())
    Database = CompilationDatabase::autoDetectFromSource(O.Sources[0], Why);
  else
    Database = CompilationDatabase::autoDetectFromDirectory(".", Why);
  if (Database)
    return Database;
  return llvm::createStringError(
      "no compilation database: " + Twine(StringRef(Why).rtrim()) +
      "\nGive with -p the folder that has the build's compile_commands.json "
      "(cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON makes one), or give sources "
      "and compile flags: tp-select a.c -- -O2");
}

/// Whether clang compiles functions from the language of \p File. Databases
/// also list assembly and other compilers' files.
bool isSource(StringRef File) {
  namespace types = driver::types;
  StringRef Extension = llvm::sys::path::extension(File);
  types::ID Type = Extension.empty()
                       ? types::TY_INVALID
                       : types::lookupTypeForExtension(Extension.drop_front());
  return types::isAcceptedByClang(Type) && !types::isLLVMIR(Type) &&
         Type != types::TY_Asm && Type != types::TY_PP_Asm;
}

/// Turns the short flags, which only our driver understands, into clang's.
void useLongFlags(std::vector<std::string> &Line) {
  for (std::string &Arg : Line) {
    StringRef Key = Arg;
    if (Key.consume_front("-ftp-"))
      Arg = ("-fplugin-arg-tp-" + Key).str();
  }
  // The plugin is already linked into this tool. Its help would appear in the
  // middle of the tool's output.
  llvm::erase_if(Line, [](StringRef A) {
    return A.starts_with("-fplugin=") || A == "-fplugin-arg-tp-help";
  });
}

/// The folder that tp-clang searches for <tprt/tprt.h>, or "".
std::string findHeaders() {
  static int Here;
  llvm::SmallString<256> Root(
      llvm::sys::fs::getMainExecutable("tp-select", &Here));
  llvm::sys::path::remove_filename(Root); // bin
  llvm::sys::path::remove_filename(Root);
  for (const char *LibDir : {"lib", TP_INSTALL_LIBDIR, "lib64"}) {
    llvm::SmallString<256> Folder(Root);
    llvm::sys::path::append(Folder, LibDir, "tp", "include");
    if (llvm::sys::fs::exists(Folder + "/tprt/tprt.h"))
      return std::string(Folder);
  }
  return "";
}

void complete(CompileCommand &C, const CommandOptions &O) {
  std::vector<std::string> &Line = C.CommandLine;
  useLongFlags(Line);
  if (Line.empty())
    Line.push_back("clang");
  // Everything after `--` is a file.
  auto End = [&] { return llvm::find(Line, "--"); };
  if (llvm::none_of(Line, [](StringRef A) {
        return A.starts_with("-resource-dir") || A == "--resource-dir";
      }))
    Line.insert(End(), "-resource-dir=" TP_RESOURCE_DIR);
  static const std::string Headers = findHeaders();
  if (!Headers.empty() && !llvm::is_contained(Line, "-nostdinc"))
    Line.insert(End(), "-isystem" + Headers);
  Line.insert(Line.begin() + 1, O.ExtraBefore.begin(), O.ExtraBefore.end());
  Line.insert(End(), O.Extra.begin(), O.Extra.end());
  for (const std::string &Flag : O.TpFlags)
    Line.insert(End(), "-fplugin-arg-tp-" + Flag);
  // Messages use the short spelling of flags, as tp-select's own flags do.
  Line.insert(End(), "-fplugin-arg-tp-short-flags");
  // Only the compiler reports warnings.
  Line.insert(End(), "-w");
}

llvm::Expected<std::vector<CompileCommand>>
allCommands(const CompilationDatabase &Database) {
  std::vector<CompileCommand> Commands = Database.getAllCompileCommands();
  llvm::erase_if(Commands,
                 [](const CompileCommand &C) { return !isSource(C.Filename); });
  if (Commands.empty())
    return llvm::createStringError(
        "the compilation database lists no C, C++ or Objective-C "
        "file");
  return Commands;
}

llvm::Expected<std::vector<CompileCommand>>
commandsOf(const std::string &Source, const CompilationDatabase &Database,
           bool IsFixed) {
  std::string Full = tooling::getAbsolutePath(Source);
  if (!llvm::sys::fs::exists(Full))
    return llvm::createStringError("no such file: '" + Source + "'");
  // After `--` a source keeps its spelling, because `src:` in filters is
  // compared with it.
  auto Found = Database.getCompileCommands(IsFixed ? Source : Full);
  if (Found.empty())
    return llvm::createStringError("'" + Source +
                                   "' is not in the compilation database; "
                                   "give its flags after '--': tp-select " +
                                   Source + " -- -O2");
  return Found;
}

/// The commands of the given sources in the database, or all commands if no
/// source is given.
llvm::Expected<std::vector<CompileCommand>>
selectCommands(const CommandOptions &O, const CompilationDatabase &Database) {
  if (O.Sources.empty())
    return allCommands(Database);
  std::vector<CompileCommand> Commands;
  for (const std::string &Source : O.Sources) {
    auto Found = commandsOf(Source, Database, O.Fixed != nullptr);
    if (!Found)
      return Found.takeError();
    llvm::append_range(Commands, *Found);
  }
  return Commands;
}

} // namespace

llvm::Expected<std::vector<CompileCommand>>
findCommands(const CommandOptions &O) {
  if (O.Fixed && O.Sources.empty())
    return llvm::createStringError("no source file in front of '--'");
  std::unique_ptr<CompilationDatabase> Loaded;
  if (!O.Fixed) {
    auto Database = loadDatabase(O);
    if (!Database)
      return Database.takeError();
    Loaded = std::move(*Database);
  }
  auto Commands = selectCommands(O, O.Fixed ? *O.Fixed : *Loaded);
  if (!Commands)
    return Commands.takeError();
  llvm::stable_sort(*Commands, [](const auto &A, const auto &B) {
    return std::tie(A.Filename, A.Directory, A.CommandLine) <
           std::tie(B.Filename, B.Directory, B.CommandLine);
  });
  for (CompileCommand &C : *Commands)
    complete(C, O);
  return Commands;
}

} // namespace tp
