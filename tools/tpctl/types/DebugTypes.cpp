// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See DebugTypes.h. DWARF 5, chapter 5 ("Type Entries").

#include "DebugTypes.h"

#include "llvm/DebugInfo/DWARF/DWARFUnit.h"

using namespace llvm;
using namespace llvm::dwarf;

namespace tpctl::types {

std::string nameOf(const Entry &Type) {
  std::string Name;
  raw_string_ostream OS(Name);
  // A definition outside of its namespace refers to the declaration there.
  Entry Declared = Type.at(DW_AT_specification);
  dumpTypeQualifiedName((Declared ? Declared : Type).Die, OS);
  return Name;
}

namespace {

using expressions::Enumerator;
using expressions::Layout;
using expressions::Member;
using expressions::Type;

/// Types may refer to types endlessly only if the debug information is damaged.
constexpr unsigned MostDepth = 64;

class Reader {
public:
  explicit Reader(std::shared_ptr<DebugFile> File) : File(std::move(File)) {}
  Type read(const Entry &Of, unsigned Depth = 0);

private:
  Type base(const Entry &Of);
  Type enumeration(const Entry &Of);
  Type record(const Entry &Of);
  Type array(const Entry &Of, unsigned Depth);
  Type other(std::string Name);
  std::shared_ptr<const Layout> definitionOf(const std::string &Name);

