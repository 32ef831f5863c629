#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# A whole Linux of another processor, emulated by qemu, in which commands run as if they
# ran here: in the same folder, with the same environment, streams, signals and exit code.
# docs/dev/machine.md describes it.
#
# usage: machine.sh [OPTION]... PROCESSOR fetch | start | stop | status | console
#        machine.sh [OPTION]... PROCESSOR run [-E NAME=VALUE]... COMMAND [ARGUMENT]...
#   PROCESSOR      a name of scripts/machine/processors: aarch64, aarch64-16k, ppc64el
#   fetch          gets kernel, root file system and emulator by apt; `start` needs them
#   start          boots; says so if the machine runs already
#   run            runs a command, and boots first if the machine does not run
#   stop, status   ends the machine; says whether it runs (exit code 1: no)
#   console        prints what the kernel printed
# options
#   --build FOLDER   where the machine's files are: FOLDER/machine (build)
#   --name NAME      tells machines of one processor apart (the processor's name)
#   --owner PID      the machine ends when this process ends (the caller of this script)
#   --share FOLDER   a further folder that the machine sees, besides the source and the build folder
#   --seconds N      it ends after N seconds at the latest (14400)
#   --megabytes N    its memory (2048)
#   --processors N   how many processors it has (2)
# Exit codes of its own: 125 it cannot run, 77 what it needs is not there, 2 wrong usage.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source=$(dirname "$here")
build=$source/build owner=$PPID seconds=14400 megabytes=2048 processors=2 shares=() instance=

give_up() { # CODE MESSAGE
  echo "machine: $2" >&2
  exit "$1"
}

wrong() {
  sed -n 's/^# \{0,1\}\(usage: .*\)/\1/p; s/^# \( *machine.sh .*\)/\1/p' "${BASH_SOURCE[0]}" | sed -n '1,2p' >&2
  give_up 2 "$1"
}

number() { # OPTION VALUE
  [[ $2 =~ ^[1-9][0-9]{0,8}$ ]] || wrong "$1 needs a number, not '$2'"
  echo "$2"
}

while [[ ${1:-} == --* ]]; do
  [[ $# -ge 2 ]] || wrong "$1 needs a value"
  case $1 in
    --build) build=$2 ;;
    --name) instance=$2 ;;
    --owner) owner=$(number "$1" "$2") ;;
    --share) shares+=("$(cd "$2" && pwd)") || give_up 2 "--share: no folder $2" ;;
    --seconds) seconds=$(number "$1" "$2") ;;
    --megabytes) megabytes=$(number "$1" "$2") ;;
    --processors) processors=$(number "$1" "$2") ;;
    *) wrong "unknown option $1" ;;
  esac
  shift 2
