// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Signatures.h. The calling convention tells where arguments are. But a
// compiler may change a function that only it calls: it leaves out arguments,
// or passes a member in place of a structure. So the location that the debug
// information has for the function's first instruction goes first, and
// functions that may be changed have no other.

#include "Signatures.h"

#include "BinaryFinder.h"
#include "DebugTypes.h"
#include "DwarfOperations.h"
#include "Variables.h"
#include "expressions/Locations.h"
#include "tprt/control_program.h"
#include "tprt/regs.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Object/BuildID.h"

using namespace llvm;
using namespace llvm::dwarf;

namespace tpctl::types {
namespace {

using expressions::ArgumentType;
using expressions::Location;
using expressions::Scope;
using expressions::Signature;
using expressions::Type;

/// The names in a binary's debug information.
class FileScope : public Scope {
public:
  FileScope(std::shared_ptr<DebugFile> File, uint64_t Base,
            std::optional<unsigned> Unit)
      : File(std::move(File)), Base(Base), Unit(Unit) {}

  std::optional<Type> findType(StringRef Name) const override {
    Entry Found = File->findType(Name, Unit);
    if (!Found)
      return std::nullopt;
    return typeOf(File, Found);
  }
  std::optional<Global> findGlobal(StringRef Name) const override;
  std::optional<std::pair<Type, uint64_t>>
  findConstant(StringRef Name) const override {
    Entry Found = File->findEnumerator(Name, Unit);
    if (!Found)
      return constantVariable(Name);
    Type T = typeOf(File, Found.with(Found.Die.getParent()));
    return std::pair(T, valueOf(Found, T));
  }

  std::string whyNoGlobal(StringRef Name) const override;
  bool isAmbiguous(StringRef Name) const override {
    return File->isAmbiguous(Name);
  }

private:
  std::optional<std::pair<Type, uint64_t>> constantVariable(StringRef) const;

