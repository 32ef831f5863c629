#!/bin/bash
# The test `fuzz`. It builds the libFuzzer targets and runs each from its corpus. Files with parsers are built with
# AddressSanitizer and UndefinedBehaviorSanitizer. The other files of the runtime come from its static library.
# TP_FUZZ_SECONDS in the environment is the total time for all targets, 20 by default. Some targets run at the same
# time. TP_FUZZ_TARGETS selects targets. With TP_FUZZ_RUNS, each target runs that many inputs, without a time limit.
# Inputs that show a fault are written to FOLDER/found. Once the fault is corrected, such an input belongs in
# corpus/TARGET/.
#
# usage: fuzz.sh SOURCE FOLDER CLANG++ LIBTPRT.A
set -euo pipefail

source=$1/runtime build=$2 clangxx=$3 library=$4
targets=${TP_FUZZ_TARGETS:-control framing frames glob module options point program symbols table}
seconds=$(((${TP_FUZZ_SECONDS:-20} + 9) / 10))
unset LD_PRELOAD TPRT_OPTIONS
mkdir -p "$build/found"

# Each target and the files that the target tests.
declare -A files=(
  [control]='control/detach_sites control/probe_groups control/list_sites control/read_group control/recording_requests control/dispatch control/selection aggregate/aggregations programs/program_check programs/quick_condition aggregate/read_rows control/read_program'
  [framing]='control/detach_sites control/probe_groups control/list_sites control/read_group control/recording_requests control/dispatch control/selection control/socket programs/program_check programs/quick_condition control/read_program'
  [frames]='decode/unwind_entries'
  [glob]='names/path_glob'
  [module]='loader/loader_walk os/linux/walk loader/module_list loader/build_sites modules/sled_table modules/point_groups modules/point_table base/checksum elf/symbols elf/elf_file'
  [options]='' # includes it
  [point]='points/braces points/characters points/decimal points/escape
    points/floating points/number points/printf points/shortest points/values'
  [program]='programs/doubles programs/program_check programs/quick_condition programs/read_memory programs/hit_keys programs/run_program names/glob'
  [symbols]='elf/symbols elf/elf_file elf/source_lines elf/debug_line names/path_glob'
  [table]='modules/sled_table modules/point_table base/checksum'
)
until=(-max_total_time="$seconds")
[[ -z ${TP_FUZZ_RUNS:-} ]] || until=(-runs="$TP_FUZZ_RUNS")
compile=("$clangxx" -std=c++20 -O1 -gline-tables-only -w -fsanitize=fuzzer-no-link,address,undefined
  -fno-sanitize-recover=all -fno-rtti -fno-exceptions -ftls-model=initial-exec
  -I "$source" -I "$source/include" -I "$source/arch/$(uname -m)" -c)
# fuzz_module.cpp replaces the loader.
compile+=(-Ddl_iterate_phdr=fuzz_iterate_phdr)
pids=()
for file in $(for target in $targets; do printf '%s\n' ${files[$target]}; done | sort -u); do
  object=$build/$(basename "$file").o
  newer=$(find "$source" \( -name '*.h' -o -path "$source/$file.cpp" \) -newer "$object" -print -quit 2>/dev/null || echo none)
  [[ -z $newer ]] || { "${compile[@]}" "$source/$file.cpp" -o "$object" & pids+=($!); }
done
for target in $targets; do
  "${compile[@]}" "$source/tests/fuzz/fuzz_$target.cpp" -o "$build/fuzz_$target.o" &
  pids+=($!)
done
for pid in "${pids[@]}"; do wait "$pid"; done

fuzz() { # target
  local objects=("$build/fuzz_$1.o") file work=$build/found/$1
  for file in ${files[$1]}; do objects+=("$build/$(basename "$file").o"); done
  # Requests need sites.
  [[ $1 != control && $1 != framing ]] || objects+=("$source/tests/stress/$(uname -m)/sleds.S" -I "$source/include")
  "$clangxx" -fsanitize=fuzzer,address,undefined "${objects[@]}" "$library" -ldl -o "$build/fuzz_$1"
  mkdir -p "$work"
  # 3 closes standard output and standard error, so that the runtime's own messages are
  # not shown. Reports of faults are still shown.
  "$build/fuzz_$1" "${until[@]}" -timeout=10 -close_fd_mask=3 -max_len=4096 \
    -artifact_prefix="$work/" "$work" "$source/tests/fuzz/corpus/$1" 2>"$work.log"
}

# The number of targets that run at the same time is the number of processors.
failed=()
finish() { # the first that was started
  local target=${running[0]%:*} pid=${running[0]#*:}
  running=("${running[@]:1}")
  wait "$pid" || failed+=("$target")
  if [[ -n ${TP_FUZZ_RUNS:-} ]]; then echo "== $target, $TP_FUZZ_RUNS inputs"; else echo "== $target, $seconds s"; fi
  tail -n 2 "$build/found/$target.log" || true
}
running=()
for target in $targets; do
  ((${#running[@]} < $(nproc))) || finish
  fuzz "$target" &
  running+=("$target:$!")
done
while ((${#running[@]})); do finish; done
for target in "${failed[@]}"; do tail -n 60 "$build/found/$target.log" || true; done
((${#failed[@]} == 0))
