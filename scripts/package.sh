#!/bin/bash
# Makes the packages of a build folder: .deb and .rpm of each component, and one archive to
# be unpacked anywhere. cmake/Packages.cmake says what is in them. Called by `make package`.
# Beside them it writes the bill of materials (scripts/sbom.py) and SHA256SUMS.
#
# usage: package.sh BUILD_FOLDER [KIND...]
#   KIND  DEB, RPM or TXZ; all three if none is named.
#         SOURCE is the source of the last commit, tp-VERSION.tar.xz, and the recipes of
#         packaging/ with checksums, tp-recipes-VERSION.tar.xz, which need TXZ. A release has
#         both.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$(cd "${1:?usage: package.sh BUILD_FOLDER [KIND...]}" && pwd)
shift
kinds=("$@")
[[ ${#kinds[@]} -gt 0 ]] || kinds=(DEB RPM TXZ)

# All times in the packages are that of the commit, or of the changelog's last change.
if [[ -z ${SOURCE_DATE_EPOCH:-} ]]; then
  SOURCE_DATE_EPOCH=$(git -C "$root" log -1 --format=%ct 2>/dev/null || stat --format=%Y "$root/CHANGELOG.md")
fi
export SOURCE_DATE_EPOCH
umask 022

# Without dpkg, CPack would not know Debian's name of the processor.
usable=() source=false
for kind in "${kinds[@]}"; do
  case $kind in
    RPM) tool=rpmbuild package=rpm ;;
    DEB) tool=dpkg package=dpkg ;;
    TXZ) tool=cpack package=cmake ;;
    SOURCE)
      if ! git -C "$root" rev-parse --verify --quiet HEAD >/dev/null; then
        echo "package: no SOURCE: $root is not a git repository, and the archive has the files of a commit" >&2
        exit 1
      fi
      source=true
      continue
      ;;
    *)
      echo "package: unknown kind '$kind': DEB, RPM, TXZ or SOURCE" >&2
      exit 2
      ;;
  esac
  if command -v "$tool" >/dev/null; then
    usable+=("$kind")
  else
    echo "package: no $kind: $tool is not installed (Debian: the package $package)" >&2
  fi
done
kinds=("${usable[@]}")
if [[ ${#kinds[@]} -eq 0 ]]; then
  echo "package: nothing to make" >&2
  exit 1
fi

rm -rf "$build/packages"
for kind in "${kinds[@]}"; do
  if ! (cd "$build" && cpack -G "$kind" --config CPackConfig.cmake) >"$build/cpack-$kind.log" 2>&1; then
    cat "$build/cpack-$kind.log" >&2
    echo "package: cpack failed for $kind" >&2
    exit 1
  fi
done
rm -rf "$build/packages/_CPack_Packages"
cd "$build/packages"

version=$(python3 -B "$root/scripts/version.py" --print "$root")
if $source; then
  # One thread, because several compress into other bytes.
  git -C "$root" archive --format=tar --prefix="tp-$version/" HEAD | xz --threads=1 -9 >"tp-$version.tar.xz"
  python3 -B "$root/scripts/recipes.py" "$root" . "$version"
fi
if [[ -f $build/build.ninja ]]; then
  python3 -B "$root/scripts/sbom.py" "$build"
else
  echo "package: no bill of materials: it needs a build folder made by 'cmake -G Ninja'" >&2
fi
sha256sum -- * >SHA256SUMS
echo "package: in $PWD:"
ls -s --block-size=1K --format=single-column | sed '1d'
