#!/bin/bash
# The ctest `packages`. It makes the packages of the build folder twice, which must give the
# same bytes, and installs them where nothing else is: the .deb files in a bare Debian (made by
# debootstrap), the archive in a folder that has a shell and nothing else. There it counts,
# records and looks at a recording, and it removes the packages without a trace. It checks the
# packages by lintian and rpmlint, which C library their programs need, that nothing in them names
# the source or the build folder, and the bill of materials (check-spdx.py).
#
# usage: packages.sh BUILD_FOLDER
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$(cd "${1:?usage: packages.sh BUILD_FOLDER}" && pwd)
scratch=$(mktemp -d "${TMPDIR:-/tmp}/tp-packages-test.XXXXXX")
failures=0

clean_up() {
  mountpoint -q "$scratch/bare/proc" && umount "$scratch/bare/proc"
  rm -rf "$scratch"
}
trap clean_up EXIT

failed() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}
skipped() { echo "not tried: $*"; }

# The time of the last commit, which may change while this runs, would be another one.
export SOURCE_DATE_EPOCH=1700000000
kinds=(DEB RPM TXZ)
if git -C "$root" rev-parse --verify --quiet HEAD >/dev/null; then
  kinds+=(SOURCE)
fi
"$root/scripts/package.sh" "$build" "${kinds[@]}" >"$scratch/log" || { cat "$scratch/log"; exit 1; }
cp -r "$build/packages" "$scratch/first"
"$root/scripts/package.sh" "$build" "${kinds[@]}" >"$scratch/log"
diff -r "$scratch/first" "$build/packages" || failed "the same build makes other packages the second time"
packages=$build/packages
(cd "$packages" && sha256sum --check --quiet SHA256SUMS) || failed "SHA256SUMS"
for file in "$packages"/*; do
  [[ $file == */SHA256SUMS ]] || grep -qF "  $(basename "$file")" "$packages/SHA256SUMS" || failed "SHA256SUMS does not list $file"
done
for how in '' --prove; do
  # shellcheck disable=SC2086 # no word for ''
  python3 -B "$root/cmake/install-test/check-spdx.py" $how "$packages"/*.spdx.json "$root/cmake/package/copyright" || failed "the bill of materials $how"
done

archive=$(echo "$packages"/tp-*-"$(uname -m)".tar.xz)
size=$(stat --format=%s "$archive")
[[ $size -le $((15 << 20)) ]] || failed "$archive has $size bytes, more than 15 MB"

# No link leads out of the archive.
mkdir "$scratch/any where"
tar -C "$scratch/any where" -xf "$archive"
prefix=$(echo "$scratch/any where"/tp-*)
while IFS= read -r link; do
  [[ $(readlink "$link") != /* && -e $link ]] || failed "$link leads to $(readlink "$link")"
done < <(find "$prefix" -type l)

# Nothing names the source or the build folder (cmake/FolderNames.cmake), so that each folder gives
# the same packages. The documents are those of the source, and may name any folder.
unpacked=$scratch/unpacked
mkdir -p "$unpacked"
cp -a "$prefix" "$unpacked/archive"
for package in "$packages"/*.deb; do
  [[ ! -e $package ]] || dpkg-deb --raw-extract "$package" "$unpacked/$(basename "$package")"
done
for package in "$packages"/*.rpm; do
  [[ -e $package ]] || continue
  mkdir "$unpacked/$(basename "$package")"
  rpm2cpio "$package" | (cd "$unpacked/$(basename "$package")" && cpio --extract --make-directories --quiet)
  rpm --query --nosignature --xml --package "$package" >"$unpacked/$(basename "$package").header"
done
[[ $(find "$unpacked" -name 'libtprt.a' | wc -l) -ge 2 ]] || failed "the packages were not unpacked"
find "$unpacked" -path '*/man/*' -name '*.gz' -type f -exec gunzip {} +
find "$unpacked" \( -path '*/share/doc' -o -path '*/share/lintian' \) -prune -o -type f \
  -exec grep -lF -e "$root/" -e "$build/" {} + | sed "s|^$unpacked/||" >"$scratch/leaks" || true
[[ ! -s $scratch/leaks ]] || failed "these files name the source or the build folder: $(cat "$scratch/leaks")"

