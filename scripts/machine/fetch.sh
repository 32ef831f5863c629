#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Fetches what an emulated machine (scripts/machine.sh) is made of: a kernel and the root
# file system of Debian, and the emulator, if it is not installed. apt downloads the
# packages, and nothing is installed (scripts/unpack-packages.sh).
#
# usage: fetch.sh FOLDER NAME DEBIAN_ARCHITECTURE EMULATOR EMULATOR_PACKAGE KERNELS
# It makes FOLDER/emulator/EMULATOR_PACKAGE, FOLDER/DEBIAN_ARCHITECTURE/{root.img,sysroot,busybox} and
# FOLDER/kernel/NAME, and leaves out what is there.
set -euo pipefail
export PATH=$PATH:/usr/sbin:/sbin

folder=$1 name=$2 debian=$3 emulator=$4 emulator_package=$5 kernels=$6
log=$folder/fetch.log says=machine
source "$(dirname "${BASH_SOURCE[0]}")/../unpack-packages.sh"

# In the root file system: what tests call. The rest is what these need.
root_packages=(base-files libc6 libstdc++6 libgcc-s1 gdb strace bash dash coreutils python3 procps util-linux mount grep sed busybox-static)
# For linking the agent.
sysroot_packages=(libc6 libc6-dev linux-libc-dev libgcc-12-dev libstdc++-12-dev)

command -v python3 >/dev/null || give_up "there is no python3"
command -v mkfs.ext4 >/dev/null || give_up "there is no mkfs.ext4; 'apt-get install e2fsprogs' installs it"

fetch_emulator() {
  command -v "$emulator" >/dev/null && [[ -x /usr/lib/qemu/virtiofsd ]] && return 0
  # A folder for each package: another machine may run with the files of its own.
  local at=$folder/emulator/$emulator_package
  [[ ! -d $at ]] || return 0
  unpack "$(dpkg --print-architecture)" "$at.new" "$emulator_package"
  [[ -x $at.new/usr/lib/qemu/virtiofsd ]] ||
    give_up "qemu's packages of this system have no /usr/lib/qemu/virtiofsd, as those of Debian 12 have; another one was never tried"
  mv "$at.new" "$at"
}

fetch_kernel() {
  [[ ! -d $folder/kernel/$name ]] || return 0
  update "$debian"
  local package image
  for package in ${kernels//,/ }; do
    # These packages only depend on the newest kernel's.
    image=$(apt apt-cache "$debian" depends "$package" | sed -n 's/^ *Depends: *\(linux-image-.*\)/\1/p' | head -n 1) || true
    [[ -z $image ]] || break
  done
  [[ -n $image ]] || give_up "apt knows no kernel package ${kernels//,/ or } for $debian; its sources need Debian's security updates"
  echo "machine: apt downloads $image ($debian)" >&2
  local at=$folder/kernel/$name.new
  rm -rf "$at"
  mkdir -p "$at"
  (cd "$at" && apt apt-get "$debian" download "$image" >>"$log") || give_up "apt cannot download $image; see $log"
  dpkg-deb -x "$at"/*.deb "$at" || give_up "$image cannot be unpacked"
  rm "$at"/*.deb
  mv "$at" "$folder/kernel/$name"
}

fetch_root() {
  local at=$folder/$debian
  [[ ! -f $at/root.img ]] || return 0
  mkdir -p "$at"
  unpack "$debian" "$at/sysroot" "${sysroot_packages[@]}"
  unpack "$debian" "$at/root" "${root_packages[@]}"
  cp "$at/root/bin/busybox" "$at/busybox"
  # What the packages' scripts would do, which are not run.
  mkdir -p "$at"/root/{proc,sys,dev,tmp,run,root,home,opt,work,srv,mnt,media,var/tmp,etc}
  ln -sfn mawk "$at/root/usr/bin/awk"
  ln -sfn dash "$at/root/usr/bin/sh"
  printf '%s\n' root:x:0:0:root:/root:/bin/bash nobody:x:65534:65534:nobody:/:/usr/sbin/nologin >"$at/root/etc/passwd"
  printf '%s\n' root:x:0: nogroup:x:65534: >"$at/root/etc/group"
  printf '%s\n' '127.0.0.1 localhost machine' >"$at/root/etc/hosts"
  rm -f "$at/root.new"
  truncate -s 900M "$at/root.new"
  mkfs.ext4 -q -F -O ^has_journal -E root_owner=0:0 -d "$at/root" "$at/root.new" >>"$log" 2>&1 || give_up "mkfs.ext4 cannot make the root file system; see $log"
  rm -rf "$at/root"
  mv "$at/root.new" "$at/root.img"
}

fetch_emulator
fetch_kernel
fetch_root