done
[[ $# -ge 2 ]] || wrong "a processor and what to do are needed"
name=$1 verb=$2
shift 2
[[ $verb == run || $# -eq 0 ]] || wrong "$verb has no arguments, but '$1' was given"
[[ ${instance:-x} =~ ^[A-Za-z0-9_.-]+$ ]] || wrong "--name has letters, digits, - and _ alone, not '$instance'"
[[ -d $build ]] || give_up 2 "no build folder $build; --build names another"
build=$(cd "$build" && pwd)
folder=$build/machine
state=$folder/run/${instance:-$name}

# The short way, for thousands of commands.
[[ $verb != run || ! -s $state/port || $# -eq 0 ]] || exec "$folder/client" "$state" "$@"

row=$(grep -E "^$name " "$here/machine/processors") || wrong "no processor '$name'; known are: $(sed -n 's/^\([a-z][^ ]*\) .*/\1/p' "$here/machine/processors" | paste -sd' ')"
read -r _ debian triple emulator emulator_package machine cpu bus console kernels <<<"$row"

# The keeper has this lock as long as it lives.
runs() { [[ -f $state/lock ]] && ! flock -n "$state/lock" true; }

fetch() {
  "$here/machine/fetch.sh" "$folder" "$name" "$debian" "$emulator" "$emulator_package" "$kernels" || exit 77
}

need() {
  { [[ -f $folder/$debian/root.img && -d $folder/kernel/$name ]] && find_emulator; } ||
    give_up 77 "the parts of the machine $name are not in $folder; 'scripts/machine.sh $name fetch' gets them by apt (250 MB)"
  # virtiofsd gives each file of the shared folders the owner that the command in the machine has.
  [[ $(id -u) -eq 0 ]] || give_up 77 "virtiofsd, which shares the folders, needs root: 'sudo scripts/machine.sh ...'"
  command -v python3 >/dev/null || give_up 77 "there is no python3"
}

# Sets `qemu` and `virtiofsd`: the installed ones, or those that fetch.sh has unpacked.
find_emulator() {
  qemu=() virtiofsd=/usr/lib/qemu/virtiofsd
  if command -v "$emulator" >/dev/null && [[ -x $virtiofsd ]]; then
    qemu=("$emulator")
    return
  fi
  local unpacked=$folder/emulator/$emulator_package
  virtiofsd=$unpacked/usr/lib/qemu/virtiofsd
  qemu=("$unpacked/usr/bin/$emulator" -L "$unpacked/usr/share/qemu")
  [[ -x ${qemu[0]} && -x $virtiofsd ]] || return 1
  local library
  library=$(dirname "$(find "$unpacked/usr/lib" -name 'libslirp.so*' -print -quit)")
  export LD_LIBRARY_PATH=$library
}

# Builds what is older than its sources.
compile() { # OUTPUT COMMAND...
  local output=$1
  shift
  if [[ ! -f $output || -n $(find "$here/machine" -maxdepth 1 -name '*.*' -newer "$output") ]]; then
    "$@" "$output.new" || give_up 125 "cannot make $output (see above)"
    mv "$output.new" "$output"
  fi
}

build_programs() {
  local clang llvm at=$folder/$debian
  compile "$folder/client" "${CXX:-c++}" -std=c++17 -O2 "$here/machine/client.cpp" -o
  for clang in clang++-{22,21,20,19,18,17,16} clang++; do
    ! command -v "$clang" >/dev/null || break
  done
  llvm=$(dirname "$(readlink -f "$(command -v "$clang")")")
  [[ -x $llvm/ld.lld ]] || give_up 77 "there is no clang++ with its lld, which build the machine's agent; 'make setup' installs them"
  compile "$at/agent" "$clang" --target="$triple" --sysroot="$at/sysroot" -std=c++17 -O2 -static -fuse-ld=lld --ld-path="$llvm/ld.lld" \
    "$here/machine/agent.cpp" -o
  compile "$folder/kernel/$name/initrd" "$here/machine/initrd.py" "$folder/kernel/$name" "$at/busybox" "$at/agent" "$here/machine/init.sh"
}

start() {
  need
  mkdir -p "$state"
  chmod 700 "$state"
  {
    flock 8 # two starts at once build the programs one after the other
    build_programs
  } 8>"$folder/build.lock"
  local arguments=() share answer
  # Without the folders that are inside another one.
  for share in "$source" "$build" "${shares[@]}"; do
    [[ " ${arguments[*]} " == *" $share "* || $share == "$source"/?* ]] || arguments+=(--share "$share")
  done
  # setsid: no signal of the terminal ends the machine. The answer's end is the keeper's
  # end, or "ready".
  answer=$(setsid --fork "$here/machine/keeper.py" --state "$state" --owner "$owner" --seconds "$seconds" --boot-seconds 600 \
    --initrd "$folder/kernel/$name/initrd" --virtiofsd "$virtiofsd" --bus "$bus" --megabytes "$megabytes" "${arguments[@]}" -- \
    "${qemu[@]}" -machine "$machine" -cpu "$cpu" -smp "$processors" -accel tcg,thread=multi \
    -nodefaults -no-reboot -display none -kernel "$(echo "$folder/kernel/$name"/boot/vmlinu*)" \
    -append "console=$console quiet panic=-1 mitigations=off nokaslr" \
    -drive "if=none,id=root,file=$folder/$debian/root.img,format=raw,readonly=on,file.locking=off" -device "virtio-blk-$bus,drive=root" \
    -device "virtio-rng-$bus" 2>&1)
  case $answer in
    ready) ;;
    another) wait_for_another ;;
    *) give_up 125 "the machine $name does not start: $answer" ;;
  esac
}

wait_for_another() {
  until [[ -s $state/port ]]; do
    runs || give_up 125 "the machine $name did not start; see $state/console and $state/log"
    sleep 0.1
  done
}

stop() {
  runs || return 0
  until [[ -s $state/pid ]]; do # it has just begun
    runs || return 0
    sleep 0.1
  done
  kill "$(cat "$state/pid")" 2>/dev/null || true
  while runs; do
    sleep 0.1
  done
}

case $verb in
  fetch) fetch ;;
  start) if runs && [[ -s $state/port ]]; then echo "machine: $name runs already" >&2; else start; fi ;;
  run)
    [[ $# -gt 0 ]] || wrong "run needs a command"
    start
    exec env -u LD_LIBRARY_PATH "$folder/client" "$state" "$@"
    ;;
  stop) stop ;;
  status)
    runs || { echo "machine: $name does not run" && exit 1; }
    echo "machine: $name runs, process $(cat "$state/pid"), port $(cat "$state/port" 2>/dev/null || echo none yet)"
    ;;
  console)
    [[ -f $state/console ]] || give_up 125 "the machine $name has not run; 'scripts/machine.sh $name start' starts it"
    cat "$state/console"
    ;;
  *) wrong "unknown: $verb" ;;
esac