  std::shared_ptr<DebugFile> File;
};

Type Reader::other(std::string Name) {
  Type T;
  T.Base = Type::Other;
  T.Spelling = std::move(Name);
  return T;
}

Type Reader::base(const Entry &Of) {
  uint64_t Bytes = Of.number(DW_AT_byte_size).value_or(0);
  bool Fits = Bytes == 1 || Bytes == 2 || Bytes == 4 || Bytes == 8;
  Type T = Type::integer(static_cast<unsigned>(Fits ? 8 * Bytes : 64), true);
  switch (Of.number(DW_AT_encoding).value_or(0)) {
  case DW_ATE_boolean:
    T = {Type::Bool, false, 8, 0, {}};
    Fits = Bytes == 1;
    break;
  case DW_ATE_float:
    Fits = Bytes == 4 || Bytes == 8;
    T = Type::floating(Fits ? static_cast<unsigned>(8 * Bytes) : 64);
    break;
  case DW_ATE_signed_char:
  case DW_ATE_unsigned_char:
    if (Of.name() == "char")
      T = {Type::Char, true, 8, 0, {}};
    else
      T.Signed = Of.number(DW_AT_encoding) == uint64_t{DW_ATE_signed_char};
    break;
  case DW_ATE_signed:
    break;
  case DW_ATE_unsigned:
  case DW_ATE_UTF:
  case DW_ATE_UCS:
  case DW_ATE_ASCII:
    T.Signed = false;
    break;
  default:
    Fits = false;
    break;
  }
  if (!Fits)
    return other(Of.name().str());
  T.Spelling = Of.name().str();
  return T;
}

Type Reader::enumeration(const Entry &Of) {
  auto Known = std::make_shared<Layout>();
  Known->Name = nameOf(Of);
  Known->Bytes = Of.number(DW_AT_byte_size).value_or(4);
  Type T;
  T.Base = Type::Enumeration;
  T.Bits = static_cast<uint8_t>(8 * std::min<uint64_t>(Known->Bytes, 8));
  // The underlying type tells the sign. In C, an enumeration is signed only if
  // one of its values is below 0.
  T.Signed = false;
  if (Entry Underlying = Of.at(DW_AT_type))
    T.Signed = read(Underlying).isSigned(expressions::Target::host());
  else
    for (DWARFDie Child : childrenOf(Of.Die))
      if (auto Value = Child.find(DW_AT_const_value))
        T.Signed |= !Value->getAsUnsignedConstant() &&
                    Value->getAsSignedConstant().value_or(0) < 0;
  for (DWARFDie Child : childrenOf(Of.Die))
    if (Child.getTag() == DW_TAG_enumerator)
      Known->Enumerators.push_back(
          {Of.with(Child).name().str(), valueOf(Of.with(Child), T)});
  T.Of = std::move(Known);
  return T;
}

/// Whether C++ passes such objects by address (Itanium C++ ABI, section 3.1.1:
/// "non-trivial for the purposes of calls"). If the compiler does not tell,
/// destructors, copy and move constructors of its own, and virtual functions
/// do.
bool isPassedByAddress(const Entry &Of, unsigned Depth = 0) {
  if (auto Told = Of.number(DW_AT_calling_convention)) {
    if (*Told == DW_CC_pass_by_reference)
      return true;
    if (*Told == DW_CC_pass_by_value)
      return false;
  }
  if (Depth > 16)
    return false;
  StringRef Own = Of.name().split('<').first;
  for (DWARFDie Child : childrenOf(Of.Die)) {
    Entry Each = Of.with(Child);
    switch (Child.getTag()) {
    case DW_TAG_inheritance:
    case DW_TAG_member: {
      Entry T = Each.at(DW_AT_type);
      bool IsRecord = T && (T.Die.getTag() == DW_TAG_structure_type ||
                            T.Die.getTag() == DW_TAG_class_type);
      if (IsRecord && !Child.find(DW_AT_external) &&
          isPassedByAddress(T, Depth + 1))
        return true;
      if (Each.name().starts_with("_vptr"))
        return true;
      break;
    }
    case DW_TAG_subprogram: {
      bool IsPlain = Each.number(DW_AT_defaulted).value_or(DW_DEFAULTED_no) ==
                     DW_DEFAULTED_in_class;
      if (Child.find(DW_AT_virtuality) ||
          (Each.name().starts_with("~") && !IsPlain &&
           !Each.flag(DW_AT_artificial)))
        return true;
      // A constructor whose only argument after `this` is such an object.
      if (Each.name().split('<').first != Own || IsPlain ||
          Each.flag(DW_AT_artificial))
        break;
      SmallVector<DWARFDie> Arguments;
      for (DWARFDie Inner : childrenOf(Child))
        if (Inner.getTag() == DW_TAG_formal_parameter)
          Arguments.push_back(Inner);
      if (Arguments.size() != 2)
        break;
      Entry T = Of.with(Arguments[1]).at(DW_AT_type);
      if (!T || (T.Die.getTag() != DW_TAG_reference_type &&
                 T.Die.getTag() != DW_TAG_rvalue_reference_type))
        break;
      T = T.at(DW_AT_type);
      if (T && T.Die.getTag() == DW_TAG_const_type)
        T = T.at(DW_AT_type);
      if (T && T.Die.getOffset() == Of.Die.getOffset())
        return true;
      break;
    }
    default:
      break;
    }
  }
  return false;
}

/// What `alignas` asks for, or 0.
uint64_t askedAlignment(const Entry &Of, unsigned Depth = 0) {
  if (!Of || Depth > 16)
    return 0;
  uint64_t Asked = Of.number(DW_AT_alignment).value_or(0);
  switch (Of.Die.getTag()) {
  case DW_TAG_typedef:
  case DW_TAG_const_type:
  case DW_TAG_volatile_type:
  case DW_TAG_atomic_type:
  case DW_TAG_array_type:
  case DW_TAG_member:
  case DW_TAG_inheritance:
    return std::max(Asked, askedAlignment(Of.at(DW_AT_type), Depth + 1));
  case DW_TAG_structure_type:
  case DW_TAG_class_type:
  case DW_TAG_union_type:
    for (DWARFDie Child : childrenOf(Of.Die))
      if (bool IsStatic =
              Child.find(DW_AT_external) || Child.find(DW_AT_declaration);
          !IsStatic && (Child.getTag() == DW_TAG_member ||
                        Child.getTag() == DW_TAG_inheritance))
        Asked = std::max(Asked, askedAlignment(Of.with(Child), Depth + 1));
    return Asked;
  default:
    return Asked;
  }
}

/// See Layout::Alignment. DW_AT_alignment is of DWARF 5. GCC tells it always,
/// clang not for structures.
uint64_t alignmentOf(const Entry &Record) {
  DWARFUnit *Unit = Record.Die.getDwarfUnit();
  StringRef Producer = toStringRef(Unit->getUnitDIE().find(DW_AT_producer), "");
  bool IsTold = Producer.starts_with("GNU ") && Unit->getVersion() >= 5;
  uint64_t Asked = askedAlignment(Record);
  return Asked || IsTold ? std::max<uint64_t>(Asked, 8) : 0;
}

/// Where a member is (DWARF 5, section 5.7.6, and DWARF 4 for DW_AT_bit_offset,
/// which counts from the highest bit of the storage).
void locate(const Entry &Of, Member &M) {
  M.Offset = Of.number(DW_AT_data_member_location).value_or(0);
  uint64_t Bits = Of.number(DW_AT_bit_size).value_or(0);
  if (!Bits)
    return;
  uint64_t Storage = 8 * std::max<uint64_t>(M.T.bytes(), 1);
  uint64_t First = 8 * M.Offset;
  if (auto At = Of.number(DW_AT_data_bit_offset))
    First = *At;
  else if (auto FromTop = Of.number(DW_AT_bit_offset))
    First +=
        8 * Of.number(DW_AT_byte_size).value_or(Storage / 8) - *FromTop - Bits;
  M.Offset = First / Storage * (Storage / 8);
  M.FirstBit = static_cast<unsigned>(First % Storage);
  M.BitCount = static_cast<unsigned>(Bits);
}

std::vector<Member> readMembers(const std::shared_ptr<DebugFile> &File,
                                const Entry &Of) {
  std::vector<Member> Result;
  for (DWARFDie Child : childrenOf(Of.Die)) {
    bool IsBase = Child.getTag() == DW_TAG_inheritance;
    if (!IsBase && Child.getTag() != DW_TAG_member)
      continue;
    Entry Each = Of.with(Child);
    // Static members, and virtual base classes, whose offset is computed.
    bool HasPlace =
        !Child.find(DW_AT_external) && !Child.find(DW_AT_declaration);
    auto Where = Child.find(DW_AT_data_member_location);
    HasPlace &= !Where || !Where->getAsBlock();
    if (!HasPlace)
      continue;
    Member M;
    M.Name = IsBase ? "" : Each.name().str();
    M.T = typeOf(File, Each.at(DW_AT_type));
    locate(Each, M);
    Result.push_back(std::move(M));
  }
  return Result;
}

/// libstdc++'s std::string, which programs that clang compiled only declare:
/// <bits/basic_string.h> of GCC 5 and later.
std::shared_ptr<const Layout> standardLayout(StringRef Name) {
  if (!Name.starts_with("std::__cxx11::basic_string<char,"))
    return nullptr;
  auto Pointer = std::make_shared<Layout>();
  Pointer->Bytes = 8;
  Type Char{Type::Char, true, 8, 1, {}};
  Pointer->Read = [Char] { return std::vector<Member>{{"_M_p", Char, 0}}; };
  auto Known = std::make_shared<Layout>();
  Known->Name = Name.str();
  Known->Bytes = 32;
  Known->IsByAddress = true;
  Known->Read = [Pointer] {
    Type Inner;
    Inner.Base = Type::Record;
    Inner.Of = Pointer;
    return std::vector<Member>{
        {"_M_dataplus", Inner, 0},
        {"_M_string_length", Type::integer(64, false), 8}};
  };
  return Known;
}

std::shared_ptr<const Layout> Reader::definitionOf(const std::string &Name) {
  if (auto Known = standardLayout(Name))
    return Known;
  Entry Found = File->findType(Name);
  if (!Found)
    return nullptr;
  return read(Found).Of;
}

Type Reader::record(const Entry &Of) {
  auto Known = std::make_shared<Layout>();
  Known->Name = nameOf(Of);
  Known->Bytes = Of.number(DW_AT_byte_size).value_or(0);
  Known->IsUnion = Of.Die.getTag() == DW_TAG_union_type;
  Known->IsIncomplete = Of.Die.find(DW_AT_declaration).has_value();
  if (Known->IsIncomplete)
    Known->FindDefinition = [Self = *this, Name = Known->Name]() mutable {
      return Self.definitionOf(Name);
    };
  else
    Known->IsByAddress = isPassedByAddress(Of);
  Known->Alignment = alignmentOf(Of);
  Known->Read = [File = File, Of] { return readMembers(File, Of); };
  Type T;
  T.Base = Type::Record;
  T.Of = std::move(Known);
  return T;
}

/// One subrange for each dimension (DWARF 5, section 5.5).
Type Reader::array(const Entry &Of, unsigned Depth) {
  SmallVector<uint64_t> Counts;
  for (DWARFDie Child : childrenOf(Of.Die)) {
    if (Child.getTag() != DW_TAG_subrange_type)
      continue;
    Entry Range = Of.with(Child);
    auto Count = Range.number(DW_AT_count);
    if (auto Last = Range.number(DW_AT_upper_bound); Last && !Count)
      Count = *Last + 1;
    Counts.push_back(Count.value_or(0));
  }
  if (Of.flag(DW_AT_GNU_vector) || Counts.empty()) {
    Type T = other(nameOf(Of));
    auto Known = std::make_shared<Layout>();
    Known->Bytes = Of.number(DW_AT_byte_size).value_or(0);
    for (uint64_t Count : Counts)
      if (!Known->Bytes)
        Known->Bytes = Count * read(Of.at(DW_AT_type), Depth + 1).bytes();
    T.Of = std::move(Known);
    return T;
  }
  Type T = read(Of.at(DW_AT_type), Depth + 1);
  for (uint64_t Count : reverse(Counts)) {
    auto Known = std::make_shared<Layout>();
    Known->Count = Count;
    Known->Bytes = Count * T.bytes();
    Known->Element = std::move(T);
    T = Type();
    T.Base = Type::Array;
    T.Of = std::move(Known);
  }
  return T;
}

Type Reader::read(const Entry &Of, unsigned Depth) {
  if (!Of)
    return {Type::Void, false, 8, 0, {}};
  if (Depth > MostDepth)
    return other("type that refers to itself");
  switch (Of.Die.getTag()) {
  case DW_TAG_base_type:
    return base(Of);
  case DW_TAG_enumeration_type:
    return enumeration(Of);
  case DW_TAG_structure_type:
  case DW_TAG_class_type:
  case DW_TAG_union_type:
    return record(Of);
  case DW_TAG_array_type:
    return array(Of, Depth);
  case DW_TAG_pointer_type:
  case DW_TAG_reference_type:
  case DW_TAG_rvalue_reference_type: {
    Type T = read(Of.at(DW_AT_type), Depth + 1);
    bool IsReference = Of.Die.getTag() != DW_TAG_pointer_type;
    T.Spelling.clear();
    // There are no pointers to references.
    if (IsReference)
      T.IsReference = true;
    else
      T = T.pointer();
    return T;
  }
  case DW_TAG_const_type:
  case DW_TAG_volatile_type:
  case DW_TAG_restrict_type:
  case DW_TAG_atomic_type:
    return read(Of.at(DW_AT_type), Depth + 1);
  case DW_TAG_typedef: {
    Type T = read(Of.at(DW_AT_type), Depth + 1);
    T.Spelling = nameOf(Of);
    return T;
  }
  case DW_TAG_unspecified_type: // decltype(nullptr)
    return {Type::Void, false, 8, 1, "std::nullptr_t"};
  default:
    return other(nameOf(Of));
  }
}

} // namespace

Type typeOf(const std::shared_ptr<DebugFile> &File, const Entry &Of) {
  return Reader(File).read(Of);
}

uint64_t valueOf(const Entry &Enumerator, const Type &T) {
  return normal(Enumerator.number(DW_AT_const_value).value_or(0), T,
                expressions::Target::host());
}

} // namespace tpctl::types
