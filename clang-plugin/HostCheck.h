// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Refuses a compiler of another version than the one that this library is built
// for. Runs on the thread that loads the plugin.

#ifndef TP_HOSTCHECK_H
#define TP_HOSTCHECK_H

/// Prints that the program \p Host is of LLVM \p Major, and which of tp's
/// libraries fits it, or for which versions there are any. Ends the process.
extern "C" [[noreturn]] __attribute__((visibility("default"))) void
tp_refuse_host(int Major, const char *Host);

#endif
