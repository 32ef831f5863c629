// If this fails, identical code folding leaves records that do not point at a function, or two
// records that disagree about one sled. lld drops the records of the folded copy; gold and mold keep
// them.
// REQUIRES: lld, gold, mold, x86_64-host
// RUN: %clang -O2 -fPIE -ffunction-sections -faddrsig -fplugin-arg-tp-entry=2 -c %s -o %t.o
// DEFINE: %{with} = %use_lld -Wl,--icf=all
// DEFINE: %{prefixes} = ONE,ALL
// DEFINE: %{check} = %plain_clang -pie %{with} %t.o -o %t && %run %t && \
// DEFINE:   %check_linked %t | FileCheck %s --check-prefixes=%{prefixes}
// RUN: %{check}
// REDEFINE: %{prefixes} = TWO,ALL
// REDEFINE: %{with} = -fuse-ld=gold -Wl,--icf=all
// RUN: %{check}
// REDEFINE: %{with} = -fuse-ld=mold -Wl,--icf=all
// RUN: %{check}
// REDEFINE: %{prefixes} = SAFE
// REDEFINE: %{with} = %use_lld -Wl,--icf=safe
// RUN: %{check}
// REDEFINE: %{with} = -fuse-ld=gold -Wl,--icf=safe
// RUN: %{check}
// ONE: {{^}}2 records
// TWO: {{^}}3 records
// ALL: entry main
// ALL-NEXT: entry pointed_at=same
// TWO-NEXT: entry pointed_at=same
// SAFE: {{^}}3 records
// SAFE-NEXT: entry main
// SAFE-NEXT: entry pointed_at
// SAFE-NEXT: entry same
int same(int X) { return X + 1; }
int pointed_at(int X) { return X + 1; }
int (*volatile P)(int) = pointed_at;
int (*volatile Q)(int) = same;
int main(void) { return P(2) - Q(2); }
