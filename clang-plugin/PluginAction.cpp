// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The clang plugin named "tp": parses -fplugin-arg-tp-KEY[=VALUE] and passes
// the options to the decision pass. clang runs the plugin before the main
// action, on the compiler's thread, once per source file.

#include "ClangCompat.h"
#include "DecidePass.h"
#include "InheritingConsumer.h"
#include "Settings.h"
#include "SledTarget.h"

#include "clang/AST/ASTConsumer.h"
#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/TargetInfo.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendPluginRegistry.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"

using namespace clang;

namespace tp {

void registerAttributes();

namespace {

class PluginAction : public PluginASTAction {
public:
  ActionType getActionType() override { return AddBeforeMainAction; }

  bool ParseArgs(const CompilerInstance &CI,
                 const std::vector<std::string> &Args) override;

  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &CI,
                                                 llvm::StringRef) override;

private:
  bool checkTarget(const CompilerInstance &CI) const;

  Options Opts;
};

bool isDeviceCompilation(const LangOptions &L) {
  return L.CUDAIsDevice || isOpenMPDevice(L) || L.SYCLIsDevice;
}

template <unsigned Size>
DiagnosticBuilder error(const CompilerInstance &CI,
                        const char (&Format)[Size]) {
  DiagnosticsEngine &D = CI.getDiagnostics();
  return D.Report(D.getCustomDiagID(DiagnosticsEngine::Error, Format));
}

/// If no flag requests sleds, the plugin may be loaded for any target. If an
/// attribute then requests a sled on a target without sleds, code generation
/// reports an error.
bool PluginAction::checkTarget(const CompilerInstance &CI) const {
  const llvm::Triple &T = CI.getTarget().getTriple();
  bool Asked = Opts.Entry || Opts.Exit || Opts.Filter;
  if (!Asked || SledTarget::find(T))
    return true;
  error(CI, "%0") << SledTarget::refusal(T);
  return false;
}

bool PluginAction::ParseArgs(const CompilerInstance &CI,
                             const std::vector<std::string> &Args) {
  if (isDeviceCompilation(CI.getLangOpts()))
    return true;
  if (llvm::Error E = applyArguments(Opts, Args)) {
    error(CI, "%0") << toString(std::move(E));
    return false;
  }
  if (llvm::Error E = loadFilters(Opts, CI.getVirtualFileSystem())) {
    error(CI, "'%0filter': %1") << Opts.flagPrefix() << toString(std::move(E));
    return false;
  }
  return checkTarget(CI);
}

std::unique_ptr<ASTConsumer>
PluginAction::CreateASTConsumer(CompilerInstance &CI, llvm::StringRef) {
  frontend() = {/*Parsed=*/true, std::nullopt, std::nullopt};
  if (isDeviceCompilation(CI.getLangOpts()))
    return std::make_unique<ASTConsumer>();
  // The preprocessor does not read the filter files. -MD lists these files only
  // if they are reported to the preprocessor as skipped files.
  if (PPCallbacks *Callbacks = CI.getPreprocessor().getPPCallbacks())
    for (const std::string &File : Opts.FilterFiles)
      if (auto Entry = CI.getFileManager().getOptionalFileRef(File))
        Callbacks->FileSkipped(*Entry, Token(), SrcMgr::C_User);
  CodeGenOptions &CodeGen = CI.getCodeGenOpts();
  frontend::ActionKind Action = CI.getFrontendOpts().ProgramAction;
  Opts.ToBitcode = CodeGen.PrepareForLTO || Action == frontend::EmitBC ||
                   Action == frontend::EmitLLVM;
  Opts.NoPasses = CodeGen.DisableLLVMPasses;
  if (Opts.NoPasses)
    frontend().Undecided = Opts;
  decideInPipeline(CodeGen, Opts);
  return createInheritingConsumer();
}

// A second copy of the library, loaded from another path, registers nothing.
// Otherwise each option and each attribute would be handled twice, which is an
// error.
const bool Registered = [] {
  if (!claimFrontend())
    return false;
  static FrontendPluginRegistry::Add<PluginAction> Action(
      "tp", "patchable sleds at function entry and exit");
  registerAttributes();
  return true;
}();

} // namespace
} // namespace tp