# Programs that run on any Linux need no library. libtprt, which the program's own C library
# serves, must not need a newer one than glibc 2.31.
needed() { objdump -p "$1" | sed -n '/required from/,/^$/p' | { grep -oE 'GLIBC_[0-9.]+' || true; } | sort -Vu | tail -1; }
for program in tpctl tp-clang; do
  [[ -x $prefix/bin/$program ]] && ! readelf -d "$prefix/bin/$program" | grep NEEDED || failed "$program needs libraries"
done
for library in "$prefix"/lib/libtprt*.so; do
  newest=$(needed "$library")
  [[ -z $newest || $(printf '%s\n' "$newest" GLIBC_2.31 | sort -V | tail -1) == GLIBC_2.31 ]] ||
    failed "$library needs $newest"
done

try_out() { # what, command that runs a shell line in a root
  local what=$1 output
  shift
  output=$("$@" 'tpctl count --code "libc.so*!*alloc" -- ls / 2>&1 >/dev/null | head -9') || true
  [[ $output == *hits*alloc* ]] || failed "$what: count says: $output"
  output=$("$@" 'cd /tmp && tpctl record -q -o r.tp --code "libc.so*!*alloc" -- ls / 2>&1 >/dev/null && tpctl report r.tp | head -5') || true
  [[ $output == *calls*alloc* ]] || failed "$what: report says: $output"
  output=$("$@" 'cd /tmp && tpctl view -o r.html r.tp 2>&1 && head -c 15 r.html') || true
  [[ $output == *'<!doctype html>'* || $output == *'<!DOCTYPE html>'* ]] || failed "$what: view says: $output"
}

# The archive, in a root that has a shell, ls and head, and the libraries that these need.
bare=$scratch/shell
mkdir -p "$bare"/{bin,tmp,proc,dev,opt,etc}
for program in bash ls head; do
  cp "$(command -v $program)" "$bare/bin/"
  for library in $(ldd "$(command -v $program)" | grep -oE '/[^ ]+'); do
    mkdir -p "$bare$(dirname "$library")"
    cp -nL "$library" "$bare$library"
  done
done
cp -a "$prefix" "$bare/opt/tp"
in_shell() {
  unshare --mount --fork --pid bash -c 'mount -t proc proc "$1/proc" && exec chroot "$1" /bin/bash -c "PATH=/opt/tp/bin:/bin; $2"' - "$bare" "$1"
}
if [[ $(id -u) -eq 0 ]] && in_shell true 2>/dev/null; then
  try_out "archive" in_shell
else
  skipped "the archive in a bare root: that needs root"
fi

# The .deb files, in a bare Debian.
debs=("$packages"/tp-tools_*.deb)
bare=$scratch/bare
in_debian() {
  unshare --mount --fork --pid bash -c 'mount -t proc proc "$1/proc" && exec chroot "$1" /bin/bash -c "$2"' - "$bare" "$1"
}
# Not what runs leave: dpkg's own notes, and libtprt's folder in /tmp.
files_of_debian() {
  (cd "$bare" && find . -xdev \( -path ./proc -o -path ./sys -o -path ./dev -o -path ./tmp -o -path ./var/lib/dpkg -o -path ./var/log -o -path ./var/cache \) -prune -o -print | sort)
}
if [[ $(id -u) -ne 0 ]] || ! command -v debootstrap >/dev/null; then
  skipped ".deb in a bare Debian: that needs root and debootstrap"
elif ! debootstrap --variant=minbase bookworm "$bare" >"$scratch/debootstrap.log" 2>&1; then
  skipped ".deb in a bare Debian: debootstrap failed: $(tail -1 "$scratch/debootstrap.log")"
