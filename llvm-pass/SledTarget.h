// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything that the passes and the emitter must know about a processor. Each
// processor implements this class in its file NAMESledTarget.cpp, and one line
// in SledTargets.def registers it. An implementation has no state, so all
// threads may use it.

#ifndef TP_SLEDTARGET_H
#define TP_SLEDTARGET_H

#include "EntrySpec.h"
#include "Export.h"
#include "SledSpec.h"
#include "llvm/IR/CallingConv.h"
#include "llvm/Support/Alignment.h"
#include <cstdint>
#include <optional>

namespace llvm {
class AsmPrinter;
class Constant;
class Function;
class LLVMContext;
class MachineFunction;
class MachineInstr;
class MCSymbol;
class TargetInstrInfo;
class TargetMachine;
class Triple;
class Type;
} // namespace llvm

namespace tp {

enum class SledLabel;

/// What is known about one function before the shape of its entry sled is
/// chosen.
struct EntryFacts {
  EntrySpec Spec;
  bool SlotAllowed;
  llvm::Align FunctionAlign; ///< as LLVM has it now
  llvm::Align Wanted;        ///< of the label: what source or flag ask for
  unsigned OwnPrefix;        ///< bytes of the program's own prefix data
  unsigned Signature;        ///< bytes of -fsanitize=function's signature
  bool HasTypeId;            ///< kcfi puts a type id before the label
  unsigned UpToSled;         ///< bytes from the label to the sled's first place
  bool IsRecursive;          ///< the function calls itself
};

struct EntryLayout {
  SledLayout Sled;
  unsigned Front = 0;     ///< bytes of padding at the lowest address
  unsigned SlotBytes = 0; ///< after the padding
  llvm::Align FunctionAlign;
};

/// How an exit sled is made.
struct ExitSled {
  enum Place {
    Instructions, ///< the sled's instructions follow its label already
    BeforeExit,   ///< the emitter writes the sled before the exit
    OverReturn    ///< the sled is the return, and dead bytes after it
  };
  unsigned Shape; ///< enum tprt_shape
  unsigned Bytes;
  Place Where;
};

/// What the unwind table says at a function's exit, after the epilogue.
enum class ExitUnwind {
  Right,
  /// The table still points to the stack slots from which the epilogue has
  /// popped registers.
  StaleRegisters,
  /// The table still describes the whole frame.
  KeepsFrame
};

/// The number of the opcode called \p Name, or the number of opcodes.
unsigned findOpcode(const llvm::TargetInstrInfo &TII, llvm::StringRef Name);

class SledTarget {
public:
  virtual ~SledTarget() = default;

  /// The processor of \p T, or null if its code gets no sleds.
  TP_EXPORT static const SledTarget *find(const llvm::Triple &T);
  /// The processor of \p MF. Our machine passes run only for supported
  /// processors.
  static const SledTarget &of(const llvm::MachineFunction &MF);
  /// The message if find() returns null.
  TP_EXPORT static std::string refusal(const llvm::Triple &T);

  /// The name in messages: "x86-64".
  virtual llvm::StringRef name() const = 0;
  /// \p T is for ELF.
  virtual bool handles(const llvm::Triple &T) const = 0;
  /// The message if code of \p TM cannot have sleds because of its ABI, or an
  /// empty string.
  virtual std::string abiRefusal(const llvm::TargetMachine &) const {
    return "";
  }

  // Instructions.

  /// True if the machine passes insert sleds as nop instructions. Otherwise the
  /// emitter writes the bytes of sleds.
  virtual bool sledsAreInstructions() const = 0;
  /// Opcodes are compared by name: their numbers are private to LLVM's targets,
  /// and the names are stable.
  virtual bool isReturn(llvm::StringRef Opcode) const;
  /// True for what LLVM keeps after a tail call and prints as a comment only.
  virtual bool isLeftover(llvm::StringRef) const { return false; }
  /// The bytes of the instruction \p Opcode, if the instruction may precede an
  /// entry sled, as a landing pad does.
  virtual std::optional<unsigned>
  landingPadBytes(llvm::StringRef Opcode) const = 0;
  /// Splits \p Exit, a conditional return or a conditional jump to another
  /// function. Afterwards a block contains an unconditional exit, and a
  /// conditional jump skips that block or leads to it. So the sled is executed
  /// only if the function is left. Returns the unconditional exit. Called only
  /// for processors with conditional exits.
  virtual llvm::MachineInstr &makeUnconditional(llvm::MachineInstr &Exit) const;

