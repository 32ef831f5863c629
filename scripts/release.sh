#!/bin/bash
# Makes a release: sets the version in all files, dates the changelog's section, commits, tags,
# and builds what is published. It pushes and publishes nothing; at its end it says what to push.
#
# usage: release.sh [--dry-run] [--tag-only] [--build FOLDER] VERSION
#   --dry-run       checks, and shows what would be changed, without changing anything
#   --tag-only      commits and tags, and builds nothing: another machine builds from the tag
#   --build FOLDER  the build folder, instead of build/
#
# All checks are made before the first change. If a later step fails, the commit and the tag are
# taken back, unless something else was committed meanwhile; then it says how to do that.
set -euo pipefail

usage="usage: release.sh [--dry-run] [--tag-only] [--build FOLDER] VERSION"
dry=false tag_only=false build='' version=''
wrong() {
  echo "release: error: $1" >&2
  echo "$usage" >&2
  exit 2
}
while [[ $# -gt 0 ]]; do
  case $1 in
    --dry-run) dry=true ;;
    --tag-only) tag_only=true ;;
    --build)
      [[ $# -gt 1 ]] || wrong "--build needs a folder"
      build=$2
      shift
      ;;
    --help)
      echo "$usage"
      exit 0
      ;;
    -*) wrong "unknown option '$1'" ;;
    *)
      [[ -z $version ]] || wrong "two versions, '$version' and '$1'"
      version=$1
      ;;
  esac
  shift
done
[[ -n $version ]] || wrong "no version"

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
# A hook of git may have set these for another repository.
# shellcheck disable=SC2046
unset $(git rev-parse --local-env-vars)
build=${build:-build}
tag=v$version

