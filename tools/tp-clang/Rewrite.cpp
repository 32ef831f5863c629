// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Rewrite.h.

#include "Rewrite.h"

#include "Command.h"
#include "Diagnostics.h"
#include "Installation.h"
#include "LinkArguments.h"

#include <algorithm>
#include <cstring>

using namespace tp;

static const std::string &requirePlugin(const Installation &Own) {
  if (Own.Plugin.empty())
    fail("there is no plugin in '" + Own.LibDir +
         "/tp': install the package tp-clang-N, where N is the version of your "
         "clang, or build tp where that clang's headers are installed");
  return Own.Plugin;
}

/// Appends clang's spelling of \p Flag, which begins with -ftp-. Before the
/// first such flag, appends an argument that tells the plugin which spelling
/// the user has chosen. So messages spell flags as the user does.
static void addLongFlag(const std::string &Flag,
                        std::vector<std::string> &Result) {
  static const char Prefix[] = "-fplugin-arg-tp-";
  static const std::string ShortFlags = std::string(Prefix) + "short-flags";
  std::string Key = Flag.substr(std::strlen("-ftp-"));
  if (Key.empty() || Key[0] == '=')
    fail("no name in '" + Flag + "': expected -ftp-NAME or -ftp-NAME=VALUE");
  if (std::find(Result.begin(), Result.end(), ShortFlags) == Result.end())
    Result.push_back(ShortFlags);
  Result.push_back(Prefix + Key);
}

/// For files in IR, decisions must be made before the optimiser runs. At that
/// point, clang runs only pass plugins.
static void addPassForIR(const Command &C, const Installation &Own,
                         std::vector<std::string> &Result) {
  if (C.HasIR && !Own.PassPlugin.empty())
    Result.push_back("-fpass-plugin=" + Own.PassPlugin);
}

/// Adds the folder of the runtime's headers after every folder that the user
/// names. So a project that has its own copy of the headers uses that copy.
static void addInclude(const Command &C, const Installation &Own,
                       std::vector<std::string> &Result) {
  if (!C.HasSource || C.NoStandardIncludes || C.ForeignMode ||
      Own.IncludeDir.empty())
    return;
  const std::vector<std::string> &Named = C.SystemIncludes;
  if (std::find(Named.begin(), Named.end(), Own.IncludeDir) == Named.end())
    Result.insert(Result.end(), {"-isystem", Own.IncludeDir});
}

static std::string rewriteArgument(const std::string &Arg,
                                   const Installation &Own) {
  if (Arg == "-fplugin=libtp.so")
    return "-fplugin=" + requirePlugin(Own);
  return separateCacheFolder(Arg, Own);
}

/// Rewrites the arguments before "--" one by one. \p FilesOnly is set to the
/// "--", or to the end if there is none. Returns false if the value of the last
/// option is missing.
static bool rewriteOptions(const std::vector<Argument> &Args,
                           const Installation &Own,
                           std::vector<Argument>::const_iterator &FilesOnly,
                           std::vector<std::string> &Result) {
  unsigned Values = 0; // following arguments that are values of an option
  FilesOnly = Args.end();
  for (auto A = Args.begin(); A != Args.end(); ++A) {
    if (!A->Contents.empty() || Values) {
      // The value of -Xlinker may name the folder of ThinLTO's cache. All other
      // values are left unchanged, even if they look like options.
      bool ForLinker = Values && (A - 1)->Text == "-Xlinker";
      Result.push_back(ForLinker ? separateCacheFolder(A->Text, Own) : A->Text);
      Values -= Values != 0;
      continue;
    }
    if (A->Text == "--") {
      FilesOnly = A;
      break;
    }
    Values = countValues(A->Text);
    if (startsWith(A->Text, "-ftp-"))
      addLongFlag(A->Text, Result);
    else
      Result.push_back(rewriteArgument(A->Text, Own));
  }
  return Values == 0;
}

std::vector<std::string> tp::rewriteArguments(const std::vector<Argument> &Args,
                                              const Command &C,
                                              const Installation &Own,
                                              const RealClang &Clang) {
  std::vector<std::string> Result = Clang.FirstArgs;
  if (C.HasInput && !C.NamesPlugin)
    Result.push_back("-fplugin=" + requirePlugin(Own));
  addPassForIR(C, Own, Result);

  std::vector<Argument>::const_iterator FilesOnly;
  // Our own options come last, so that the user's folders come first, and the
  // linker searches a static libtprt after the objects. Our options cannot come
  // after "--". If the value of the user's last option is missing, clang would
  // use our first option as that value.
  if (rewriteOptions(Args, Own, FilesOnly, Result)) {
    addInclude(C, Own, Result);
    std::vector<std::string> Link = linkArguments(C, Own, Clang);
    Result.insert(Result.end(), Link.begin(), Link.end());
  }
  for (auto A = FilesOnly; A != Args.end(); ++A)
    Result.push_back(A->Text);
  return Result;
}
