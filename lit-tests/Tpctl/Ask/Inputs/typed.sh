#!/bin/sh
# Asks programs about their calls, and compares the answers. Usage: typed.sh TPCTL PROGRAM...
set -u
tpctl=$1
shift
failed=0

# expect FUNCTION 'OPTIONS' ROW: the first row of the CSV, without the seconds. The options have no blanks inside.
expect() {
    function=$1 options=$2 wanted=$3
    # shellcheck disable=SC2086
    got=$("$tpctl" count --code --traps "$function" $options --format csv -o - -- "$program" 2>"$error" | sed -n 2p | cut -d, -f2-)
    if [ "$got" != "$wanted" ]; then
        echo "$program: count $function $options: expected $wanted, got $got"
        cat "$error"
        failed=1
    fi
}

error=$(mktemp)
trap 'rm -f "$error"' EXIT
set -f
for program in "$@"; do
    # A key: its value, the hits. A sum: the function, hits, sum, least, greatest, unknown.
    expect by_reference '--by R.User' alice,20
    expect by_reference '--by R.Name' nnnnnnnnnnnnnnnn,20
    expect by_reference '--by str(R.Path)' /etc/passwd,20
    expect by_reference '--by R.Next->User' 'a name that is too long for the object itself,20'
    expect by_reference '--by R.Next->Next->Id-R.Id' 0,20
    expect by_reference '--if Way==BOTH --by Way' BOTH,10
    expect by_reference '--if R.Way!=READ&&R.Kind==6 --by R.Way,R.Kind' BOTH,6,2
    expect by_reference '--of R.Step' by_reference,20,-190,-19,0,0
    expect by_reference '--of Score' by_reference,20,95,0,9.5,0
    expect by_reference '--of Score*2-R.Id' by_reference,20,0,0,0,0
    expect by_reference '--if Score<1.75 --of R.Where.Y' by_reference,4,-10,-2.5,-2.5,0
    expect by_reference '--of R.Ratio' by_reference,20,5,0.25,0.25,0
    expect by_reference '--of len(R.Items)' by_reference,20,60,3,3,0
    expect by_reference '--of R.Items._M_impl._M_start[1]' by_reference,20,40,2,2,0
    expect by_reference '--of R.Inherited' by_reference,20,1540,77,77,0
    expect by_reference '--of app::Counter' by_reference,20,130,-3,16,0
    expect by_reference '--of ((app::Request*)&R)->Id' by_reference,20,190,0,19,0
    expect by_reference '--if R.User=="alice"&&R.User=~"al*" --of len(R.User)' by_reference,20,100,5,5,0
    expect by_value '--of S.A' by_value,20,190,0,19,0
    expect by_value '--of S.B' by_value,20,-190,-19,0,0
    expect by_value '--of P.X+P.Y' by_value,20,160,-1.5,17.5,0
    expect by_value '--by View' hello,20
    expect by_value '--if View=="hello" --of len(View)' by_value,20,100,5,5,0
    expect by_value '--if C==app::Color::Green --by C' Green,10
    expect by_address '--by Text,R->Id' alice,1000,20
    expect by_stack '--of G' by_stack,20,190,0,19,0
    expect by_stack '--of H' by_stack,20,-190,-19,0,0
    expect by_stack '--of X' by_stack,20,10,0.5,0.5,0
    expect of_floats '--of A+B' of_floats,20,200,0.5,19.5,0
    expect of_floats '--of result-A' of_floats,20,10,0.5,0.5,0
done
exit $failed
