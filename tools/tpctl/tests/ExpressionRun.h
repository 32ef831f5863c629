// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared code of tests of expressions: compiles expressions, and runs them for
// a hit.

#ifndef TPCTL_EXPRESSION_RUN_H
#define TPCTL_EXPRESSION_RUN_H

#include "ProgramRunner.h"

namespace tpctl::expressions {

inline Asked asked(llvm::StringRef If, llvm::StringRef By, llvm::StringRef Of) {
  Asked A;
  if (!If.empty())
    A.If = llvm::cantFail(parse("--if", If));
  if (!By.empty())
    A.By = llvm::cantFail(parseList("--by", By));
  if (!Of.empty())
    A.Of = llvm::cantFail(parse("--of", Of));
  return A;
}

inline Program programOf(const Asked &A, const Signature *S,
                         const Target &Machine = Target::host()) {
  auto P = compile(A, S, Machine);
  if (!P) {
    ADD_FAILURE() << llvm::toString(P.takeError());
    return compile(asked("", "", "1"), nullptr).get();
  }
  return *P;
}

inline Outcome run(const Asked &A, const Signature *S, const Hit &H,
                   const Target &Machine = Target::host()) {
  return ProgramRunner(programOf(A, S, Machine), H).run();
}

/// The value of an expression; nothing if it is unknown.
inline std::optional<int64_t> valueOf(llvm::StringRef Of, const Hit &H = {},
                                      const Signature *S = nullptr,
                                      const Target &Machine = Target::host()) {
  return run(asked("", "", Of), S, H, Machine).Value;
}

inline std::string keyOf(uint64_t Value) {
  std::string Key(1, TPRT_PROGRAM_KEY_NUMBER);
  Key.append(reinterpret_cast<const char *>(&Value), 8);
  return Key;
}

inline Signature declared(llvm::StringRef Text) {
  return llvm::cantFail(parseDeclaration(Text));
}

} // namespace tpctl::expressions

#endif
