// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See UnitScan.h. The plugin "tp" is linked into tp-select, so clang runs the
// plugin for this action as in a compilation. The plugin parses the arguments,
// reports faults in them, and annotates declarations.

#include "UnitScan.h"
#include "DecidePass.h"
#include "ReadableNames.h"

#include "clang/AST/DeclObjC.h"
#include "clang/Basic/SourceManager.h"
#include "clang/CodeGen/ModuleBuilder.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendActions.h"
#include "clang/Frontend/MultiplexConsumer.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "clang/Tooling/Tooling.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Path.h"

using namespace clang;
using llvm::StringRef;
using llvm::Twine;

namespace tp {

std::string displayPath(StringRef Path, StringRef Directory) {
  llvm::SmallString<256> Full(Path), Here;
  if (llvm::sys::path::is_relative(Full)) {
    Full = Directory;
    llvm::sys::path::append(Full, Path);
  }
  llvm::sys::path::remove_dots(Full, /*remove_dot_dot=*/false);
  StringRef Result = Full;
  if (!llvm::sys::fs::current_path(Here) && Here != "/" &&
      Result.consume_front(Here) && Result.consume_front("/"))
    return Result.str();
  return std::string(Full);
}

namespace {

class ScanConsumer : public ASTConsumer {
public:
  ScanConsumer(CompilerInstance &CI, CodeGenerator &Gen,
               const tooling::CompileCommand &Command, const Criteria &Wanted,
               UnitResult &Result)
      : CI(CI), Gen(Gen), Command(Command), Wanted(Wanted), Result(Result) {}

  /// Runs after the code generator, when the module is complete.
  void HandleTranslationUnit(ASTContext &Context) override {
    llvm::Module *M = Gen.GetModule();
    if (!M || CI.getDiagnostics().hasErrorOccurred())
      return;
    auto Matched = Wanted.match(Context);
    const Options O = options();
    if (O.Filter)
      Result.FilterEntries = O.Filter->entriesFor(*M);
    for (FilterList::Entry &E : Result.FilterEntries)
      E.File = displayPath(E.File, Command.Directory);
    decide(*M, O, [&](const llvm::Function &F, const SourceDecision &D) {
      Result.Functions.push_back(describe(F, D, Matched));
    });
  }

private:
  /// The plugin has parsed the same arguments and reported their errors.
  Options options() const {
    Options O;
    const auto &All = CI.getFrontendOpts().PluginArgs;
    if (auto Ours = All.find("tp"); Ours != All.end())
      consumeError(applyArguments(O, Ours->second));
    consumeError(loadFilters(O, CI.getVirtualFileSystem()));
    return O;
  }

  FunctionInfo describe(const llvm::Function &F, const SourceDecision &D,
                        const llvm::DenseSet<const Decl *> &Matched) {
    FunctionInfo I;
    I.Name = llvm::GlobalValue::dropLLVMManglingEscape(F.getName()).str();
    I.Readable = readableName(I.Name);
    I.Unit = I.File = displayPath(Command.Filename, Command.Directory);
    I.IsLocal = F.hasLocalLinkage();
    const Decl *Source = functionOf(F);
    if (Source)
      locate(I, *Source);
    I.IsChosen = (Wanted.Matchers.empty() ||
                  (Source && Matched.contains(Source->getCanonicalDecl()))) &&
                 Wanted.hold(I);
    I.Decision = D;
    if (D.By == Rule::Filter)
      I.Decision.Line.File = displayPath(D.Line.File, Command.Directory);
    I.Why = I.Decision.reason();
    return I;
  }

  const Decl *functionOf(const llvm::Function &F) {
    const Decl *D = Gen.GetDeclForMangledName(F.getName());
    if (const auto *Function = dyn_cast_or_null<FunctionDecl>(D)) {
      const FunctionDecl *Definition = Function->getDefinition();
      return Definition ? Definition : Function;
    }
    return isa_and_nonnull<ObjCMethodDecl>(D) ? D : nullptr;
  }

  void locate(FunctionInfo &I, const Decl &Source) const {
    const SourceManager &SM = CI.getSourceManager();
    PresumedLoc At =
        SM.getPresumedLoc(SM.getExpansionLoc(Source.getLocation()));
    if (At.isInvalid())
      return;
    I.File = displayPath(At.getFilename(), Command.Directory);
    I.Line = At.getLine();
    I.Column = At.getColumn();
    I.Size = measure(Source);
  }