  std::shared_ptr<DebugFile> File;
  uint64_t Base;
  std::optional<unsigned> Unit; ///< that of the function
};

/// A constant of which the debug information has the value, and that needs no
/// memory.
std::optional<std::pair<Type, uint64_t>>
FileScope::constantVariable(StringRef Name) const {
  Entry Found = File->findVariable(Name, Unit);
  if (!Found || Found.Die.find(DW_AT_location) ||
      !Found.number(DW_AT_const_value))
    return std::nullopt;
  Type T = typeOf(File, Found.type());
  if (!T.isScalar() || T.IsReference || T.isFloating() || T.isPointer())
    return std::nullopt;
  return std::pair(T, valueOf(Found, T));
}

std::string FileScope::whyNoGlobal(StringRef Name) const {
  Entry Found = File->findVariable(Name, Unit);
  if (!Found)
    return "";
  auto Where = Found.Die.find(DW_AT_location);
  auto Bytes = Where ? Where->getAsBlock() : std::nullopt;
  // DWARF 5, section 2.5.1.1: DW_OP_form_tls_address. GNU's is older.
  for (const auto &Each : Bytes ? operationsOf(Found.Die, *Bytes)
                                : std::vector<DWARFExpression::Operation>())
    if (Each.getCode() == DW_OP_form_tls_address ||
        Each.getCode() == DW_OP_GNU_push_tls_address)
      return "each thread has its own, and the debug information does not tell "
             "where";
  return "it is a constant without an address";
}

std::optional<Scope::Global> FileScope::findGlobal(StringRef Name) const {
  Entry Found = File->findVariable(Name, Unit);
  if (!Found)
    return std::nullopt;
  auto Where = Found.Die.find(DW_AT_location);
  auto Bytes = Where ? Where->getAsBlock() : std::nullopt;
  if (!Bytes)
    return std::nullopt;
  // A variable of a thread has more than an address.
  auto All = operationsOf(Found.Die, *Bytes);
  if (All.size() != 1)
    return std::nullopt;
  auto Address = addressOf(Found.Die, All[0]);
  if (!Address)
    return std::nullopt;
  return Scope::Global{typeOf(File, Found.type()), *Address + Base};
}

/// The argument register of a number that DWARF uses: psABI x86-64,
/// figure 3.36, and "DWARF for the Arm 64-bit Architecture", section 4.1.
std::optional<Location::Piece> argumentRegister(uint64_t Number) {
  static constexpr uint8_t Integers[] = {5, 4, 1, 2, 8, 9};
  Location::Piece P;
  if (TPRT_ARGUMENT_REGISTERS != 6) {
    if (Number < 8)
      P = {TPRT_PROGRAM_ARGUMENT, static_cast<int32_t>(Number)};
    else if (Number >= 64 && Number < 72)
      P = {TPRT_PROGRAM_FLOAT_ARGUMENT, static_cast<int32_t>(Number - 64)};
    else
      return std::nullopt;
    return P;
  }
  const auto *Found = find(Integers, Number);
  if (Found != std::end(Integers))
    P = {TPRT_PROGRAM_ARGUMENT, static_cast<int32_t>(Found - Integers)};
  else if (Number >= 17 && Number < 25)
    P = {TPRT_PROGRAM_FLOAT_ARGUMENT, static_cast<int32_t>(Number - 17)};
  else
    return std::nullopt;
  return P;
}

/// Registers, and registers in pieces, of a value at the function's entry;
/// nothing for all other locations.
std::optional<Location> readLocation(const DWARFDie &Die,
                                     ArrayRef<uint8_t> Bytes, const Type &T) {
  Location L;
  uint64_t Offset = 0;
  auto All = operationsOf(Die, Bytes);
  for (size_t I = 0; I < All.size(); ++I) {
    // The optimizer has put a member in place of the structure, which is said
    // as a piece without a register.
    if (All[I].getCode() == DW_OP_piece) {
      Offset += All[I].getRawOperand(0);
      continue;
    }
    auto Number = registerOf(All[I]);
    auto P = Number ? argumentRegister(*Number) : std::nullopt;
    bool IsAddress = false;
    // The object is where the register points to.
    if (!P && All.size() == 1 && All[I].getCode() >= DW_OP_breg0 &&
        All[I].getCode() <= DW_OP_breg31 && !All[I].getRawOperand(0)) {
      P = argumentRegister(All[I].getCode() - DW_OP_breg0);
      IsAddress = true;
    }
    if (!P || (IsAddress && P->Code != TPRT_PROGRAM_ARGUMENT))
      return std::nullopt;
    L.IsAddress = IsAddress;
    P->Offset = Offset;
    bool HasPiece = I + 1 < All.size() && All[I + 1].getCode() == DW_OP_piece;
    if (!HasPiece && All.size() != 1)
      return std::nullopt;
    P->Bytes = HasPiece ? All[I + 1].getRawOperand(0) : 8;
    L.Pieces.push_back(*P);
  }
  if (L.Pieces.empty())
    return std::nullopt;
  // A scalar is in one register.
  bool IsScalar = T.IsReference || T.isScalar();
  if (!L.IsAddress && IsScalar && (L.Pieces.size() != 1 || L.Pieces[0].Offset))
    return std::nullopt;
  if (IsScalar && L.IsAddress)
    return std::nullopt;
  return L;
}

/// Where an argument is at the function's first instruction. nullopt: the debug
/// information says nothing that is of use there. `IsThere`: the argument has a
/// location at that instruction.
std::optional<Location> locationAtEntry(const DWARFDie &Argument,
                                        uint64_t Address, const Type &T,
                                        bool &IsThere) {
  IsThere = false;
  if (!Argument.find(DW_AT_location))
    return std::nullopt;
  auto All = Argument.getLocations(DW_AT_location);
  if (!All) {
    consumeError(All.takeError());
    return std::nullopt;
  }
  for (const DWARFLocationExpression &Each : *All)
    if (!Each.Range ||
        (Each.Range->LowPC <= Address && Address < Each.Range->HighPC)) {
      IsThere = true;
      return readLocation(Argument, Each.Expr, T);
    }
  return std::nullopt;
}

/// Whether a compiler has changed how the function is called. GCC renames such
/// functions; LLVM marks them.
bool isChanged(const Entry &Function, StringRef Linked) {
  for (StringRef Mark : {".isra.", ".constprop.", ".part."})
    if (Linked.contains(Mark))
      return true;
  return Function.number(DW_AT_calling_convention) == uint64_t{DW_CC_nocall};
}

Location leftOut() {
  Location L;
  L.Why = "the compiler has left it out, or passes it in another way";
  return L;
}

/// Callers that use no result, or a part of it, let compilers leave it out.
/// Nothing says whether they did.
Location resultLeftOut() {
  Location L;
  L.Why = "the compiler has changed this function, and may have left out its "
          "result";
  return L;
}

enum class Changed { No, Perhaps, Yes };

void addArgument(Signature &S, const std::shared_ptr<DebugFile> &File,
                 const Entry &Argument, uint64_t Address, Changed How) {
  ArgumentType A;
  A.Name = Argument.name().str();
  Entry Of = Argument.type();
  A.T = typeOf(File, Of);
  A.T.Spelling = nameOf(Of);
  bool IsThere;
  A.Where = locationAtEntry(Argument.Die, Address, A.T, IsThere);
  if (!A.Where &&
      (How == Changed::Yes || (How == Changed::Perhaps && !IsThere)))
    A.Where = leftOut();
  S.Arguments.push_back(std::move(A));
}

/// Whether the debug information only repeats a part of what the calling
/// convention tells. It leaves out members that the function does not use.
bool agrees(const Location &Told, const Location &Convention) {
  return Told.IsAddress == Convention.IsAddress &&
         all_of(Told.Pieces, [&](const Location::Piece &P) {
           return any_of(Convention.Pieces, [&](const Location::Piece &Q) {
             return P.Code == Q.Code && P.Number == Q.Number &&
                    P.Offset == Q.Offset;
           });
         });
}

/// How many arguments a C++ name encodes, without `this`; nothing if it is no
/// such name.
std::optional<size_t> argumentsOfName(const char *Linked) {
  ItaniumPartialDemangler Demangler;
  if (!Linked || Demangler.partialDemangle(Linked) || !Demangler.isFunction())
    return std::nullopt;
  char *Text = Demangler.getFunctionParameters(nullptr, nullptr);
  StringRef All = Text ? Text : "";
  size_t Count = 0, Depth = 0;
  for (StringRef Rest = All; !Rest.empty(); Rest = Rest.drop_front()) {
    Depth += StringRef("(<[{").contains(Rest[0]);
    Depth -= Depth && StringRef(")>]}").contains(Rest[0]);
    Count += Depth == 1 && Rest[0] == ',';
  }
  bool IsNone = All.empty() || All == "()";
  bool IsVariadic = All.ends_with("...)");
  std::free(Text);
  return IsNone ? 0 : Count + 1 - IsVariadic;
}

/// clang describes no argument without a location, as it leaves them if it does
/// not optimize. So the calling convention does not tell where others are.
void refuseIfIncomplete(Signature &S, const Entry &Function) {
  auto Wanted = argumentsOfName(Function.Die.getLinkageName());
  auto Children = childrenOf(Function.Die);
  auto Told = count_if(Children, [&](const DWARFDie &Child) {
    return Child.getTag() == DW_TAG_formal_parameter &&
           !Function.with(Child).flag(DW_AT_artificial);
  });
  if (!Wanted || static_cast<size_t>(Told) >= *Wanted)
    return;
  for (ArgumentType &A : S.Arguments)
    if (!A.Where) {
      A.Where.emplace();
      A.Where->Why = "the debug information leaves out another argument of "
                     "this function";
    }
}

/// Whether a function's language passes all of its arguments as C does. Others
/// do so only with numbers and pointers, and Fortran passes addresses of them.
bool isCalledAsC(const Signature &S, const Entry &Function) {
  DWARFDie Root = Function.Die.getDwarfUnit()->getUnitDIE();
  auto Language = toUnsigned(Root.find(DW_AT_language), DW_LANG_C);
  StringRef Name = LanguageString(static_cast<unsigned>(Language));
  Name.consume_front("DW_LANG_");
  for (StringRef Each : {"C", "ObjC", "Ada", "OpenCL"})
    if (Name == Each || (Name.starts_with(Each) && !isLower(Name[Each.size()])))
      return true;
  auto isPlain = [](const Type &T) { return T.IsReference || T.isScalar(); };
  return !Name.starts_with("Fortran") &&
         all_of(S.Arguments,
                [&](const ArgumentType &A) { return isPlain(A.T); }) &&
         (!S.Result || isPlain(*S.Result));
}

/// Only what has a location at the function's entry is known.
void refuseOthers(Signature &S) {
  Location Unknown;
  Unknown.Why = "how the language of this function passes it is unknown";
  for (ArgumentType &A : S.Arguments)
    if (!A.Where)
      A.Where = Unknown;
  if (S.Result && !S.Result->isScalar())
    S.ResultWhere = Unknown;
}

/// The file that has the debug information of a binary, or an error.
Expected<std::string> findDebugFile(StringRef Path, StringRef Shown) {
  auto Own = object::ObjectFile::createObjectFile(Path);
  if (!Own)
    return createStringError(Shown +
                             " cannot be read: " + toString(Own.takeError()));
  tp::trace::Module M;
  M.Path = Path.str();
  M.BuildId = toHex(object::getBuildID(Own->getBinary()), /*LowerCase=*/true);
  auto Found = tp::trace::BinaryFinder({"/usr/lib/debug"}).find(M);
  if (Found.What == tp::trace::FoundBinary::Found && Found.HasLines)
    return Found.Path;
  return createStringError(Shown + " has no debug information" +
                           (M.BuildId.size() > 2
                                ? ", and /usr/lib/debug/.build-id/" +
                                      M.BuildId.substr(0, 2) + "/" +
                                      M.BuildId.substr(2) +
                                      ".debug is not there: install its "
                                      "-dbgsym or -debuginfo package"
                                : ": compile with -g"));
}

} // namespace

Binary::Binary(StringRef Path, std::string Name)
    : Shown(std::move(Name)), Frames(Path.str()) {
  auto Found = findDebugFile(Path, Shown);
  if (!Found) {
    WhyNot = toString(Found.takeError());
    return;
  }
  auto Opened = DebugFile::open(*Found);
  if (Opened)
    File = std::move(*Opened);
  else
    WhyNot = *Found + " cannot be read: " + toString(Opened.takeError());
}

Signature Binary::signatureAt(uint64_t Address, uint64_t Base,
                              StringRef Linked) {
  Signature S;
  S.Function = Linked.str();
  S.WhyUnknown = WhyNot;
  if (!File)
    return S;
  S.Names = std::make_shared<FileScope>(File, Base, File->unitAt(Address));
  Entry Function = File->functionAt(Address);
  if (!Function) {
    S.WhyUnknown =
        "the debug information of " + Shown + " does not have " + Linked.str();
    return S;
  }
  if (StringRef Name = Function.name(); !Name.empty())
    S.Function = Name.str();
  // Only the compiler knows who calls a function that is not external.
  Changed How = isChanged(Function, Linked)     ? Changed::Yes
                : Function.flag(DW_AT_external) ? Changed::No
                                                : Changed::Perhaps;
  for (DWARFDie Child : childrenOf(Function.Die))
    if (Child.getTag() == DW_TAG_formal_parameter)
      addArgument(S, File, Function.with(Child), Address, How);
    else if (Child.getTag() == DW_TAG_unspecified_parameters)
      S.IsVariadic = true;
  Type Result = typeOf(File, Function.type());
  S.IsVoid = Result.isVoid();
  if (!S.IsVoid)
    S.Result = std::move(Result);
  if (How == Changed::Yes) {
    // GCC's copies for constant arguments return what the original does.
    bool IsForConstants = !Linked.contains(".isra.") &&
                          !Linked.contains(".part.") &&
                          Linked.contains(".constprop.");
    if (S.Result && !IsForConstants)
      S.ResultWhere = resultLeftOut();
    return S;
  }
  refuseIfIncomplete(S, Function);
  if (!isCalledAsC(S, Function))
    refuseOthers(S);
  auto Convention = locateArguments(S, expressions::Target::host());
  for (auto [A, Where] : zip(S.Arguments, Convention))
    if (A.Where && !A.Where->Pieces.empty() && agrees(*A.Where, Where))
      A.Where.reset();
  return S;
}

void Binary::addNames(Signature &S, uint64_t Address, uint64_t Base) {
  if (File)
    S.Names = std::make_shared<FileScope>(File, Base, File->unitAt(Address));
}

std::shared_ptr<const Scope> Binary::names(uint64_t Base) const {
  return File ? std::make_shared<FileScope>(File, Base, std::nullopt) : nullptr;
}

Signature Binary::variablesAt(uint64_t Address, uint64_t Base,
                              StringRef Place) {
  Signature S;
  S.At = expressions::Site::Instruction;
  S.Function = Place.str();
  S.WhyUnknown = WhyNot;
  if (!File)
    return S;
  addNames(S, Address, Base);
  Entry Function = File->functionAt(Address);
  if (!Function) {
    S.WhyUnknown =
        "the debug information of " + Shown + " does not have " + Place.str();
    return S;
  }
  addVariables(S, File, Function, {Address, Base}, Frames);
  return S;
}

} // namespace tpctl::types