# --- checks: all of them, so that one run shows all that is to be done -----------------------
errors=0
error() { # message, note
  echo "release: error: $1" >&2
  [[ $# -lt 2 ]] || echo "release: note: $2" >&2
  errors=$((errors + 1))
}
newer() { # one, other: whether the first version is newer than the second one
  [[ $1 != "$2" && $(printf '%s\n' "$1" "$2" | sort --version-sort | tail -1) == "$1" ]]
}

if [[ ! $version =~ ^(0|[1-9][0-9]*)(\.(0|[1-9][0-9]*)){2}$ ]]; then
  error "'$version' is not a version" "a version is three numbers with dots, as in 1.0.2; the tag gets the letter v"
fi
if [[ $(git rev-parse --show-toplevel 2>/dev/null) != "$root" ]]; then
  error "$root is not a git repository" "a release is a commit with a tag; clone the repository, and run the clone's scripts/release.sh"
  exit 1
fi
if ! branch=$(git symbolic-ref --quiet --short HEAD); then
  branch=''
  error "no branch is checked out" "'git switch BRANCH' checks one out; the commit of the release would be on none"
fi
changed=$(git status --porcelain)
if [[ -n $changed ]]; then
  error "the tree has changes that are not committed: $(head -3 <<<"$changed" | cut -c4- | paste -sd ' ')$([[ $(wc -l <<<"$changed") -le 3 ]] || echo " and $(($(wc -l <<<"$changed") - 3)) more")" \
    "commit them, or put them away by 'git stash --include-untracked'"
fi
if git rev-parse --verify --quiet "refs/tags/$tag" >/dev/null; then
  error "there is a tag $tag already, at $(git rev-parse --short "$tag^{commit}")" "take the next version; a tag that others may have fetched does not change"
fi
last=$(git tag --list 'v[0-9]*' --sort=-version:refname | head -1)
if [[ -n $last && $last != "$tag" ]] && ! newer "$version" "${last#v}"; then
  error "$version is not newer than ${last#v}, the last release" "'git tag --list \"v*\"' shows the releases"
fi
current=$(python3 -B scripts/version.py --print .)
if [[ $version != "$current" ]] && ! newer "$version" "$current"; then
  error "$version is older than $current, the version in CMakeLists.txt"
fi
if ! disagree=$(python3 -B scripts/version.py .); then
  error "files disagree about the version:"$'\n'"$disagree"
fi
git var GIT_COMMITTER_IDENT >/dev/null 2>&1 ||
  error "git does not know who you are" "'git config user.name NAME' and 'git config user.email ADDRESS' tell it"
heading='^## (.* — )?[Uu]nreleased$'
sections=$(grep -cE "$heading" CHANGELOG.md || true)
if [[ $sections -ne 1 ]]; then
  error "CHANGELOG.md has $sections sections that are unreleased, and should have 1" \
    "its heading is '## $version — unreleased' or '## Unreleased'; below it is what has changed since the last release"
elif [[ -z $(sed -nE "/$heading/,/^## [^#]/{/^##? /d;/^### /d;/[^[:space:]]/p}" CHANGELOG.md | head -1) ]]; then
  error "the section of CHANGELOG.md that is unreleased is empty" "write what has changed for users since ${last:-the beginning}"
fi
if ! $tag_only && [[ ! -f $build/CMakeCache.txt && $build != build ]]; then
  error "$build is not a build folder" "without --build, build/ is configured and built"
fi
if ! $tag_only && [[ -f $build/CMakeCache.txt ]] && ! grep -qE '^CMAKE_BUILD_TYPE:\w+=Rel' "$build/CMakeCache.txt"; then
  error "$build is not configured for a release: $(grep -E '^CMAKE_BUILD_TYPE:' "$build/CMakeCache.txt" | cut -d= -f2)" \
    "a Debug build is slow, and contains the names of this machine's folders; 'cmake --preset default' configures build/"
fi
if [[ $errors -gt 0 ]]; then
  echo "release: nothing was changed" >&2
  exit 1
fi

# --- the changes -------------------------------------------------------------------------------
date=$(date --utc +%Y-%m-%d)
set_version() { # folder
  python3 -B scripts/version.py --set "$version" "$1" >/dev/null
  sed -i -E "s/$heading/## $version — $date/" "$1/CHANGELOG.md"
}

if $dry; then
  copy=$(mktemp -d "${TMPDIR:-/tmp}/tp-release.XXXXXX")
  trap 'rm -rf "$copy"' EXIT
  git archive --format=tar HEAD | tar -xf - -C "$copy"
  set_version "$copy"
  echo "release: these changes would be committed on $branch as 'release: tp $version', and tagged $tag:"
  (cd "$copy" && git --git-dir="$root/.git" --work-tree=. -c core.fsmonitor=false diff --no-color --unified=0 HEAD -- .)
  if $tag_only; then
    echo "release: nothing would be built"
  else
    echo "release: 'make package' would build in $build/ and write what is published to $build/packages/"
  fi
  echo "release: --dry-run: nothing was changed"
  exit 0
fi

before=$(git rev-parse HEAD)
after=''
undo() {
  local status=$?
  trap - EXIT
  [[ $status -ne 0 ]] || exit 0
  local now
  now=$(git rev-parse HEAD)
  if [[ $now == "$before" && -z $after ]]; then # the tree was clean
    git checkout --quiet HEAD -- .
    echo "release: the files are as they were; nothing was committed" >&2
  elif [[ $now == "$after" ]] && git reset --quiet --keep "$before"; then
    git tag --delete "$tag" >/dev/null 2>&1 || true
    echo "release: the commit and the tag $tag were taken back; the tree is as it was" >&2
  else
    {
      echo "release: the commit $(git rev-parse --short "$after") 'release: tp $version' and the tag $tag are left, because the tree has changed"
      echo "release: note: 'git tag --delete $tag' and 'git rebase --onto $before $after $branch' take them back"
    } >&2
  fi
  exit "$status"
}
trap undo EXIT
trap 'exit 130' INT TERM

set_version .
echo "release: setting the version $version"
git commit --quiet --all --message "release: tp $version"
after=$(git rev-parse HEAD)
git tag --annotate --message "tp $version" "$tag"
if ! $tag_only; then
  echo "release: building in $build/"
  make --no-print-directory BUILD="$build" build
  scripts/package.sh "$build" DEB RPM TXZ SOURCE
fi
trap - EXIT INT TERM

remote=$(git config "branch.$branch.remote" || echo origin)
url=$(sed -nE 's/^The address is <(.*)>\.$/\1/p' packaging/README.md)
echo "release: tp $version is committed on $branch and tagged $tag. To publish it:"
echo "    git push $remote $branch $tag"
if $tag_only; then
  echo "and on the machine that builds, at $tag:"
  echo "    make build && scripts/package.sh build DEB RPM TXZ SOURCE"
  build=build
fi
echo "then upload all files of $build/packages/ to $url/releases/download/$tag/"
echo "and publish the recipes of tp-recipes-$version.tar.xz (packaging/README.md says where)."
echo "To take the release back before that: git tag --delete $tag && git reset --keep $before"
