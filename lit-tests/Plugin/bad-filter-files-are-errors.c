// If this fails, a filter file with a mistake silently has no effect.
// RUN: split-file %s %t
// DEFINE: %{with} = not %clang -fplugin-arg-tp-entry=2 -c %s -o /dev/null -fplugin-arg-tp-filter
// RUN: %{with}=%t/missing 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: error: '-fplugin-arg-tp-filter': cannot read filter file '{{.*}}missing': No such file or directory
// RUN: %{with}=%t 2>&1 | FileCheck %s --check-prefix=FOLDER
// FOLDER: cannot read filter file
// RUN: %{with}= 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: '-fplugin-arg-tp-filter=': expected the name of a file
// RUN: %{with}=%t/section 2>&1 | FileCheck %s --check-prefix=SECTION
// SECTION: section', line 2: expected [always] or [never], got '[sometimes]'
// RUN: %{with}=%t/prefix 2>&1 | FileCheck %s --check-prefix=PREFIX
// PREFIX: prefix', line 2: expected fun:GLOB or src:GLOB, got 'function:f'
// RUN: %{with}=%t/nowhere 2>&1 | FileCheck %s --check-prefix=NOWHERE
// NOWHERE: nowhere', line 1: expected a section, [always] or [never], before 'fun:f'
// RUN: %{with}=%t/glob 2>&1 | FileCheck %s --check-prefix=GLOB
// GLOB: error: {{.*}}malformed
// RUN: %{with}=%t/nothing 2>&1 | FileCheck %s --check-prefix=NOTHING
// NOTHING: nothing', line 2: no glob in 'fun:'
// RUN: %{with}=%t/space 2>&1 | FileCheck %s --check-prefix=SPACE
// SPACE: space', line 2: a space before the glob, so no name matches, in 'fun: f'
//--- section
[never]
[sometimes]
//--- prefix
[never]
function:f
//--- nowhere
fun:f
//--- nothing
[never]
fun:
//--- space
[never]
fun: f
//--- glob
[never]
fun:[a-
