#!/bin/bash
# The ctest `system.packages`. It makes the packages of the build for AArch64 twice, which must
# give the same bytes, and looks at the .deb and the archive. In the emulated machine, which
# runs already, it unpacks the .deb into a bare root file system, and the archive into a folder.
# There tpctl counts, records and looks at a recording. Exit code 77: something is not there.
#
# usage: packages-aarch64.sh BUILD_FOLDER MACHINE
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$(cd "${1:?usage: packages-aarch64.sh BUILD_FOLDER MACHINE}" && pwd) machine=${2:?usage: packages-aarch64.sh BUILD_FOLDER MACHINE}
tools=$build/aarch64-tools
failures=0

failed() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}
in_machine() { "$root/scripts/machine.sh" --build "$build" "$machine" run "$@"; }

if [[ ! -x $tools/bin/tpctl ]]; then
  echo "skipped: there is no tpctl for AArch64; 'scripts/fetch-aarch64.sh $build', cmake and ninja make it"
  exit 77
elif [[ ! -s $build/machine/run/$machine/port ]]; then
  echo "skipped: the emulated machine $machine does not run; 'scripts/machine.sh $machine fetch' gets its parts, and 'start' starts it"
  exit 77
fi
scratch=$(mktemp -d "$build/packages-aarch64.XXXXXX") # the machine sees the build folder
trap 'rm -rf "$scratch"' EXIT

export SOURCE_DATE_EPOCH=1700000000
packages=$tools/packages
"$root/scripts/package.sh" "$tools" DEB TXZ >"$scratch/log" 2>&1 || { cat "$scratch/log"; exit 1; }
cp -r "$packages" "$scratch/first"
"$root/scripts/package.sh" "$tools" DEB TXZ >"$scratch/log" 2>&1
diff -r "$scratch/first" "$packages" || failed "the same build makes other packages the second time"
python3 -B "$root/cmake/install-test/check-spdx.py" "$packages"/*.spdx.json "$root/cmake/package/copyright" || failed "the bill of materials"
deb=$(echo "$packages"/tp-tools_*_arm64.deb) archive=$(echo "$packages"/tp-*-aarch64.tar.xz)
for field in 'Package: tp-tools' 'Architecture: arm64' 'Depends: libc6 (>= 2.31)'; do
  dpkg-deb --field "$deb" | grep -qxF "$field" || failed "the .deb has no field '$field'"
done
[[ $(stat --format=%s "$archive") -le $((15 << 20)) ]] || failed "$archive has more than 15 MB"

mkdir "$scratch/deb" "$scratch/anywhere"
dpkg-deb --extract "$deb" "$scratch/deb"
tar -C "$scratch/anywhere" -xf "$archive"
for program in "$scratch/deb/usr/bin/tpctl" "$scratch"/anywhere/tp-*/bin/tpctl; do
  readelf -h "$program" | grep -q 'Machine: *AArch64' || failed "$program is not for AArch64"
  ! readelf -d "$program" | grep NEEDED || failed "$program needs libraries"
done
# Nothing names the source or the build folder, as in packages.sh.
leaks=$(find "$scratch/deb" "$scratch/anywhere" -path '*/share/doc' -prune -o -type f -exec grep -lF -e "$root/" -e "$build/" {} + || true)
[[ -z $leaks ]] || failed "these files name the source or the build folder: $leaks"

cat >"$scratch/app.c" <<'END'
__attribute__((noinline)) void work(long n) { __asm__ volatile("" : : "r"(n)); }
int main(void) {
  for (long i = 0; i < 700; ++i)
    work(i);
}
END
"$build/bin/tp-clang" --target=aarch64-linux-gnu -O1 -ftp-entry=2,0 -ftp-exit "$scratch/app.c" -o "$scratch/app"
cat >"$scratch/try.sh" <<'END'
cd /tmp && tpctl count --format=csv work -- "$1" 2>&1
tpctl record -q -o r.tp work -- "$1" && tpctl report r.tp
tpctl view -o r.html r.tp && head -c 15 r.html && rm r.tp r.html
END
try_out() { # what, command that runs try.sh
  local what=$1 output
  shift
  output=$("$@" 2>&1) || true
  [[ $output == *,work,*,700* && $output == *' 700 '*work* && ${output,,} == *'<!doctype html>'* ]] || failed "$what: tpctl says: $output"
}
# shellcheck disable=SC2016 # the machine's shell replaces these
try_out "archive" in_machine bash -c 'PATH="$(echo "$0"/anywhere/tp-*/bin):$PATH" exec bash "$0/try.sh" "$0/app"' "$scratch"
# The root file system is read-only, so the package is unpacked into one in memory, which has a
# shell and nothing else.
# shellcheck disable=SC2016
try_out ".deb" in_machine unshare --mount --propagation private bash -euc '
  mount -t tmpfs tmpfs /mnt && cd /mnt && mkdir -p proc dev tmp usr/bin usr/lib/aarch64-linux-gnu
  cp -a /bin /lib . && cp /usr/bin/{bash,head,rm} usr/bin && cp -L /usr/lib/ld-linux-aarch64.so.1 usr/lib
  cp -a /usr/lib/aarch64-linux-gnu/{libc.so,libm.so,libtinfo.so,ld-linux}* usr/lib/aarch64-linux-gnu
  cp -a "$0/deb/." "$0/app" "$0/try.sh" .
  mount --rbind /proc proc && mount --rbind /dev dev
  exec chroot . bash /try.sh /app' "$scratch"

[[ $failures -eq 0 ]] || exit 1
echo "packages for AArch64: ok, the archive has $(($(stat --format=%s "$archive") >> 10)) kB"
