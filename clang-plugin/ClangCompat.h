// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The differences between the versions of clang that tp is built for. For those
// of LLVM see LlvmCompat.h.

#ifndef TP_CLANGCOMPAT_H
#define TP_CLANGCOMPAT_H

#include "DecidePass.h"
#include "Settings.h"

#include "clang/Basic/AttributeCommonInfo.h"
#include "clang/Basic/CodeGenOptions.h"
#include "clang/Basic/LangOptions.h"
#include "clang/Sema/ParsedAttr.h"
#include "clang/Sema/Sema.h"
#include "llvm/Config/llvm-config.h"
#if LLVM_VERSION_MAJOR >= 17
#include "clang/Sema/EnterExpressionEvaluationContext.h"
#endif
#if LLVM_VERSION_MAJOR < 18
#include <dlfcn.h>
#endif

namespace tp {

/// The syntax of attributes in C, `[[tp::entry(2)]]`, as of C23.
#if LLVM_VERSION_MAJOR >= 18
constexpr auto AttributeSyntaxC23 = clang::AttributeCommonInfo::AS_C23;
#else
constexpr auto AttributeSyntaxC23 = clang::AttributeCommonInfo::AS_C2x;
#endif

inline clang::IdentifierInfo *identifierOf(const clang::IdentifierLoc &Name) {
#if LLVM_VERSION_MAJOR >= 21
  return Name.getIdentifierInfo();
#else
  return Name.Ident;
#endif
}

inline clang::SourceLocation locationOf(const clang::IdentifierLoc &Name) {
#if LLVM_VERSION_MAJOR >= 21
  return Name.getLoc();
#else
  return Name.Loc;
#endif
}

/// Whether OpenMP code for a device is compiled.
inline bool isOpenMPDevice(const clang::LangOptions &L) {
#if LLVM_VERSION_MAJOR >= 17
  return L.OpenMPIsTargetDevice;
#else
  return L.OpenMPIsDevice;
#endif
}

/// Has clang put the decision pass at the start of the pipeline. Before 18,
/// clang builds a pipeline only with plugins that are named by their file. So
/// clang is told the file of the decision pass, and that library asks
/// frontend() for the options.
inline void decideInPipeline(clang::CodeGenOptions &CodeGen, const Options &O) {
#if LLVM_VERSION_MAJOR >= 18
  CodeGen.PassBuilderCallbacks.push_back(
      [O](llvm::PassBuilder &PB) { addDecidePass(PB, O); });
#else
  frontend().AtPipelineStart = O;
  Dl_info Pass;
  if (dladdr(reinterpret_cast<void *>(&addDecidePass), &Pass))
    CodeGen.PassPlugins.push_back(Pass.dli_fname);
#endif
}

} // namespace tp

#endif
