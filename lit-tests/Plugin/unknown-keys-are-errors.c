// If this fails, a misspelt flag is silently ignored.
// RUN: not %clang -fplugin-arg-tp-enrty=2 -c %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=NEAR
// NEAR: error: invalid argument '-fplugin-arg-tp-enrty=2': unknown key; did you mean 'entry'?
// RUN: not %clang -fplugin-arg-tp-xyz -c %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=FAR
// FAR: error: invalid argument '-fplugin-arg-tp-xyz': unknown key: expected entry, {{.*}} or help
// RUN: not %clang -fplugin-arg-tp-slot=maybe -c %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=SLOT
// SLOT: error: invalid argument '-fplugin-arg-tp-slot=maybe': expected auto or none
// RUN: not %clang -fplugin-arg-tp-instruction-threshold=few -c %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=FEW
// FEW: error: invalid argument '-fplugin-arg-tp-instruction-threshold=few': expected a number
// RUN: not %clang -fplugin-arg-tp-exit=1 -c %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=EXIT
// EXIT: error: invalid argument '-fplugin-arg-tp-exit=1': takes no value
// RUN: not %clang -fplugin-arg-tp-opaque=yes -c %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=VALUE
// VALUE: error: invalid argument '-fplugin-arg-tp-opaque=yes': takes no value
void f(void) {}