  // Before the entry label.

  virtual EntryLayout layOutEntry(const EntryFacts &X) const = 0;
  /// \p Count nops as data.
  virtual llvm::Constant *nopData(llvm::LLVMContext &Context,
                                  unsigned Count) const = 0;
  /// The content of padding and slots. No thread executes these bytes.
  virtual uint8_t deadByte() const = 0;

  // What the emitter writes. The functions with empty bodies here are needed
  // only if sleds are not instructions.

  /// Writes the bytes between the landing pad and the entry sled's label.
  virtual void emitBeforeEntry(llvm::AsmPrinter &, const SledLayout &) const {}
  virtual void emitEntry(llvm::AsmPrinter &, const SledLayout &) const {}
  /// The sled for an exit of kind \p Kind that begins with \p First.
  virtual ExitSled exitSled(const llvm::MachineInstr &First,
                            SledLabel Kind) const = 0;
  /// The distance from the slot of the exit \p Leaving, which is before the
  /// function, up to the entry label; 0 if the exit has no slot. \p Before is
  /// the number of all nops before the label, \p Entry the layout of the entry
  /// sled, and \p Earlier the number of exits that already have a slot.
  virtual unsigned exitSlot(const llvm::MachineInstr & /*Leaving*/,
                            const SledLayout & /*Entry*/, unsigned /*Before*/,
                            unsigned /*Earlier*/) const {
    return 0;
  }
  /// Aligns a sled of ExitSled::BeforeExit.
  virtual void alignExit(llvm::AsmPrinter &) const {}
  virtual void emitExit(llvm::AsmPrinter &) const {}
  /// Writes the dead bytes of ExitSled::OverReturn. The return has been written
  /// after the label \p Sled.
  virtual void emitAfterReturn(llvm::AsmPrinter &,
                               const llvm::MCSymbol &) const {}
  virtual ExitUnwind exitUnwind() const = 0;
  /// The name of the relocation that does nothing.
  virtual llvm::StringRef emptyRelocation() const = 0;

  // Registers, and what a handler must preserve: bits of enum
  // tprt_needs.

  /// True for calling conventions that pass and preserve the same registers as
  /// C's.
  virtual bool isUsualConvention(llvm::CallingConv::ID CC) const;
  /// Returns which state of the caller must be preserved, according to the
  /// attributes of \p F.
  virtual uint8_t attributeNeeds(const llvm::Function &) const { return 0; }
  /// Returns the needs of a value of type \p T, as bits of the record.
  virtual uint8_t scalarNeeds(const llvm::Type &) const { return 0; }
  /// Returns the needs of the register \p Kind followed by \p Number, such as
  /// "XMM" and 3, that is live at an exit. Registers without a number have
  /// number 0. \p IsReturn: the exit is a return, not a tail call.
  virtual uint8_t registerNeeds(llvm::StringRef Kind, unsigned Number,
                                bool IsReturn) const = 0;
  /// True if a fixed vector of more than 128 bits may be in one register.
  virtual bool hasWideVectors() const = 0;
  /// True if an integer of more than 64 bits begins at an even register.
  virtual bool pairsIntegers() const = 0;
  /// True if each argument has a place in an area in memory, and integer
  /// registers stand for the first places. So a floating-point argument uses up
  /// an integer register, and an argument that is a copy in memory may be in
  /// registers.
  virtual bool hasParameterArea() const { return false; }
  /// True if the pointer to a result in memory has a separate register.
  virtual bool hasResultPointerRegister() const = 0;
  /// Whether floating-point values are in vector registers, according to the
  /// function's list of target features.
  virtual bool hasHardFloat(llvm::StringRef Features) const = 0;
};

} // namespace tp

#endif