  CompilerInstance &CI;
  CodeGenerator &Gen;
  const tooling::CompileCommand &Command;
  const Criteria &Wanted;
  UnitResult &Result;
};

/// Turns the errors of decide() into errors of the unit. Without a handler,
/// LLVM would end the tool.
struct Complaints : llvm::DiagnosticHandler {
  explicit Complaints(DiagnosticsEngine &Diags) : Diags(Diags) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo &Info) override {
    std::string Text;
    llvm::raw_string_ostream Stream(Text);
    llvm::DiagnosticPrinterRawOStream Printer(Stream);
    Info.print(Printer);
    if (Info.getSeverity() == llvm::DS_Error)
      Diags.Report(Diags.getCustomDiagID(DiagnosticsEngine::Error, "%0"))
          << Text;
    return true;
  }
  DiagnosticsEngine &Diags;
};

class ScanAction : public ASTFrontendAction {
public:
  ScanAction(const tooling::CompileCommand &Command, const Criteria &Wanted,
             UnitResult &Result, llvm::raw_ostream &Diagnostics)
      : Command(Command), Wanted(Wanted), Result(Result),
        Diagnostics(Diagnostics) {}

  // Clang writes the count of errors ("1 error generated.") not to the stream
  // of the errors, but by default to errs(). Other threads use errs(), too.
  bool PrepareToExecuteAction(CompilerInstance &CI) override {
    CI.setVerboseOutputStream(Diagnostics);
    return true;
  }

  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &CI,
                                                 StringRef File) override {
    // Coverage mapping needs a listener to the preprocessor that only clang
    // itself can make. It adds no function.
    CI.getCodeGenOpts().CoverageMapping = false;
    Context.setDiagnosticHandler(
        std::make_unique<Complaints>(CI.getDiagnostics()));
    auto Gen = CreateLLVMCodeGen(CI, File, Context);
    auto Scan =
        std::make_unique<ScanConsumer>(CI, *Gen, Command, Wanted, Result);
    std::vector<std::unique_ptr<ASTConsumer>> Both;
    Both.push_back(std::move(Gen));
    Both.push_back(std::move(Scan));
    return std::make_unique<MultiplexConsumer>(std::move(Both));
  }

private:
  const tooling::CompileCommand &Command;
  const Criteria &Wanted;
  UnitResult &Result;
  llvm::raw_ostream &Diagnostics;
  llvm::LLVMContext Context;
};

class ScanFactory : public tooling::FrontendActionFactory {
public:
  ScanFactory(const tooling::CompileCommand &Command, const Criteria &Wanted,
              UnitResult &Result, llvm::raw_ostream &Diagnostics)
      : Command(Command), Wanted(Wanted), Result(Result),
        Diagnostics(Diagnostics) {}
  std::unique_ptr<FrontendAction> create() override {
    return std::make_unique<ScanAction>(Command, Wanted, Result, Diagnostics);
  }

private:
  const tooling::CompileCommand &Command;
  const Criteria &Wanted;
  UnitResult &Result;
  llvm::raw_ostream &Diagnostics;
};

/// A database of one command. A file may have several commands, each with other
/// options.
class OneCommand : public tooling::CompilationDatabase {
public:
  explicit OneCommand(const tooling::CompileCommand &Command)
      : Command(Command) {}
  std::vector<tooling::CompileCommand>
  getCompileCommands(StringRef) const override {
    return {Command};
  }

private:
  const tooling::CompileCommand &Command;
};

} // namespace

UnitResult scanUnit(const tooling::CompileCommand &Command,
                    const Criteria &Wanted) {
  UnitResult Result;
  OneCommand Database(Command);
  // This file system has its own current folder. The real file system would use
  // the current folder of the process, but other threads read units in other
  // folders at the same time.
  tooling::ClangTool Tool(Database,
                          {displayPath(Command.Filename, Command.Directory)},
                          std::make_shared<PCHContainerOperations>(),
                          llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>(
                              llvm::vfs::createPhysicalFileSystem().release()));
  llvm::raw_string_ostream Stream(Result.Diagnostics);
  DiagnosticOptions Shown;
  TextDiagnosticPrinter Printer(Stream, Shown);
  Tool.setDiagnosticConsumer(&Printer);
  Tool.setPrintErrorMessage(false);
  ScanFactory Factory(Command, Wanted, Result, Stream);
  Result.Failed = Tool.run(&Factory) != 0;
  return Result;
}

} // namespace tp
