// If this fails, a configure script that treats any output as a failure decides wrongly.
// REQUIRES: gold, mold, lld, bfd
// RUN: %tp_clang -Wall -Werror -ftp-entry=2,0 -c %s -o %t.o 2>&1 | count 0
// RUN: %tp_clang -Wall -Werror -ftp-entry=2,0 %t.o -o %t 2>&1 | count 0
// RUN: %tp_clang -Wall -Werror -ftp-entry=2,0 -E %s -o - | %plain_clang -x c - -c -o %t.o 2>&1 | count 0
// RUN: %tp_clang -Wall -Werror -ftp-entry=2,0 -nostdlib -r %t.o -o %t.r.o 2>&1 | count 0
// RUN: %tp_clang -Wall -Werror -ftp-entry=2,0 -fuse-ld=lld %t.o -o %t 2>&1 | count 0
// RUN: %tp_clang -Wall -Werror -ftp-entry=2,0 -fuse-ld=gold %t.o -o %t 2>&1 | count 0
// RUN: %tp_clang -Wall -Werror -ftp-entry=2,0 -fuse-ld=mold %t.o -o %t 2>&1 | count 0
int main(void) { return 0; }
