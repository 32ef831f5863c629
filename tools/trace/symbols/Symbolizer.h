// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks up names, files and lines of functions, and the functions that were
// inlined at an address. LLVM's symbolizer reads this data from binaries and
// their debug files. One object serves any number of recordings, and looks up
// each address once. Not thread-safe.

#ifndef TP_TRACE_SYMBOLIZER_H
#define TP_TRACE_SYMBOLIZER_H

#include "BinaryFinder.h"
#include <functional>
#include <map>

namespace llvm {
class DIInliningInfo;
namespace symbolize {
class LLVMSymbolizer;
}
} // namespace llvm

namespace tp::trace {

/// A function, and a place in it.
struct SourceFrame {
  std::string Function; ///< demangled; empty if it is not known
  std::string File;     ///< empty if it is not known
  uint32_t Line = 0;
};

class Symbolizer {
public:
  /// Gets messages for the user, each only once.
  using Teller = std::function<void(const llvm::Twine &)>;

  /// `Asked` says that the user wants lines. If a file has no lines, a message
  /// gives the reason.
  Symbolizer(BinaryFinder Where, bool Asked, Teller Tell);
  ~Symbolizer();
  Symbolizer(const Symbolizer &) = delete;
  Symbolizer &operator=(const Symbolizer &) = delete;

  /// Called from time to time while many addresses are looked up.
  static inline BlockFile::ProgressFunction *OnProgress = nullptr;

  /// Gives functions without a name the names that their binaries have.
  void nameFunctions(Tables &Names);
  /// Looks up the lines of many functions in the order of their addresses.
  /// Single lookups in another order would be slower.
  void prepare(const Tables &Names, std::vector<FunctionId> Functions);
  /// Where a function begins. The reference stays valid.
  const SourceFrame &lineOf(const Tables &Names, FunctionId F);
  /// The functions at an address of a module: the innermost inlined function
  /// first, and last the function that was really called. Empty if unknown. The
  /// reference stays valid.
  const std::vector<SourceFrame> &framesAt(const Module &M, uint64_t Address);
  /// The function or the variable at an address of a module, and the distance
  /// from its beginning, as in name+0x8. Empty if unknown.
  std::string symbolAt(const Module &M, uint64_t Address);

private:
  struct Binary;
  Binary &binaryOf(const Module &M);
  void tellHowFound(const Module &M, const FoundBinary &Found);
  llvm::symbolize::LLVMSymbolizer &engine();
  llvm::DIInliningInfo lookUp(Binary &B, uint64_t Address);
  std::string nameAt(Binary &B, uint64_t Address);
  const SourceFrame &lineAt(Binary &B, uint64_t Address);
  void boundMemory();
  void forget();

  BinaryFinder Where;
  const bool Asked;
  Teller Tell;
  std::unique_ptr<llvm::symbolize::LLVMSymbolizer> Engine;
  size_t LookUps = 0, MemoryBefore = 0;
  /// By path and build-id.
  std::map<std::pair<std::string, std::string>, std::unique_ptr<Binary>>
      Binaries;
};

} // namespace tp::trace

#endif
