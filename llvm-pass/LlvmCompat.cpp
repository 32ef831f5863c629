// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See LlvmCompat.h.

#include "LlvmCompat.h"

#include "llvm/CodeGen/AsmPrinter.h"
#include "llvm/CodeGen/MachineDominators.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineLoopInfo.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/LegacyPassManagers.h"
#include "llvm/IR/Module.h"
#include "llvm/InitializePasses.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/PassInfo.h"
#include "llvm/PassRegistry.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Triple.h"
#if LLVM_VERSION_MAJOR == 19
#include "llvm/CodeGen/DebugHandlerBase.h"
#endif
#if LLVM_VERSION_MAJOR >= 21
#include "llvm/Target/RegisterTargetPassConfigCallback.h"
#endif

using namespace llvm;

namespace tp {

void reportUsageError(const Twine &Text) {
#if LLVM_VERSION_MAJOR >= 21
  reportFatalUsageError(Text);
#else
  report_fatal_error(Text, /*gen_crash_diag=*/false);
#endif
}

const DataLayout &dataLayoutOf(const Function &F) {
  return F.getParent()->getDataLayout();
}

bool isScalable(const Type &T) {
#if LLVM_VERSION_MAJOR >= 17
  return T.isScalableTy();
#else
  return isa<ScalableVectorType>(T);
#endif
}

bool isGPU(const Triple &T) {
#if LLVM_VERSION_MAJOR >= 20
  return T.isGPU();
#else
  return T.isNVPTX() || T.isAMDGPU() || T.isSPIRV();
#endif
}

bool hasLoop(MachineFunction &MF) {
#if LLVM_VERSION_MAJOR >= 19
  MachineDominatorTree Dominators;
  Dominators.recalculate(MF);
  MachineLoopInfo Loops;
  Loops.analyze(Dominators);
#else
  MachineDominatorTree Dominators(MF);
  MachineLoopInfo Loops(Dominators);
#endif
  return Loops.begin() != Loops.end();
}

void moveCallInfo(MachineFunction &MF, MachineInstr &From, MachineInstr &To) {
#if LLVM_VERSION_MAJOR >= 20
  if (From.shouldUpdateAdditionalCallInfo())
    MF.moveAdditionalCallInfo(&From, &To);
#else
  if (From.shouldUpdateCallSiteInfo())
    MF.moveCallSiteInfo(&From, &To);
#endif
}

void rememberCFIState(MCStreamer &Out) {
#if LLVM_VERSION_MAJOR >= 18
  Out.emitCFIRememberState(SMLoc());
#else
  Out.emitCFIRememberState();
#endif
}

void restoreCFIState(MCStreamer &Out) {
#if LLVM_VERSION_MAJOR >= 18
  Out.emitCFIRestoreState(SMLoc());
#else
  Out.emitCFIRestoreState();
#endif
}

void emitReloc(AsmPrinter &AP, const MCExpr &Where, StringRef Name,
               const MCExpr *What) {
#if LLVM_VERSION_MAJOR >= 22
  AP.OutStreamer->emitRelocDirective(Where, Name, What);
#else
  AP.OutStreamer->emitRelocDirective(Where, Name, What, SMLoc(),
                                     AP.getSubtargetInfo());
#endif
}

//===--- Handlers ---===//

#if LLVM_VERSION_MAJOR == 19
namespace {
/// A handler of debug information that has none. It passes on which instruction
/// is written.
class InstructionFeed : public DebugHandlerBase {
public:
  InstructionFeed(AsmPrinter &AP, InstructionHandler &To)
      : DebugHandlerBase(&AP), To(To) {
    Asm = nullptr; // so the base class does nothing for functions
  }
  void beginModule(Module *) override {}
  void endModule() override {}
  void beginInstruction(const MachineInstr *MI) override {
    To.beginInstruction(MI);
  }
  void endInstruction() override { To.endInstruction(); }
  void beginFunctionImpl(const MachineFunction *) override {}
  void endFunctionImpl(const MachineFunction *) override {}

private:
  InstructionHandler &To;
};
} // namespace
#endif

void addHandler(AsmPrinter &AP, std::unique_ptr<InstructionHandler> Handler) {
#if LLVM_VERSION_MAJOR == 19
  AP.addDebugHandler(std::make_unique<InstructionFeed>(AP, *Handler));
#endif
#if LLVM_VERSION_MAJOR >= 19
  AP.addAsmPrinterHandler(std::move(Handler));
#else
  AP.addAsmPrinterHandler(
      {std::move(Handler), "tp", "patchable sleds", "tp", "patchable sleds"});
#endif
}

//===--- The hook ---===//

static ConfigureHook TheConfigure;
static ModuleHook TheBegin;

#if LLVM_VERSION_MAJOR >= 21

namespace {
class BeginPass : public ModulePass {
public:
  static char ID;
  explicit BeginPass(TargetMachine &TM) : ModulePass(ID), TM(TM) {}
  StringRef getPassName() const override { return "tp decisions"; }
  bool runOnModule(Module &M) override { return TheBegin(TM, M); }

private:
  TargetMachine &TM;
};

char BeginPass::ID = 0;
} // namespace

static void hook() {
  static RegisterTargetPassConfigCallback Callback(
      [](TargetMachine &TM, legacy::PassManagerBase &PM,
         TargetPassConfig *Config) {
        PM.add(new BeginPass(TM));
        TheConfigure(TM, *Config);
      });
}

#else

// LLVM has no callback before 21. But LLVM makes some passes of every pipeline
// by their PassInfo, and PassInfo::setNormalCtor() is public. Our constructor
// puts such a pass into a shell, and LLVM tells the shell when it is added to a
// pipeline.

namespace {

/// In every pipeline that has a shell. LLVM calls doInitialization() of all
/// immutable passes before it runs the first pass.
class BeginPass : public ImmutablePass {
public:
  static char ID;
  explicit BeginPass(TargetMachine &TM) : ImmutablePass(ID), TM(TM) {}
  StringRef getPassName() const override { return "tp decisions"; }
  bool doInitialization(Module &M) override { return TheBegin(TM, M); }

private:
  TargetMachine &TM;
};

char BeginPass::ID = 0;

/// Replaces a pass of LLVM that uses no analyses. The shell has that pass's
/// ID, so insertPass() and -stop-after treat the shell like the pass.
class Shell : public MachineFunctionPass {
  /// Names the protected members of another MachineFunctionPass.
  struct Members : MachineFunctionPass {
    static auto run() { return &Members::runOnMachineFunction; }
    static auto required() { return &Members::getRequiredProperties; }
    static auto set() { return &Members::getSetProperties; }
    static auto cleared() { return &Members::getClearedProperties; }
  };

public:
  Shell(char &ID, Pass *Inner)
      : MachineFunctionPass(ID),
        Inner(static_cast<MachineFunctionPass *>(Inner)) {}