else
  files_of_debian >"$scratch/before"
  mkdir "$bare/packages"
  cp "${debs[@]}" "$packages"/tp-clang-*.deb "$bare/packages/"
  in_debian 'dpkg --install /packages/tp-tools_*.deb' >"$scratch/log" 2>&1 || { cat "$scratch/log"; failed "dpkg --install tp-tools"; }
  try_out ".deb" in_debian
  # Without its clang, the plugin's package is refused by name.
  for deb in "$packages"/tp-clang-*.deb; do
    clang=$(basename "${deb%%_*}") clang=${clang#tp-}
    ! output=$(in_debian "dpkg --install /packages/$(basename "$deb")" 2>&1) || failed "tp-$clang is installed without $clang"
    [[ $output == *"depends on $clang"* ]] || failed "dpkg does not name $clang: $output"
  done
  ! output=$(in_debian 'tp-clang --version' 2>&1) || failed "tp-clang runs without a clang"
  [[ $output == *'tp-clang: error:'* ]] || failed "tp-clang without a clang says: $output"
  in_debian 'dpkg --purge $(dpkg --get-selections "tp-clang-*" | cut -f 1) tp-tools' >"$scratch/log" 2>&1 || { cat "$scratch/log"; failed "dpkg --purge"; }
  rm -r "$bare/packages"
  files_of_debian >"$scratch/after"
  diff "$scratch/before" "$scratch/after" || failed "something of tp is left after it was removed"
fi

# The oldest C library that the packages allow is glibc 2.31. It has threads and the loader's
# functions in libraries of their own, which dash does not load.
bare=$scratch/oldest
if [[ $(id -u) -ne 0 ]] || ! command -v debootstrap >/dev/null; then
  skipped ".deb with glibc 2.31: that needs root and debootstrap"
elif ! debootstrap --variant=minbase bullseye "$bare" >"$scratch/debootstrap.log" 2>&1; then
  skipped ".deb with glibc 2.31: debootstrap failed: $(tail -1 "$scratch/debootstrap.log")"
else
  cp "${debs[@]}" "$bare/opt"
  in_debian 'dpkg --install /opt/tp-tools_*.deb' >"$scratch/log" 2>&1 || { cat "$scratch/log"; failed "dpkg --install tp-tools in Debian 11"; }
  try_out ".deb in Debian 11" in_debian
  output=$(in_debian "tpctl count --children --code 'libc.so*!getppid' --format=csv -- \
    perl -e 'for (1..3) { if (!fork) { getppid() for 1..100; exit } } 1 while wait > 0; getppid() for 1..1000' 2>&1") || true
  [[ $output == *,1300 ]] || failed ".deb in Debian 11: count of 1,300 calls says: $output"
  # Into running processes: perl has the library of threads, and dash gets it.
  attach_to() { # PROGRAM FUNCTIONS COMMAND
    output=$(in_debian "$3 & sleep 0.2; pid=\$(pidof -s $1); tpctl count -p \$pid --code '$2' --for 0.5 --format=csv 2>&1; kill -0 \$pid && echo runs on") || true
    [[ $output == *'loaded libtprt'*,[1-9]*'runs on' ]] || failed ".deb in Debian 11: tpctl count -p of $1 says: $output"
  }
  attach_to perl 'libc.so*!getppid' "perl -e 'getppid(), select(undef,undef,undef,0.001) while 1'"
  attach_to dash 'libc.so*!{read,__read}' "yes | while read line; do sleep 0.001; echo; done | dash -c 'while read line; do :; done'"
  # Without these libraries, there is no control, and the program runs on.
  status=0
  in_debian 'LD_PRELOAD=libtprt.so.0 TPRT_OPTIONS=control=1 dash -c "exit 7"' 2>"$scratch/log" || status=$?
  [[ $status -eq 7 && $(<"$scratch/log") == *'the control cannot be started'* ]] || failed "libtprt alone in Debian 11: $status, $(<"$scratch/log")"
fi

if command -v lintian >/dev/null; then
  # Nobody has filed a bug in Debian that asks for the package.
  lintian --quiet --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs --allow-root "$packages"/*.deb || failed "lintian"
else
  skipped "lintian, which is not installed"
fi
if ! command -v rpmlint >/dev/null || ! command -v rpmbuild >/dev/null; then
  skipped "rpmlint, which is not installed"
else
  rpmlint -c "$root/cmake/package/rpmlint.toml" "$packages"/*.rpm >"$scratch/log" 2>&1 || { cat "$scratch/log"; failed "rpmlint"; }
fi

[[ $failures -eq 0 ]] || exit 1
echo "packages: ok, the archive has $((size >> 10)) kB"
