#!/bin/bash
# Fetches the source of a Debian package as its authors published it (the .orig
# tarball, without Debian's patches) by the system's own apt configuration and
# keys. Source packages need not be enabled there: a private copy of the list of
# sources, with its own state and cache, enables them for this one download.
#
# usage: fetch-source.sh PACKAGE FOLDER
#        PACKAGE is the source package's name: lua5.4, sqlite3, libzstd. Unpacks
#        to FOLDER/PACKAGE; does nothing if that folder exists.
# If the package is not available, prints a message and exits with 1.
set -euo pipefail

package=${1:?usage: fetch-source.sh PACKAGE FOLDER}
folder=${2:?usage: fetch-source.sh PACKAGE FOLDER}
if [[ -d $folder/$package ]]; then
  exit 0
fi
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
apt=$folder/$package.apt
log=$apt/log
mkdir -p "$apt"/{parts,state/lists/partial,cache/archives/partial}

give_up() {
  echo "fetch-source: $1; see $log" >&2
  exit 1
}

command -v apt-get >/dev/null || give_up "there is no apt-get here"

# The system's list of sources, with source packages enabled: one-line and
# deb822 files.
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
# If root runs apt, apt downloads as a user who may not be able to write here.
if [[ $(id -u) -eq 0 ]]; then
  options+=(-o "APT::Sandbox::User=root")
fi

echo "fetch-source: reading apt's index of source packages"
: >"$log"
apt-get "${options[@]}" update >>"$log" 2>&1 ||
  echo "fetch-source: apt-get update had errors; continuing with the lists that it got" >>"$log"

echo "fetch-source: downloading the source of $package"
(cd "$apt" && apt-get "${options[@]}" source --only-source --tar-only --download-only "$package") \
  >>"$log" 2>&1 || give_up "apt cannot download the source package $package"

# The tarballs of additional parts are named .orig-PART.tar.*
tarball=$(find "$apt" -maxdepth 1 -name "${package}_*.orig.tar.*" ! -name '*.asc')
[[ -f $tarball ]] || give_up "the source package holds no .orig tarball"
rm -rf "$apt/unpacked"
mkdir "$apt/unpacked"
tar -xf "$tarball" -C "$apt/unpacked" --strip-components=1
mv "$apt/unpacked" "$folder/$package"
rm -rf "$apt"
echo "fetch-source: $(basename "$tarball") unpacked to $folder/$package"
