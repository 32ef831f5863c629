// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See BinaryFinder.h. The layout of .build-id is that of gdb: the first two
// digits are a folder, and the other digits with ".debug" are the debug file.

#include "BinaryFinder.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/BuildID.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace tp::trace {
namespace {

std::string joined(StringRef Folder, const Twine &Rest) {
  SmallString<256> Path(Folder);
  sys::path::append(Path, Rest);
  return Path.str().str();
}

bool hasLines(const object::ObjectFile &Object) {
  for (const object::SectionRef &Section : Object.sections()) {
    Expected<StringRef> Name = Section.getName();
    if (!Name) {
      consumeError(Name.takeError());
      continue;
    }
    if (*Name == ".debug_line" || *Name == ".zdebug_line")
      return true;
  }
  return false;
}

/// Compares a file with the module. A folder or a pipe is not opened.
FoundBinary inspect(const std::string &Path, StringRef BuildId) {
  if (!sys::fs::is_regular_file(Path))
    return {};
  auto File = object::ObjectFile::createObjectFile(Path);
  if (!File)
    return {FoundBinary::Unreadable, Path, toString(File.takeError()), false};
  const object::ObjectFile &Object = *File->getBinary();
  std::string Own = toHex(object::getBuildID(&Object), /*LowerCase=*/true);
  if (!BuildId.empty() && Own != BuildId)
    return {FoundBinary::OtherBuild, Path, Own, false};
  return {FoundBinary::Found, Path, "", hasLines(Object)};
}

} // namespace

std::vector<std::string> BinaryFinder::candidates(const Module &M) const {
  std::vector<std::string> Paths;
  StringRef Name = sys::path::filename(M.Path), BuildId = M.BuildId;
  for (const std::string &Place : Places) {
    if (!sys::fs::is_directory(Place)) {
      if (!BuildId.empty() || sys::path::filename(Place) == Name)
        Paths.push_back(Place);
      continue;
    }
    if (BuildId.size() > 2) {
      std::string File = joined(Place, ".build-id/" + BuildId.take_front(2) +
                                           "/" + BuildId.drop_front(2));
      Paths.push_back(File + ".debug");
      Paths.push_back(File);
    }
    Paths.push_back(joined(Place, sys::path::relative_path(M.Path)));
    Paths.push_back(joined(Place, Name));
    Paths.push_back(joined(Place, Name + ".debug"));
  }
  Paths.push_back(M.Path);
  return Paths;
}

FoundBinary BinaryFinder::find(const Module &M) const {
  FoundBinary Best;
  StringRef Name = sys::path::filename(M.Path);
  for (const std::string &Path : candidates(M)) {
    FoundBinary Each = inspect(Path, M.BuildId);
    bool Wanted = Each.What == FoundBinary::Found;
    if (Wanted && Each.HasLines)
      return Each;
    // If the user gave a file instead of a folder, the file may belong to any
    // module.
    if (Each.What > Best.What &&
        (Wanted || sys::path::filename(Path).starts_with(Name)))
      Best = std::move(Each);
  }
  return Best;
}

} // namespace tp::trace
