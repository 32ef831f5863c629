// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Readable.h.
//
// A mangled name may refer back to parts of itself, so a short name can stand
// for a text of any size: 315 bytes can stand for a gigabyte. Nested types make
// a demangler recurse. Therefore:
// - names of the Itanium ABI are printed into a buffer that stops at a bound,
// - names of Rust are walked first, with a bound on the steps,
// - long names are demangled on a stack that is large enough for them.

#include "Readable.h"

#include "RustSteps.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Demangle/ItaniumDemangle.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/ProgramStack.h"
#include <cstdlib>

using namespace llvm;

namespace tp::trace {
namespace {

constexpr size_t MostMangled = 64 << 10, MostReadable = 64 << 10;
constexpr size_t MostSteps = 1 << 20;
/// A level of nesting takes at least one byte of the name, and less than 1 kB
/// of stack.
constexpr size_t MostOnThisStack = 1 << 10;
constexpr unsigned LargeStack = 128 << 20;

/// Memory for the demangler's tree.
class TreeMemory {
public:
  void reset() { Memory.Reset(); }
  template <class Node, class... Args> Node *makeNode(Args &&...Values) {
    return new (Memory.Allocate(sizeof(Node), alignof(Node)))
        Node(std::forward<Args>(Values)...);
  }
  void *allocateNodeArray(size_t Count) {
    return Memory.Allocate(Count * sizeof(itanium_demangle::Node *),
                           alignof(itanium_demangle::Node *));
  }

private:
  BumpPtrAllocator Memory;
};

/// Prints nothing more after a bound of bytes or of nodes.
class BoundedOutput final : public itanium_demangle::OutputBuffer {
public:
  ~BoundedOutput() override { free(getBuffer()); }
  void printLeft(const itanium_demangle::Node &N) override {
    if (!full())
      OutputBuffer::printLeft(N);
  }
  void printRight(const itanium_demangle::Node &N) override {
    if (!full())
      OutputBuffer::printRight(N);
  }
  bool wasFull() const { return Full; }

private:
  bool full() {
    Full |= ++Steps > MostSteps || getCurrentPosition() > MostReadable;
    return Full;
  }
  size_t Steps = 0;
  bool Full = false;
};

bool isItanium(StringRef Name) {
  size_t Bars = Name.size() - Name.ltrim('_').size();
  return Bars >= 1 && Bars <= 4 && Name.drop_front(Bars).starts_with("Z");
}

/// Empty if the name cannot be demangled within the bounds.
std::string demangleItanium(StringRef Name) {
  itanium_demangle::ManglingParser<TreeMemory> Parser(Name.begin(), Name.end());
  itanium_demangle::Node *Tree = Parser.parse();
  if (!Tree)
    return {};
  BoundedOutput Out;
  Tree->print(Out);
  if (Out.wasFull())
    return {};
  return std::string(std::string_view(Out));
}

/// Empty if the name stays as it is. LLVM also knows names of Microsoft's
/// compiler, which no ELF file has.
std::string demangled(StringRef Name) {
  if (isItanium(Name))
    return demangleItanium(Name);
  if (Name.starts_with("_R") && !hasFewRustSteps(Name, MostSteps))
    return {};
  std::string Result;
  if (!nonMicrosoftDemangle(Name, Result, /*CanHaveLeadingDot=*/false) ||
      Result.size() > MostReadable)
    return {};
  return Result;
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
  if (Linked.size() <= MostOnThisStack)
    Result = demangled(Linked);
  else
    runOnNewStack(LargeStack, [&] { Result = demangled(Linked); });
  return printable(Result.empty() ? Linked : StringRef(Result));
}

} // namespace tp::trace
