// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Linker.h.

#include "Linker.h"

#include "Command.h"
#include "Installation.h"

#include <cstdlib>
#include <sys/stat.h>
#include <vector>

using namespace tp;

static bool contains(const std::string &Text, const char *Part) {
  return Text.find(Part) != std::string::npos;
}

static bool endsWith(const std::string &Text, const std::string &End) {
  return Text.size() >= End.size() &&
         Text.compare(Text.size() - End.size(), End.size(), End) == 0;
}

static Linker classify(const std::string &Path) {
  std::string Real = realPath(Path);
  std::string Name = baseName(Real.empty() ? Path : Real);
  if (contains(Name, "lld"))
    return Linker::LLD;
  if (contains(Name, "mold"))
    return Linker::Mold;
  if (contains(Name, "gold"))
    return Linker::Gold;
  if (contains(Name, "bfd") || Name == "ld" || endsWith(Name, "-ld"))
    return Linker::GNU;
  return Linker::Unknown;
}

static bool isFolder(const std::string &Path) {
  struct stat Status;
  return stat(Path.c_str(), &Status) == 0 && S_ISDIR(Status.st_mode);
}

/// Searches the prefixes of -B and COMPILER_PATH, then clang's own folder, then
/// PATH. In each place, the name with the target's prefix comes before the
/// plain name.
static std::string findProgram(const Command &C, const std::string &ClangFolder,
                               const std::string &Name) {
  std::vector<std::string> Prefixes = C.Prefixes;
  if (const char *Path = std::getenv("COMPILER_PATH"))
    for (const std::string &Folder : splitPath(Path))
      Prefixes.push_back(Folder);

  std::vector<std::string> Names;
  if (!C.Target.empty())
    Names.push_back(C.Target + "-" + Name);
  Names.push_back(Name);

  for (const std::string &Prefix : Prefixes)
    for (const std::string &N : Names) {
      std::string Path = isFolder(Prefix) ? Prefix + "/" + N : Prefix + N;
      if (isExecutable(Path))
        return Path;
    }
  for (const std::string &N : Names) {
    if (isExecutable(ClangFolder + "/" + N))
      return ClangFolder + "/" + N;
    if (std::string Path = findInPath(N); !Path.empty())
      return Path;
  }
  return "";
}

Linker tp::findLinker(const Command &C, const std::string &ClangFolder,
                      const std::string &DefaultName) {
  if (!C.LdPath.empty())
    return classify(contains(C.LdPath, "/")
                        ? C.LdPath
                        : findProgram(C, ClangFolder, C.LdPath));
  std::string Name = DefaultName;
  if (!C.UseLd.empty()) {
    if (C.UseLd[0] == '/')
      return classify(C.UseLd);
    // The name tells the family. If ld.gold is a link to another linker,
    // -fuse-ld=gold runs that linker.
    if (C.UseLd != "ld")
      return classify(C.UseLd);
    Name = "ld";
  }
  std::string Path = findProgram(C, ClangFolder, Name);
  return Path.empty() ? classify(Name) : classify(Path);
}

std::string tp::findLLD(const Command &C, const std::string &ClangFolder) {
  for (const std::string &Named : {C.LdPath, C.UseLd})
    if (contains(Named, "/"))
      return Named;
  std::string Name = "ld.lld";
  if (!C.LdPath.empty())
    Name = C.LdPath;
  else if (startsWith(C.UseLd, "lld-")) // -fuse-ld=lld-19 runs ld.lld-19
    Name = "ld." + C.UseLd;
  return findProgram(C, ClangFolder, Name);
}

const char *tp::linkerName(Linker L) {
  switch (L) {
  case Linker::GNU:
    return "GNU ld";
  case Linker::LLD:
    return "lld";
  case Linker::Gold:
    return "gold";
  case Linker::Mold:
    return "mold";
  case Linker::Unknown:
    break;
  }
  return "an unknown linker";
}
