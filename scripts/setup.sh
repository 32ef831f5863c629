#!/bin/bash
# Installs the missing Debian packages for building, testing and benchmarking. It
# says what it does, and does nothing if nothing is missing. The Makefile calls it
# before everything else.
set -euo pipefail

packages=(
  # compiler and linkers
  clang-22 llvm-22 llvm-22-dev llvm-22-tools libclang-22-dev libclang-cpp22 libclang-rt-22-dev lld-22
  # the other compilers that get a plugin, with what the tests need of them
  clang-19 llvm-19 llvm-19-dev llvm-19-tools libclang-19-dev libclang-rt-19-dev lld-19
  clang-16 llvm-16 llvm-16-dev llvm-16-tools libclang-16-dev libclang-rt-16-dev lld-16
  binutils mold g++
  # build
  cmake ninja-build ccache pkg-config
  # tpctl: command line, screen, compression of recordings and of pages, writers of protobuf and of databases
  libcli11-dev libncurses-dev libzstd-dev zlib1g-dev libprotozero-dev libsqlite3-dev
  # libtprt: shortest digits of floating-point numbers
  libfmt-dev
  # libtprt-code.so, with Zydis's source package
  libzycore-dev
  # tests and benchmarks
  protobuf-compiler sqlite3 zsh valgrind libgtest-dev libunwind-dev python3 python3-psutil gdb gdb-multiarch distcc uftrace clang-format-22 bolt-22 mandoc groff-base
  # tests of tools that change a linked file
  patchelf dwz debugedit elfutils
  # tests of the pages of tpctl view, which open them
  chromium
  # tests of points: other compilers, readers of USDT probes, and another tracer to measure against
  g++-12 clang-14 lld-14 bpftrace linux-perf systemtap-sdt-dev liblttng-ust-dev lttng-tools
  # AArch64: cross compiler and emulator
  g++-aarch64-linux-gnu qemu-user
  # a server to observe; the server's own package would start it
  redis-tools
  # another C library
  musl-tools
  # a build system that a how-to page shows
  meson
  # source packages, for the demo, the benchmarks and the real programs; SQLite is
  # made and tested by Tcl
  dpkg-dev tcl tcl-dev
)

# The pages of tpctl view are made from npm packages. Any npm will do, not only
# Debian's.
if ! command -v npm >/dev/null || ! command -v node >/dev/null; then
  packages+=(nodejs npm)
fi

missing=()
# One query for all packages; dpkg prints nothing for unknown ones.
installed=$(dpkg-query --show --showformat='${db:Status-Abbrev} ${Package}\n' \
  "${packages[@]}" 2>/dev/null | sed -n 's/^.i  *//p' || true)
for package in "${packages[@]}"; do
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

unknown=()
for package in "${missing[@]}"; do
  candidate=$(apt-cache policy "$package" 2>/dev/null |
    sed -n 's/^ *Candidate: *//p')
  [[ -n $candidate && $candidate != "(none)" ]] || unknown+=("$package")
done
if [[ ${#unknown[@]} -gt 0 ]]; then
  {
    echo "setup: apt knows no package: ${unknown[*]}"
    echo "setup: this needs Debian 12 with its updates and security updates among"
    echo "setup: apt's sources (clang 22 comes with the latter); check them, then"
    echo "setup: run 'make setup' again"
  } >&2
  exit 1
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
