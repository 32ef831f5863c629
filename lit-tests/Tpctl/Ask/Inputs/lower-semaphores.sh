# Watches a probe of a program, first by a group that is turned off, and then
# by a tool that is killed. The program's output goes to OUT.
# usage: lower-semaphores.sh TPCTL PROGRAM OUT
"$2" wait > "$3" &
pid=$!
"$1" on --traps -p $pid 'usdt:shop:sold'
until test "$(grep -c '^raised$' "$3")" = 1; do kill -0 $pid || exit 1; done
"$1" off -p $pid 'usdt:shop:sold'
"$1" count --traps -p $pid 'usdt:shop:sold' &
tool=$!
until test "$(grep -c '^raised$' "$3")" = 2; do kill -0 $tool || exit 1; done
kill -KILL $tool
until "$1" status -p $pid | grep -q 'nothing is attached'; do kill -0 $pid || exit 1; done
kill -TERM $pid
wait $pid
