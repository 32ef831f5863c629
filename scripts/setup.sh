#!/bin/bash
# Installs the missing packages. It says what it does, does nothing if nothing is missing,
# and never removes a package. The Makefile calls it before everything else.
#
# usage: setup.sh [--build] [--test] [--bench] [--list]
#   --build  what `make build` and `make demo` need, which is always included
#   --test   and what `make check` needs
#   --bench  and what `make bench` compares with
#   --list   prints the names and installs nothing
set -euo pipefail

test=false bench=false list=false
for argument in "$@"; do
  case $argument in
    --build) ;;
    --test) test=true ;;
    --bench) bench=true ;;
    --list) list=true ;;
    *)
      echo "setup: unknown argument '$argument'; usage: setup.sh [--build] [--test] [--bench] [--list]" >&2
      exit 2
      ;;
  esac
done

# os-release(5) names the distribution. TP_OS_RELEASE names another file, for the tests.
ID='' ID_LIKE='' PRETTY_NAME='this system'
# shellcheck disable=SC1090
[[ ! -r ${TP_OS_RELEASE:-/etc/os-release} ]] || . "${TP_OS_RELEASE:-/etc/os-release}"

other=()
# Packages of other distributions than Debian, for building. Nobody has tried these lists,
# nor Debian 13 and Ubuntu.
case " $ID $ID_LIKE " in
  *' debian '* | *' ubuntu '*) ;;
  *' fedora '*)
    other=(dnf install clang llvm-devel llvm-static clang-devel lld cmake ninja-build ccache gcc-c++ glibc-static libstdc++-static
      cli11-devel ncurses-devel ncurses-static libzstd-devel libzstd-static zlib-ng-compat-static protozero-devel sqlite-devel
      fmt-devel zydis-devel zycore-c-devel nodejs-npm python3)
    ;;
  *' arch '*)
    other=(pacman -S --needed clang llvm lld cmake ninja ccache gcc cli11 ncurses zstd zlib protozero sqlite fmt zydis npm python)
    ;;
  *' alpine '*)
    other=(apk add bash clang22-dev llvm22-dev llvm22-static lld cmake ninja ccache g++ cli11-dev ncurses-dev ncurses-static
      zstd-dev zstd-static zlib-static protozero-dev sqlite-dev sqlite-static fmt-dev npm python3 linux-headers)
    ;;
  *)
    other=(none)
    ;;
