# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Sourced by scripts that need Debian's packages, of this processor or another, in a folder
# of their own. apt downloads the packages with this machine's sources and keys, but with
# lists and a cache in a private folder, and nothing is installed. The downloaded packages
# are removed afterwards.
#
# Before it is sourced, set: folder, in which apt/ has lists and cache; log, a file for what
# apt says; says, how messages begin.

give_up() {
  echo "$says: $1" >&2
  exit 1
}

for tool in apt-get apt-cache dpkg-deb dpkg; do
  command -v "$tool" >/dev/null || give_up "there is no $tool here; the packages come from Debian, so this needs Debian or Ubuntu"
done
mkdir -p "$folder"
: >"$log"

# apt TOOL ARCHITECTURE ARGUMENT...: for the packages of one architecture. This machine's
# own dpkg state is read for its own architecture alone, so that only missing packages come.
apt() {
  local tool=$1 architecture=$2 private=$folder/apt/$2
  shift 2
  mkdir -p "$private/lists/partial" "$private/cache/archives/partial"
  local options=(-o "APT::Architecture=$architecture" -o "APT::Architectures=$architecture" -o "Dir::State::Lists=$private/lists"
    -o "Dir::Cache=$private/cache" -o Debug::NoLocking=1 -o Acquire::Retries=1 -o Acquire::http::Timeout=30 -o Acquire::https::Timeout=30
    -o APT::Update::Post-Invoke= -o APT::Update::Post-Invoke-Success=)
  [[ $(id -u) -ne 0 ]] || options+=(-o APT::Sandbox::User=root)
  [[ $architecture == "$(dpkg --print-architecture)" ]] || options+=(-o Dir::State::status=/dev/null)
  "$tool" "${options[@]}" "$@" 2>>"$log"
}

update() { # ARCHITECTURE; once in a run of this script
  [[ " ${updated:-} " != *" $1 "* ]] || return 0
  echo "$says: apt reads its lists for $1" >&2
  # Without one of several lists, which a mirror may just be changing, the others may do.
  apt apt-get "$1" update >>"$log" || echo "$says: apt cannot read all its lists for $1 (see $log), and goes on with those that it has" >&2
  updated+=" $1"
}

# Unpacks packages and all that they depend on, to a folder.
unpack() { # ARCHITECTURE FOLDER PACKAGE...
  begin_download "$@"
  apt apt-get "$1" install -y --download-only --no-install-recommends --no-remove "${@:3}" >>"$log" || no_download "$@"
  unpack_downloaded "$1" "$2"
}

# Unpacks these packages alone. FOLDER.files lists each file with its source package, the version of that, and its own.
unpack_alone() { # ARCHITECTURE FOLDER PACKAGE...
  begin_download "$@"
  (cd "$folder/apt/$1/cache/archives" && apt apt-get "$1" download "${@:3}" >>"$log") || no_download "$@"
  local package
  for package in "$folder/apt/$1/cache/archives"/*.deb; do
    dpkg-deb --fsys-tarfile "$package" | tar -t | sed -n "s|^\.\(/.*[^/]\)\$|\1 $(dpkg-deb --show --showformat='${source:Package} ${source:Version} ${Version}' "$package")|p"
  done >"$2.files"
  unpack_downloaded "$1" "$2"
}

begin_download() { # ARCHITECTURE FOLDER PACKAGE...
  update "$1"
  echo "$says: apt downloads ${*:3} ($1)" >&2
  rm -rf "$2" "$folder/apt/$1/cache/archives"
  mkdir -p "$folder/apt/$1/cache/archives/partial"
}

no_download() { # ARCHITECTURE FOLDER PACKAGE...
  give_up "apt cannot download ${*:3} for $1; see $log"
}

unpack_downloaded() { # ARCHITECTURE FOLDER
  # Debian 12 and later have /bin, /sbin and /lib as links, but some packages use these names.
  mkdir -p "$2"/usr/{bin,sbin,lib}
  local part package
  for part in bin sbin lib; do
    ln -s "usr/$part" "$2/$part"
  done
  for package in "$folder/apt/$1/cache/archives"/*.deb; do
    dpkg-deb --fsys-tarfile "$package" | tar -x -C "$2" --no-same-owner --keep-directory-symlink --exclude='./usr/share/'{doc,man,locale,i18n,info}
  done 2>>"$log" || give_up "the packages for $1 cannot be unpacked; see $log"
  rm -rf "$folder/apt/$1/cache/archives"
}
