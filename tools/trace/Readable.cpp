// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Readable.h.
//
// A mangled name may refer back to parts of itself, so a short name can expand
// to a text of any size: 315 bytes can become a gigabyte. Nested types make a
// demangler recurse. The demangler of C++ and Rust has its own limits, see
// runtime/names/. Only the tools demangle names of D. A long name of D is
// demangled on a sufficiently large stack.

#include "Readable.h"

#include "demangle/demangle.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/ProgramStack.h"
#include <cstdlib>
#include <memory>

using namespace llvm;

namespace tp::trace {
namespace {

constexpr size_t MostMangled = 64 << 10;
/// A level of nesting needs at least one byte of the name, and less than 1 kB
/// of stack.
constexpr size_t MostOnThisStack = 1 << 10;
constexpr unsigned LargeStack = 128 << 20;

/// A name of C++ or Rust. Empty if the name has no readable form.
std::string demangled(const char *Name) {
  struct Room {
    tprt::names::Memory Memory;
    char Text[tprt::names::kMostBytes];
  };
  thread_local auto Of = std::make_unique_for_overwrite<Room>();
  tprt::names::Parts Parts;
  if (!tprt::names::demangle(Name, Of->Memory, Of->Text, sizeof Of->Text,
                             Parts))
    return {};
  return std::string(Of->Text, Parts.length);
}

/// A name of D. Empty if the name has no readable form.
std::string demangledD(StringRef Name) {
  std::string Result;
  auto Demangle = [&] {
    char *Text = dlangDemangle(Name);
    if (Text)
      Result = Text;
    free(Text);
  };
  if (Name.size() <= MostOnThisStack)
    Demangle();
  else
    runOnNewStack(LargeStack, Demangle);
  return Result.size() < tprt::names::kMostBytes ? Result : std::string();
}

bool isDangerous(UTF32 C) {
  return (C < ' ' && C != '\t') || (C >= 0x7f && C <= 0x9f) || C == 0x61c ||
         C == 0x200e || C == 0x200f || (C >= 0x2028 && C <= 0x202e) ||
         (C >= 0x2066 && C <= 0x2069);
}

} // namespace

std::string printable(StringRef Text) {
  std::string Shown;
  Shown.reserve(Text.size());
  auto *At = reinterpret_cast<const UTF8 *>(Text.begin()),
       *End = reinterpret_cast<const UTF8 *>(Text.end());
  while (At != End) {
    const UTF8 *Begin = At;
    UTF32 C;
    bool Valid =
        convertUTF8Sequence(&At, End, &C, strictConversion) == conversionOK;
    if (!Valid)
      At = Begin + 1;
    size_t Bytes = static_cast<size_t>(At - Begin);
    if (Valid && !isDangerous(C))
      Shown.append(reinterpret_cast<const char *>(Begin), Bytes);
    else
      Shown.append(Bytes, '?');
  }
  return Shown;
}

std::string readableName(StringRef Linked) {
  if (Linked.size() > MostMangled)
    return printable(Linked);
  std::string Result;
  if (Linked.starts_with("_D"))
    Result = demangledD(Linked);
  else if (Linked.starts_with("_"))
    Result = demangled(Linked.str().c_str());
  return printable(Result.empty() ? Linked : StringRef(Result));
}

} // namespace tp::trace
