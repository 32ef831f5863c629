// If this fails, a mistyped number crashes the compiler or is ignored.
// DEFINE: %{with} = not %clang -c %s -o /dev/null -fplugin-arg-tp-entry
// RUN: %{with}=x      2>&1 | FileCheck %s --check-prefix=NUMBER -DARG==x
// RUN: %{with}=       2>&1 | FileCheck %s --check-prefix=NUMBER -DARG==
// RUN: %{with}        2>&1 | FileCheck %s --check-prefix=NUMBER -DARG=
// RUN: %{with}=-1     2>&1 | FileCheck %s --check-prefix=NUMBER -DARG==-1
// RUN: %{with}=0x10   2>&1 | FileCheck %s --check-prefix=NUMBER -DARG==0x10
// RUN: %{with}=2,     2>&1 | FileCheck %s --check-prefix=NUMBER -DARG==2,
// RUN: %{with}=2,0,0  2>&1 | FileCheck %s --check-prefix=NUMBER -DARG==2,0,0
// RUN: %{with}=65536  2>&1 | FileCheck %s --check-prefix=NUMBER -DARG==65536
// RUN: %{with}=99999999999999999999 2>&1 | FileCheck %s --check-prefix=NUMBER -DARG==99999999999999999999
// NUMBER: error: invalid argument '-fplugin-arg-tp-entry[[ARG]]': expected N or N,M
// RUN: %{with}=2,3    2>&1 | FileCheck %s --check-prefix=MORE
// MORE: '-fplugin-arg-tp-entry=2,3': expected M, the nops before the entry label, to be at most N
void f(void) {}
