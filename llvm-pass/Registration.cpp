// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hooks the passes and the emitter into the program that loaded this library:
// clang, llc, opt, ld.lld. Static initialisers register the hooks, before the
// compiler's main. Later, several ThinLTO threads may call the callback below
// at the same time.

#include "DecidePass.h"
#include "LlvmCompat.h"
#include "Opaque.h"
#include "PassRequirement.h"
#include "Passes.h"
#include "Settings.h"
#include "SledEmitter.h"
#include "SledSpec.h"
#include "SledTarget.h"

#include "llvm/CodeGen/AsmPrinter.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/InitializePasses.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/PassRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"
#include <map>
#include <mutex>

using namespace llvm;

namespace tp {
namespace {

std::mutex TargetsMutex;
/// The targets as they were before we replaced their AsmPrinter constructor.
/// Guarded by TargetsMutex; entries are never removed.
std::map<const Target *, Target> *Originals;

AsmPrinter *createPrinter(TargetMachine &TM,
                          std::unique_ptr<MCStreamer> &&Streamer) {
  const Target *Original;
  {
    std::lock_guard<std::mutex> Lock(TargetsMutex);
    Original = &Originals->at(&TM.getTarget());
  }
  AsmPrinter *AP = Original->createAsmPrinter(TM, std::move(Streamer));
  if (AP)
    addHandler(*AP, std::make_unique<SledEmitter>(*AP));
  return AP;
}

/// Gives every AsmPrinter for the target an emitter. Each thread calls this
/// function before it makes an AsmPrinter, so the lock orders the write of the
/// constructor before the thread's read.
void wrapPrinter(TargetMachine &TM) {
  auto &T = const_cast<Target &>(TM.getTarget());
  std::lock_guard<std::mutex> Lock(TargetsMutex);
  if (!Originals)
    Originals = new std::map<const Target *, Target>;
  if (Originals->emplace(&T, T).second)
    TargetRegistry::RegisterAsmPrinter(T, createPrinter);
}

/// The reason why a module for \p TM cannot have sleds, or an empty string.
std::string refusal(const TargetMachine &TM) {
  const SledTarget *Target = SledTarget::find(TM.getTargetTriple());
  if (!Target)
    return SledTarget::refusal(TM.getTargetTriple());
  if (std::string Refusal = Target->abiRefusal(TM); !Refusal.empty())
    return Refusal;
  if (TM.getCodeModel() == CodeModel::Large)
    return "tp: sleds are not supported with -mcmodel=large: the table's "
           "32-bit offsets may not reach; use small or medium";
  return "";
}

/// Takes the sleds from all functions, with one error for all of them.
void refuse(Module &M, const std::string &Refusal) {
  bool Found = false;
  for (Function &F : M) {
    Found |= entrySpecOf(F).has_value() || exitWanted(F);
    dropSleds(F);
  }
  if (Found)
    M.getContext().emitError(Refusal);
}

/// Runs at the start of code generation. Makes the missing decisions, and
/// undoes the changes that were only for the optimiser.
bool decideAtStart(TargetMachine &TM, Module &M) {
  // Device code has no sleds.
  if (isGPU(TM.getTargetTriple()))
    return false;
  Expected<Options> O = currentSettings();
  if (!O) {
    M.getContext().emitError("tp: " + toString(O.takeError()));
    return false;
  }
  O->AfterOptimiser = !O->NoPasses;
  bool Changed = decide(M, *O);
  if (std::string Refusal = refusal(TM); !Refusal.empty())
    refuse(M, Refusal);
  Changed |= unhide(M);
  return removePassRequirement(M) || Changed;
}

void configure(TargetMachine &TM, TargetPassConfig &Config) {
  if (!SledTarget::find(TM.getTargetTriple()))
    return;
  wrapPrinter(TM);
  Config.insertPass(&PatchableFunctionID, &SledPassID);
  Config.insertPass(&FuncletLayoutID, &LayoutPassID);
  Config.insertPass(&FuncletLayoutID, &ExitPassID);
}

} // namespace

static const bool Registered = [] {
  if (!isFirstCopy())
    return false;
  PassRegistry &Registry = *PassRegistry::getPassRegistry();
  registerSledPass(Registry);
  registerLayoutPass(Registry);
  registerExitPass(Registry);
  hookCodeGeneration(configure, decideAtStart);
  return true;
}();

} // namespace tp

namespace {

/// For IR, for which no frontend has decided. The pass decides by the command
/// line.
class DecideByCommandLine : public PassInfoMixin<DecideByCommandLine> {
public:
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &Analyses) {
    Expected<tp::Options> O = tp::currentSettings();
    if (!O)
      tp::reportUsageError(Twine("tp: ") + toString(O.takeError()));
    // If the same command also generates the code, code generation removes the
    // requirement.
    O->ToBitcode = !tp::frontend().Parsed;
    return tp::DecidePass(*O).run(M, Analyses);
  }
  static bool isRequired() { return true; }
};

void registerCallbacks(PassBuilder &PB) {
  if (tp::frontend().AtPipelineStart)
    return tp::addDecidePass(PB, *tp::frontend().AtPipelineStart);
  PB.registerPipelineStartEPCallback(
      [](ModulePassManager &MPM, OptimizationLevel) {
        MPM.addPass(DecideByCommandLine());
      });
  PB.registerPipelineParsingCallback(
      [](StringRef Name, ModulePassManager &MPM,
         ArrayRef<PassBuilder::PipelineElement>) {
        if (Name != "tp-decide")
          return false;
        MPM.addPass(DecideByCommandLine());
        return true;
      });
}

} // namespace

extern "C" TP_EXPORT PassPluginLibraryInfo llvmGetPassPluginInfo() {
  // opt and clang -fpass-plugin call this function. The passes of code
  // generation are registered already. `opt -passes=tp-decide` only makes the
  // decisions.
  return {LLVM_PLUGIN_API_VERSION, "tp", "0.1", registerCallbacks};
}