  StringRef getPassName() const override { return Inner->getPassName(); }
  void getAnalysisUsage(AnalysisUsage &AU) const override {
    static_cast<const Pass &>(*Inner).getAnalysisUsage(AU);
  }
  MachineFunctionProperties getRequiredProperties() const override {
    return (Inner.get()->*Members::required())();
  }
  MachineFunctionProperties getSetProperties() const override {
    return (Inner.get()->*Members::set())();
  }
  MachineFunctionProperties getClearedProperties() const override {
    return (Inner.get()->*Members::cleared())();
  }
  bool runOnMachineFunction(MachineFunction &MF) override {
    return (Inner.get()->*Members::run())(MF);
  }

  /// LLVM calls this function when the pass is added to a pipeline.
  void preparePassManager(PMStack &Managers) override {
    PMTopLevelManager &Top = *Managers.top()->getTopLevelManager();
    Pass *Found = Top.findAnalysisPass(&TargetPassConfig::ID);
    if (Found && !Top.findAnalysisPass(&BeginPass::ID)) {
      auto &Config = *static_cast<TargetPassConfig *>(Found);
      auto &TM = Config.getTM<TargetMachine>();
      Top.schedulePass(new BeginPass(TM));
      TheConfigure(TM, Config);
    }
    MachineFunctionPass::preparePassManager(Managers);
  }

private:
  std::unique_ptr<MachineFunctionPass> Inner;
};

/// \p ID returns the ID of the pass. Each call of this function has a separate
/// type, and so a separate constructor.
template <class GetID> void putInShell(PassRegistry &Registry, GetID ID) {
  auto &Info = const_cast<PassInfo &>(*Registry.getPassInfo(&ID()));
  static const PassInfo::NormalCtor_t Make = Info.getNormalCtor();
  Info.setNormalCtor([]() -> Pass * { return new Shell(GetID()(), Make()); });
}

} // namespace

/// The first of these passes is the earliest one that every pipeline makes by
/// its PassInfo. llc may start a pipeline after that pass, so the passes after
/// which ours are inserted have shells as well, and one after our last pass.
static void hook() {
  PassRegistry &Registry = *PassRegistry::getPassRegistry();
  initializeCodeGen(Registry);
  static const PassInfo Info("tp decisions", "tp-decisions", &BeginPass::ID,
                             nullptr, /*isCFGOnly=*/false,
                             /*is_analysis=*/true);
  Registry.registerPass(Info);
  putInShell(Registry, []() -> char & { return FinalizeISelID; });
  putInShell(Registry, []() -> char & { return PatchableFunctionID; });
  putInShell(Registry, []() -> char & { return FuncletLayoutID; });
  putInShell(Registry, []() -> char & { return StackMapLivenessID; });
}

#endif

void hookCodeGeneration(ConfigureHook Configure, ModuleHook Begin) {
  TheConfigure = Configure;
  TheBegin = Begin;
  hook();
}

} // namespace tp
