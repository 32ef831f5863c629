// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The debug information of a binary: functions by address, and types, variables
// and constants by name. One thread at a time.
//
// LLVM keeps what it has parsed of a unit until its context is destroyed. So a
// file has one context after the other. An Entry keeps its context.

#ifndef TPCTL_TYPES_DEBUGFILE_H
#define TPCTL_TYPES_DEBUGFILE_H

#include "llvm/ADT/StringMap.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/DebugInfo/DWARF/DWARFDie.h"
#include "llvm/Object/ObjectFile.h"
#include <memory>
#include <optional>
#include <vector>

namespace tpctl::types {

/// An entry of the debug information.
struct Entry {
  std::shared_ptr<llvm::DWARFContext> Context;
  llvm::DWARFDie Die;

  explicit operator bool() const { return Die.isValid(); }
  /// Another entry of the same file.
  Entry with(llvm::DWARFDie Other) const { return {Context, Other}; }
  /// The entry that an attribute refers to, such as a type. May be invalid.
  Entry at(llvm::dwarf::Attribute) const;
  /// Its type, which may be told by the declaration or the abstract function
  /// that it completes. Invalid: void.
  Entry type() const;
  std::optional<uint64_t> number(llvm::dwarf::Attribute) const;
  bool flag(llvm::dwarf::Attribute) const;
  /// Its own name, or that of the entry that it completes.
  llvm::StringRef name() const;
};

/// The entries inside of an entry. LLVM's children() has no end if the debug
/// information is damaged.
std::vector<llvm::DWARFDie> childrenOf(const llvm::DWARFDie &);

class DebugFile {
public:
  /// Opens a binary or its debug file.
  static llvm::Expected<std::shared_ptr<DebugFile>> open(llvm::StringRef Path);

  /// The function that has code at an address of the file. Invalid if there is
  /// none.
  Entry functionAt(uint64_t Address);

  /// The number of the unit that has code at an address, for the functions
  /// below.
  std::optional<unsigned> unitAt(uint64_t Address);

  // By name, with namespaces: "ns::request". What the unit `In` defines goes
  // first. Source files may have different things of one name: they are
  // ambiguous to the other units, and not found.
  using UnitNumber = std::optional<unsigned>;
  /// The definition of a type. Invalid if there is none.
  Entry findType(llvm::StringRef Name, UnitNumber In = std::nullopt);
  /// A variable that is in memory all the time.
  Entry findVariable(llvm::StringRef Name, UnitNumber In = std::nullopt);
  /// An enumerator; the entry is that of the enumerator.
  Entry findEnumerator(llvm::StringRef Name, UnitNumber In = std::nullopt);
  /// Whether it is not found because there are different ones.
  bool isAmbiguous(llvm::StringRef Name);

private:
  /// Where an entry is: its unit, and its offset in the unit's section. The
  /// contents of a unit may be in another file (split DWARF).
  struct Place {
    unsigned Unit = 0;
    uint64_t Offset = 0;
    uint32_t Mark = 0; ///< differs between different things. 0: says nothing
    bool IsExternal = false; ///< of a variable: it is that of all units
    bool IsAmbiguous = false;
  };
  using Names = llvm::StringMap<Place>;
  struct Index {
    Names Types, Variables, Enumerators;
  };
  explicit DebugFile(llvm::object::OwningBinary<llvm::object::ObjectFile> File)
      : File(std::move(File)) {}
  std::shared_ptr<llvm::DWARFContext> context();
  void spend(uint64_t Bytes);
  static llvm::DWARFUnit *unitAt(llvm::DWARFContext &, Place);
  void readNames();
  void readNames(Index &, Place);
  static void readNames(Index &, const llvm::DWARFDie &Parent,
                        const std::string &Prefix, Place, unsigned Depth);
  static void readName(Index &, const llvm::DWARFDie &,
                       const std::string &Prefix, Place, unsigned Depth);
  static void add(Names &, llvm::StringRef Name, const Place &);
  Entry find(Names Index::*Kind, llvm::StringRef Name, UnitNumber In);

  llvm::object::OwningBinary<llvm::object::ObjectFile> File;
  std::shared_ptr<llvm::DWARFContext> Current;
  uint64_t Spent = 0; ///< the bytes of units that Current has parsed
  uint64_t LastUnit = UINT64_MAX;
  bool HasNames = false;
  Index All; ///< of all units
  Index Own; ///< of the unit OwnUnit
  UnitNumber OwnUnit;
};

} // namespace tpctl::types

#endif