esac
if [[ ${#other[@]} -gt 0 ]]; then
  if [[ ${other[0]} == none ]]; then
    echo "setup: $PRETTY_NAME is unknown to this script. 'scripts/setup.sh --list' on Debian prints what is needed." >&2
  else
    echo "setup: this script installs packages on Debian and Ubuntu alone. On $PRETTY_NAME these should do (untried):" >&2
    echo "    ${other[*]}" >&2
  fi
  # The build itself says what it lacks.
  exit 0
fi

known() { # package
  local candidate
  candidate=$(apt-cache policy "$1" 2>/dev/null | sed -n 's/^ *Candidate: *//p')
  [[ -n $candidate && $candidate != "(none)" ]]
}

# The newest clang that there are packages of. Debian 12 has 22 among its security updates.
clang=22
if ! known clang-22 && [[ $(id -u) -eq 0 ]]; then
  apt-get update -qq || true # the lists may be old, or missing
fi
if ! known clang-22 && known libc6; then
  for clang in 21 20 19 18 17 16 22; do
    ! known "libclang-$clang-dev" || break
  done
  echo "setup: apt knows no clang 22: tpctl and tp-select, which are built with LLVM 22, will be left out" >&2
fi

packages=(
  # compiler and linkers
  "clang-$clang" "llvm-$clang" "llvm-$clang-dev" "libclang-$clang-dev" "libclang-cpp$clang" "libclang-rt-$clang-dev" "lld-$clang"
  binutils g++
  # build
  cmake ninja-build ccache pkg-config python3
  # tpctl: command line, screen, compression of recordings and of pages, writers of protobuf and of databases
  libcli11-dev libncurses-dev libzstd-dev zlib1g-dev libprotozero-dev libsqlite3-dev
  # libtprt: shortest digits of floating-point numbers
  libfmt-dev
  # libtprt-code.so, with Zydis's source package
  libzycore-dev
  # source packages: Zydis, and Lua for the demo
  dpkg-dev
)

# The pages of tpctl view are made from npm packages. Any npm will do, not only
# Debian's.
if ! command -v npm >/dev/null || ! command -v node >/dev/null; then
  packages+=(nodejs npm)
fi

# A package that apt does not know is left out of these two lists.
more=()
if $test; then
  more+=(
    # LLVM's test tools, and the other compilers that get a plugin, with what the tests need of them
    "llvm-$clang-tools"
    clang-19 llvm-19 llvm-19-dev llvm-19-tools libclang-19-dev libclang-rt-19-dev lld-19
    clang-16 llvm-16 llvm-16-dev llvm-16-tools libclang-16-dev libclang-rt-16-dev lld-16
    mold
    protobuf-compiler sqlite3 zsh valgrind libgtest-dev libunwind-dev python3-psutil gdb gdb-multiarch distcc
    "clang-format-$clang" "bolt-$clang" mandoc groff-base strace
    # a program with TLS to ask about
    openssl
    # tests of tools that change a linked file
    patchelf dwz debugedit elfutils
    # tests of the pages of tpctl view, which open them
    chromium
    # tests of points: other compilers, and readers of USDT probes
    g++-12 clang-14 lld-14 bpftrace linux-perf systemtap-sdt-dev liblttng-ust-dev
    # AArch64: cross compiler and emulator
    g++-aarch64-linux-gnu qemu-user
    # PowerPC64: cross compiler, to link what the compiler makes and run it with the emulator
    g++-powerpc64le-linux-gnu
    # a server to observe; the server's own package would start it
    redis-tools
    # another C library
    musl-tools
    # models of how code is changed
    spin
    # a build system that a how-to page shows
    meson
    # tests of the packages, and of the recipes for other package managers
    rpm cpio lintian rpmlint debootstrap ruby nix-bin shellcheck python3-yaml curl
    # the real programs: SQLite is made and tested by Tcl
    tcl tcl-dev
  )
fi
if $bench; then # other tracers to measure against, and SQLite, made by Tcl
  more+=(uftrace bpftrace linux-perf systemtap-sdt-dev liblttng-ust-dev lttng-tools tcl tcl-dev)
fi
if $list; then
  printf '%s\n' "${packages[@]}" "${more[@]}"
  exit 0
fi

missing=()
# One query for all packages; dpkg prints nothing for unknown ones.
installed=$(dpkg-query --show --showformat='${db:Status-Abbrev} ${Package}\n' \
  "${packages[@]}" "${more[@]}" 2>/dev/null | sed -n 's/^.i  *//p' || true)
for package in "${packages[@]}" "${more[@]}"; do
  grep -qxF -- "$package" <<<"$installed" || missing+=("$package")
done
if [[ ${#missing[@]} -eq 0 ]]; then
  exit 0
fi

echo "setup: not installed: ${missing[*]}"
as_root=()
if [[ $(id -u) -ne 0 ]]; then
  if ! command -v sudo >/dev/null; then
    echo "setup: not root, and there is no sudo. As root, run:" >&2
    echo "    apt-get update && apt-get install --no-remove ${missing[*]}" >&2
    exit 1
  fi
  echo "setup: installing packages needs root; sudo may ask for your password"
  as_root=(sudo)
fi

echo "setup: apt-get update"
if ! "${as_root[@]}" apt-get update -qq; then
  echo "setup: apt-get update failed (see above); trying with the present lists" >&2
fi

unknown=() left_out=() wanted=()
for package in "${missing[@]}"; do
  if known "$package"; then
    wanted+=("$package")
  elif [[ " ${more[*]} " == *" $package "* ]]; then
    left_out+=("$package")
  else
    unknown+=("$package")
  fi
done
missing=("${wanted[@]}")
if [[ ${#unknown[@]} -gt 0 ]]; then
  {
    echo "setup: apt knows no package: ${unknown[*]}"
    echo "setup: this needs Debian 12 with its updates and security updates among"
    echo "setup: apt's sources (clang 22 comes with the latter), or a Debian or Ubuntu with"
    echo "setup: a clang from 16 to 22; check the sources, then run this again"
  } >&2
  exit 1
fi
if [[ ${#left_out[@]} -gt 0 ]]; then
  echo "setup: left out, as apt does not know them: ${left_out[*]}. The tests that need them are skipped." >&2
  [[ ${#missing[@]} -gt 0 ]] || exit 0
fi

# Without --no-remove, apt would remove what a package conflicts with, without a question.
# A machine may have such packages: gcc-multilib conflicts with the cross compilers.
fits() {
  apt-get --simulate install --no-remove --no-install-recommends "$@" >/dev/null 2>&1
}
if ! fits "${missing[@]}"; then
  kept=() left_out=()
  for package in "${missing[@]}"; do
    if fits "${kept[@]}" "$package"; then
      kept+=("$package")
    else
      left_out+=("$package")
    fi
  done
  {
    echo "setup: left out: ${left_out[*]}"
    echo "setup: apt would have to remove other packages for them, which this script never"
    echo "setup: does; 'apt-get --simulate install ${left_out[0]:-}' shows which. What needs"
    echo "setup: them is left out, too."
  } >&2
  missing=("${kept[@]}")
  [[ ${#missing[@]} -gt 0 ]] || exit 0
fi

echo "setup: apt-get install --no-remove ${missing[*]}"
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
  --no-remove --no-install-recommends "${missing[@]}"
echo "setup: done"
