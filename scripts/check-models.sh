#!/bin/bash
# Checks one model of models/ by spin: the ctests `model.*` (docs/dev/models.md).
#
# First the model as it is: no step may break a rule, and each statement must be reached. Then
# each line "// remove NAME: what" of the model: with -DNAME, spin must find a fault.
#
# usage: check-models.sh MODEL.pml
set -euo pipefail

model=$(realpath "${1:?usage: check-models.sh MODEL.pml}")
for tool in spin gcc; do
  if ! command -v "$tool" >/dev/null; then
    echo "check-models: skipped: $tool is not installed; apt-get install spin gcc" >&2
    exit 77
  fi
done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cp -r "$(dirname "$model")"/. .

# Writes what the verifier says to out. A search that was cut short proves nothing.
search() { # -DNAME...
  spin "$@" -a "$(basename "$model")" >spin.out 2>&1 || { cat spin.out; exit 1; }
  gcc -O1 -w -DSAFETY -DMEMLIM=3000 -o pan pan.c
  timeout 300 ./pan -m200000 >out 2>&1 || { echo "check-models: ${model##*/} $*: no end in 300 s, or no memory"; exit 1; }
  if grep -q 'max search depth too small\|out of memory\|Search not completed.*depth' out; then
    cat out
    exit 1
  fi
}

# What no interleaving reaches. A process that never ends does not reach its end; and of the
# values that a fetch may have (parts/fetch.pml), a cell has only some.
unreached() {
  grep -E "^\s+${model##*/}:.*, state" out | grep -Ev -- '-end-|"(sled|code|more) = [0-7]"' || true
}

failed=0
search
if ! grep -q 'errors: 0' out || [[ -n $(unreached) ]]; then
  echo "${model##*/}: breaks a rule, or has statements that no interleaving reaches:"
  grep 'pan:1:' out || true
  unreached
  failed=1
else
  echo "${model##*/}: holds in $(sed -n 's/^ *\([0-9.e+]*\) states, stored.*/\1/p' out) states"
fi
removals=$(sed -n 's/^.. remove \([A-Z_]*\):.*/\1/p' "$model")
[[ -n $removals ]] || { echo "${model##*/}: names nothing to remove"; exit 1; }
for removal in $removals; do
  search "-D$removal"
  fault=$(sed -n 's/^pan:1: \(.*\) (at depth.*/\1/p' out)
  if [[ -z $fault ]]; then
    echo "  $removal: no fault is found"
    failed=1
  else
    echo "  $removal: found: $fault"
  fi
done
exit $failed
