#!/bin/bash
# Fetches a Debian package by the system's own apt configuration and keys, and unpacks
# it without installing it: a package of a server would start that server.
#
# usage: fetch-program.sh PACKAGE FOLDER
#        Unpacks to FOLDER/PACKAGE; does nothing if that folder exists.
# If the package is not available, prints a message and exits with 1.
set -euo pipefail

package=${1:?usage: fetch-program.sh PACKAGE FOLDER}
folder=${2:?usage: fetch-program.sh PACKAGE FOLDER}
[[ ! -d $folder/$package ]] || exit 0
apt=$folder/$package.apt
log=$apt/log
rm -rf "$apt"
mkdir -p "$apt/unpacked"

give_up() {
  echo "fetch-program: $1; see $log" >&2
  exit 1
}

command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || give_up "there is no apt-get here"
options=(-o "Acquire::Retries=1" -o "Acquire::http::Timeout=20" -o "Acquire::https::Timeout=20")
# If root runs apt, apt downloads as a user who may not be able to write here.
if [[ $(id -u) -eq 0 ]]; then
  options+=(-o "APT::Sandbox::User=root")
fi
(cd "$apt" && apt-get "${options[@]}" download "$package") >"$log" 2>&1 ||
  give_up "apt cannot download the package $package"
dpkg-deb -x "$apt/$package"_*.deb "$apt/unpacked" >>"$log" 2>&1 || give_up "the package $package cannot be unpacked"
mv "$apt/unpacked" "$folder/$package"
rm -rf "$apt"
