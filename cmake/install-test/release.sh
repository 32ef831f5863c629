#!/bin/bash
# The ctest `release`: scripts/release.sh in clones of the source. It refuses what is not fit for
# a release, and then leaves the clone as it was. With --tag-only it sets the version everywhere,
# dates the changelog, commits and tags. It takes a release back whose build fails. `make` is a
# stand-in; the ctest `packages` builds the packages.
#
# usage: release.sh SOURCE_FOLDER
set -euo pipefail
# A hook of git or a script around this one may have set these for another repository.
# shellcheck disable=SC2046
unset $(git rev-parse --local-env-vars)

source=$(cd "${1:?usage: release.sh SOURCE_FOLDER}" && pwd)
scratch=$(mktemp -d "${TMPDIR:-/tmp}/tp-release-test.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
failures=0
failed() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}
export GIT_CONFIG_NOSYSTEM=1 HOME=$scratch

# The files that have the version, as the first commit of a repository of their own: releases that
# the source has must not matter. All files of the source would make each call of git slow.
mkdir "$scratch/clone"
cd "$scratch/clone"
(cd "$source" && tar --create --exclude=__pycache__ CMakeLists.txt CHANGELOG.md README.md man scripts packaging docs/howto \
  cmake/package runtime/include) | tar --extract
git init --quiet --initial-branch=trunk
git config user.name tester
git config user.email tester@tp.invalid
current=$(scripts/version.py --print .)
sed -i -E "0,/^## .*/s//## $current — unreleased/" CHANGELOG.md
git add --all
git commit --quiet --message start
start=$(git rev-parse HEAD)
state() { git rev-parse HEAD && git tag && git status --porcelain; }
before=$(state)

refuse() { # what, text that the output has, arguments
  local what=$1 text=$2 output had
  shift 2
  had=$(state)
  if output=$(scripts/release.sh "$@" 2>&1); then
    failed "$what is not refused: $output"
  elif [[ $output != *"$text"* ]]; then
    failed "$what: no '$text' in: $output"
  fi
  [[ $(state) == "$had" ]] || failed "$what changes the tree: $(state)"
}
again() { # the clone as it was
  git reset --quiet --hard "$start"
  git clean --quiet -fd
  git tag --list | xargs --no-run-if-empty git tag --delete >/dev/null
}

refuse "no version" "usage:"
refuse "an unknown option" "unknown option '--frce'" --frce 99.1.0
refuse "a version of two numbers" "'99.1' is not a version" --tag-only 99.1
refuse "a version with the tag's letter" "'v99.1.0' is not a version" --tag-only v99.1.0
refuse "an older version" "0.0.1 is older than $current" --tag-only 0.0.1
echo >>README.md
echo >new-file
refuse "a changed tree" "changes that are not committed: README.md new-file" --tag-only 99.1.0
again
git tag v99.1.0
refuse "a tag that exists" "there is a tag v99.1.0 already" --tag-only 99.1.0
refuse "a version before the last release" "98.0.0 is not newer than 99.1.0" --tag-only 98.0.0
again
git checkout --quiet --detach
refuse "a commit on no branch" "no branch is checked out" --tag-only 99.1.0
git checkout --quiet trunk
sed -i 's/ — unreleased/ — 2026-01-01/' CHANGELOG.md
git commit --quiet --all --message dated
refuse "a changelog without news" "0 sections that are unreleased" --tag-only 99.1.0
# Each error is shown in the first run.
refuse "two faults" "'x' is not a version" --tag-only x
refuse "two faults" "0 sections that are unreleased" --tag-only x
again
sed -i -E "/— unreleased/,/^## 0\.1/{/— unreleased/b;d}" CHANGELOG.md
git commit --quiet --all --message empty
refuse "an empty section" "is empty" --tag-only 99.1.0
again
sed -i -E '/^\.TH/s/"tp [0-9.]+"/"tp 7.7.7"/' man/tpctl.1
git commit --quiet --all --message page
refuse "files that disagree" "man/tpctl.1:" --tag-only 99.1.0
again

output=$(scripts/release.sh --dry-run 99.1.0 2>&1) || failed "--dry-run: $output"
[[ $(state) == "$before" ]] || failed "--dry-run changes the tree: $(state)"
for line in '+  VERSION 99.1.0' '+## 99.1.0 — ' '+pkgver=99.1.0' 'nothing was changed'; do
  [[ $output == *"$line"* ]] || failed "--dry-run does not show '$line': $output"
done
[[ $output != *"deleted file"* ]] || failed "--dry-run shows deleted files: $output"

output=$(scripts/release.sh --tag-only 99.1.0 2>&1) || failed "--tag-only: $output"
[[ $(git cat-file -t v99.1.0) == tag ]] || failed "the tag is not annotated"
[[ $(git rev-list --count "$start..v99.1.0") == 1 && $(git rev-parse 'v99.1.0^{commit}') == "$(git rev-parse trunk)" ]] ||
  failed "not one commit with the tag"
[[ -z $(git status --porcelain) ]] || failed "the tree is not clean: $(git status --porcelain)"
scripts/version.py . >"$scratch/log" || failed "files disagree after the release: $(cat "$scratch/log")"
[[ $(scripts/version.py --print .) == 99.1.0 ]] || failed "the version is $(scripts/version.py --print .)"
grep -qx "## 99.1.0 — $(date --utc +%Y)-..-.." CHANGELOG.md || failed "the changelog has no date"
for line in 'git push origin trunk v99.1.0' 'releases/download/v99.1.0/' "git tag --delete v99.1.0 && git reset --keep $start"; do
  [[ $output == *"$line"* ]] || failed "the output does not say '$line': $output"
done
# What it says takes the release back.
git tag --delete v99.1.0 >/dev/null && git reset --quiet --keep "$start"
[[ $(state) == "$before" ]] || failed "what it says does not take the release back: $(state)"

# A build that fails.
mkdir "$scratch/bin"
# shellcheck disable=SC2016 # the stand-in expands it
printf '%s\n' '#!/bin/bash' 'eval "$TP_MAKE"' >"$scratch/bin/make"
chmod +x "$scratch/bin/make"
export PATH=$scratch/bin:$PATH
TP_MAKE='echo no compiler >&2; exit 2' refuse "a build that fails" "the commit and the tag v99.1.0 were taken back" 99.1.0
# Work that somebody does meanwhile is kept.
output=$(TP_MAKE='echo work >>README.md; git commit --quiet --all --message work; exit 2' scripts/release.sh 99.1.0 2>&1) &&
  failed "a failing build is not noticed: $output"
[[ $(git log -1 --format=%s) == work && $output == *"the tag v99.1.0 are left"* ]] || failed "work is lost: $output"
command=$(sed -nE "s/.*note: '(git tag .*)' and '(git rebase .*)' take.*/\1 \&\& \2/p" <<<"$output")
bash -c "${command:?}" >"$scratch/log" 2>&1 || failed "$command: $(cat "$scratch/log")"
[[ $(git log --format=%s) == $'work\nstart' && $(scripts/version.py --print .) == "$current" && -z $(git tag) ]] ||
  failed "what it says does not take back the release alone: $(git log --format=%s)"

[[ $failures -eq 0 ]] || exit 1
echo "release: ok"
