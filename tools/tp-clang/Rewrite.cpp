// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

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
    fail("cannot find libtp.so in '" + Own.LibDir +
         "': the build or installation that this driver belongs to is "
         "incomplete");
  return Own.Plugin;
}

static std::string longFlag(const std::string &Flag) {
  std::string Key = Flag.substr(std::strlen("-ftp-"));
  if (Key.empty() || Key[0] == '=')
    fail("no name in '" + Flag + "': expected -ftp-NAME or -ftp-NAME=VALUE");
  return "-fplugin-arg-tp-" + Key;
}

/// Decisions for IR are to be made before the optimiser, where clang lets only
/// pass plugins in.
static void addPassForIR(const Command &C, const Installation &Own,
                         std::vector<std::string> &Result) {
  if (C.HasIR && !Own.LTOPlugin.empty())
    Result.push_back("-fpass-plugin=" + Own.LTOPlugin);
}

/// The runtime's headers, behind every folder that the user names: a project
/// that brings its own copy uses that one.
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

std::vector<std::string> tp::rewriteArguments(const std::vector<Argument> &Args,
                                              const Command &C,
                                              const Installation &Own,
                                              const RealClang &Clang) {
  std::vector<std::string> Result = Clang.FirstArgs;
  if (C.HasInput && !C.NamesPlugin)
    Result.push_back("-fplugin=" + requirePlugin(Own));

  addPassForIR(C, Own, Result);

  unsigned Values = 0;
  auto FilesOnly = Args.end();
  for (auto A = Args.begin(); A != Args.end(); ++A) {
    if (!A->Contents.empty() || Values) {
      // The value of -Xlinker may be the cache's folder; other values are not
      // options, whatever they look like.
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
      Result.push_back(longFlag(A->Text));
    else
      Result.push_back(rewriteArgument(A->Text, Own));
  }

  // Last, so that the user's folders come first and a static libtprt is
  // searched after the objects. But options cannot stand behind "--", and an
  // option whose value is missing would take the next word for it.
  if (!Values) {
    addInclude(C, Own, Result);
    std::vector<std::string> Link = linkArguments(C, Own, Clang);
    Result.insert(Result.end(), Link.begin(), Link.end());
  }
  for (auto A = FilesOnly; A != Args.end(); ++A)
    Result.push_back(A->Text);
  return Result;
}
