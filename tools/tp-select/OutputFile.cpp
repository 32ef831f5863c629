// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Output.h, writeFile.

#include "Output.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace tp {
namespace {

Error failure(StringRef Path, std::error_code Code) {
  return createStringError(Code,
                           "cannot write '" + Path + "': " + Code.message());
}

/// Writes everything before it returns, so that it can report all errors.
std::error_code put(int Descriptor, StringRef Text, bool Close) {
  raw_fd_ostream Stream(Descriptor, Close);
  Stream << Text;
  Stream.flush();
  std::error_code Code = Stream.error();
  Stream.clear_error(); // otherwise the destructor ends the process
  return Code;
}

} // namespace

Error writeFile(StringRef Path, StringRef Text) {
  if (Path == "-") {
    std::error_code Code = put(1, Text, /*Close=*/false);
    return Code ? failure("standard output", Code) : Error::success();
  }
  sys::fs::file_status Status;
  bool IsNew = static_cast<bool>(sys::fs::status(Path, Status));
  if (!IsNew && !sys::fs::is_regular_file(Status)) { // a device, a pipe
    int Descriptor;
    if (auto Code = sys::fs::openFileForWrite(Path, Descriptor,
                                              sys::fs::CD_OpenExisting))
      return failure(Path, Code);
    std::error_code Code = put(Descriptor, Text, /*Close=*/true);
    return Code ? failure(Path, Code) : Error::success();
  }
  auto Temporary = sys::fs::TempFile::create(Path + ".tmp-%%%%%%");
  if (!Temporary)
    return failure(Path, errorToErrorCode(Temporary.takeError()));
  if (std::error_code Code = put(Temporary->FD, Text, /*Close=*/false)) {
    consumeError(Temporary->discard());
    return failure(Path, Code);
  }
  (void)sys::fs::setPermissions(
      Temporary->FD, IsNew ? sys::fs::perms(0666 & ~sys::fs::getUmask())
                           : Status.permissions());
  if (Error E = Temporary->keep(Path))
    return failure(Path, errorToErrorCode(std::move(E)));
  return Error::success();
}

} // namespace tp
