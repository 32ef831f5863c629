#!/bin/sh
# Asks for variables at a line, and compares the sums with those of the program. Usage: variables.sh TPCTL LEAST PROGRAM.
# LEAST: how many variables have to be known; the others may be refused, but never have another value.
set -u
tpctl=$1 least=$2 program=$3
known=0 failed=0
error=$(mktemp)
trap 'rm -f "$error"' EXIT
"$program" >"$error.sums" || exit 1
while read -r place name sum; do
    got=$("$tpctl" count --code --traps "$place" --of "$name" --format csv -o - -- "$program" 2>"$error" |
        sed -n '2,$p' | awk -F, '{ hits += $3; sum += $4; unknown += $7 } END { print hits, sum, unknown }')
    case $got in
    "20 $sum 0") known=$((known + 1)) ;;
    *)
        if ! grep -q "error: --of: '.*' cannot be read: \|is no variable at" "$error" || [ "$least" = all ]; then
            echo "$program: $name at $place: expected '20 $sum 0', got '$got'"
            cat "$error"
            failed=1
        fi
        ;;
    esac
done <"$error.sums"
rm -f "$error.sums"
[ "$least" = all ] || [ "$known" -ge "$least" ] || { echo "$program: only $known variables are known" && failed=1; }
exit $failed
