#!/bin/bash
# Fetches the source of Lua 5.4 as its authors published it (the .orig tarball)
# from Debian's source packages, by the system's own apt configuration and keys.
# Source packages need not be enabled there: a private copy of the list of
# sources, with state and cache of its own, enables them for this one download.
#
# usage: fetch-lua.sh FOLDER     unpacks to FOLDER/lua; quick if it is there
# Exits with 1, after a message, if the package cannot be had.
set -euo pipefail

folder=${1:?usage: fetch-lua.sh FOLDER}
if [[ -f $folder/lua/src/lua.h ]]; then
  exit 0
fi
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
apt=$folder/apt
log=$folder/fetch.log
mkdir -p "$apt"/{parts,state/lists/partial,cache/archives/partial}

give_up() {
  echo "fetch-lua: $1; see $log" >&2
  exit 1
}

command -v apt-get >/dev/null || give_up "there is no apt-get here"

# The same sources, but for source packages: one-line files and deb822 files.
for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
  [[ -f $file ]] || continue
  sed -n 's/^deb\(-src\)\{0,1\}[[:blank:]]/deb-src /p' "$file" |
    sort -u >"$apt/parts/$(basename "$file").list"
done
for file in /etc/apt/sources.list.d/*.sources; do
  [[ -f $file ]] || continue
  sed 's/^Types:.*/Types: deb-src/' "$file" >"$apt/parts/$(basename "$file")"
done

options=(
  -o "Dir::Etc::sourcelist=/dev/null"
  -o "Dir::Etc::sourceparts=$apt/parts"
  -o "Dir::State=$apt/state"
  -o "Dir::State::status=/var/lib/dpkg/status"
  -o "Dir::Cache=$apt/cache"
  -o "Acquire::Languages=none"
  -o "Acquire::Retries=1"
  -o "Acquire::http::Timeout=20"
  -o "Acquire::https::Timeout=20"
)
# Root's apt drops to a user who may not be able to write here.
if [[ $(id -u) -eq 0 ]]; then
  options+=(-o "APT::Sandbox::User=root")
fi

echo "fetch-lua: reading apt's index of source packages"
: >"$log"
apt-get "${options[@]}" update >>"$log" 2>&1 ||
  echo "fetch-lua: apt-get update had errors; going on with what it got" >>"$log"

echo "fetch-lua: downloading the source of lua5.4"
(cd "$apt" && apt-get "${options[@]}" source --download-only lua5.4) \
  >>"$log" 2>&1 || give_up "apt cannot download the source package lua5.4"

tarball=$(find "$apt" -maxdepth 1 -name 'lua5.4_*.orig.tar.*' ! -name '*.asc' | head -n 1)
[[ -n $tarball ]] || give_up "the source package holds no .orig tarball"
rm -rf "$folder/lua.partial"
mkdir "$folder/lua.partial"
tar -xf "$tarball" -C "$folder/lua.partial" --strip-components=1
[[ -f $folder/lua.partial/src/lua.h ]] ||
  give_up "the tarball does not hold src/lua.h"
mv "$folder/lua.partial" "$folder/lua"
rm -rf "$apt"
echo "fetch-lua: $(basename "$tarball") unpacked to $folder/lua"
