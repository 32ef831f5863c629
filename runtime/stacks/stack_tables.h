// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The unwind rows of all loaded modules, for hits that walk the stack.
//
// The problem: a hit may neither lock nor read the program's tables, and a
// module may be unloaded, and another one loaded at its address, at any time.
//
// The solution: the tables are made before a program that walks stacks is
// attached. As long as there are such programs, the modules with tables stay
// loaded, as modules with probes do. So no table is ever out of date, and all
// of them are freed after the last such program is detached, when no hit uses
// them any more. A hit that meets code of a module that came later ends its
// stack there, and the next reading of the tool makes the table
// (refreshStacks()).
#ifndef TPRT_STACKS_STACK_TABLES_H
#define TPRT_STACKS_STACK_TABLES_H

#include "stacks/unwind_rows.h"

namespace tprt {

// --- not in hits, without the lock, one thread at a time ---------------------

// Called before a program that walks stacks is attached. False: no memory.
bool beginStacks();
// Called after it was detached: no hit runs it, nor will.
void endStacks();
// Makes tables of modules that were loaded meanwhile, if hits have met code
// without a table. Costs nothing if there are no such programs.
void refreshStacks();

// --- in hits: async-signal-safe ----------------------------------------------

// The row for the instruction at this address, as a number.
uint16_t rowNumberAt(uint64_t address);
const UnwindRow &unwindRow(uint16_t number);

} // namespace tprt

#endif
