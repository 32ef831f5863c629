#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the tables of docs/performance.md from the results of a run.

Each table is between `<!-- bench: NAME -->` and `<!-- bench: end -->`; the text around them stays. TABLES
below says which figures a table has, what they are, and what they are shown with. Goals are those of
report.py. A figure that the run lacks is shown as a dash. The program names each missed goal that the
document's section "Missed goals" does not mention, and each one there that was reached.

usage: document.py RESULTS_JSON DOCUMENT [DATE]
"""
import datetime
import json
import pathlib
import re
import sys

import report

# A row: the figure's name, what it is, how it is written, and what it is shown with.
RATIO = ("ratio", "what", "goal", "ratio", "ours", "XRay's")
PLAIN = ("name", "what", "goal", "measured", "compared with")
TABLES = {
    "hits": (RATIO, [
        ("hit_empty_vs_xray", "one hit, handler without vector registers", ".3f", "{hit_empty_ns:.2f} ns", "{xray_hit_empty_ns:.2f} ns"),
        ("hit_vector_vs_xray", "one hit, any other handler", ".3f", "{hit_vector_ns:.2f} ns", "{xray_hit_vector_ns:.2f} ns"),
        ("pair_empty_vs_xray", "entry and exit, handler without vector registers", ".3f", "{pair_empty_ns:.2f} ns", "{xray_pair_empty_ns:.2f} ns"),
        ("pair_vector_vs_xray", "entry and exit, any other handler", ".3f", "{pair_vector_ns:.2f} ns", "{xray_pair_vector_ns:.2f} ns"),
        ("first_flip_vs_xray", "100,000 functions flipped on for the first time", ".2f", "{first_flip_100k_ms:.1f} ms", "{xray_first_flip_100k_ms:.1f} ms"),
        ("first_flip_exits_vs_xray", "the same with exits: 200,000 sleds", ".2f", "{first_flip_100k_exits_ms:.1f} ms", "{xray_first_flip_100k_exits_ms:.1f} ms"),
        ("reflip_vs_xray", "the entries off and on again", ".2f", "{reflip_100k_ms:.2f} ms", "{xray_reflip_100k_ms:.2f} ms"),
        ("reflip_exits_vs_xray", "the same with exits", ".2f", "{reflip_100k_exits_ms:.2f} ms", "{xray_reflip_100k_exits_ms:.2f} ms"),
        ("flip_one_vs_xray", "one function of 100,000, on or off", ".2f", "{flip_one_us:.1f} µs", "{xray_flip_one_us:.1f} µs"),
        ("flip_one_busy_vs_xray", "the same with a busy thread", ".2f", "{flip_one_busy_us:.1f} µs", "{xray_flip_one_busy_us:.1f} µs"),
        ("flip_2000_busy_vs_xray", "2,000 of 100,000 with a busy thread, in one batch (XRay: one by one)", ".3f", "{flip_2000_busy_ms:.2f} ms", "{xray_flip_2000_busy_ms:.1f} ms"),
    ]),
    "scale": (PLAIN, [
        ("flip_3m_vs_100k", "a site of 3 million, off or on, over one of 100,000", ".2f", "{flip_ns_per_site_3m:.1f} ns, {flip_ns_per_site_100k:.1f} ns"),
        ("first_flip_3m_vs_100k", "the same for the first attach in a process", ".2f", "{first_flip_ns_per_site_3m:.0f} ns, {first_flip_ns_per_site_100k:.0f} ns"),
        ("name_lookup_vs_nm", "the first look-up of one of a million names, over one that `nm -p` lists", ".2f", "{name_lookup_ns:.0f} ns"),
        ("arrival_ratio", "opening a library under a pending probe: 1,500 libraries loaded over 10", ".2f", "{arrival_us_1500_libraries:.0f} µs, {arrival_us_10_libraries:.0f} µs"),
        ("dynamic_relocations", "added by the table", ".0f", ""),
        ("text_bytes_per_function_entry", "beyond alignment, for `2,0` (100,000 small functions)", ".1f", ""),
        ("stub_bytes_per_site", "memory of stubs and their data", ".1f", ""),
    ]),
    "start": (PLAIN, [
        ("preload_ms", "time, in ms", ".2f", "uftrace's libmcount {uftrace_preload_ms:.1f}"),
        ("preload_rss_kb", "resident memory at the end, in kB", ".0f", "uftrace's libmcount {uftrace_preload_rss_kb:.0f}"),
        ("runtime_text_kb", "code of `libtprt.so`, in kB, of which such a program reads a small part", ".1f", ""),
    ]),
    "recording": (PLAIN, [
        ("record_pair_ratio", "entry and exit recorded, over two reads of the counter", ".3f", "{record_pair_ns:.1f} ns, {clock_pair_ns:.1f} ns"),
        ("record_pair_over_clock_ns", "the same, beyond two reads", ".1f ns", ""),
        ("record_entry_ratio", "entry alone, over two reads", ".3f", "{record_entry_ns:.1f} ns"),
        ("record_vs_xray_fdr", "entry and exit, over XRay's flight recorder", ".3f", "{xray_fdr_pair_ns:.1f} ns"),
        ("record_vs_uftrace", "entry and exit, over uftrace's", ".3f", "{uftrace_record_pair_ns:.1f} ns"),
        ("record_lost", "events lost of two threads on two processors, `mode=all` on tmpfs", ".0f", ""),
        ("kill_lost_events", "the most events that a thread lost in any of 100 programs that were killed", ".0f", ""),
        ("snapshot_pause_us", "how long a snapshot of 64 MB holds up a thread, in µs", ".0f", ""),
        ("stored_event_bytes", "bytes per event of packed recordings, the worst of three programs", ".2f", ""),
        ("report_ns_per_event", "time that `tpctl report` takes for an event on one core, in ns", ".1f", "{report_events_per_s:.3g} events/s"),
        ("view_open_s", "a page of 10 million events opens in a browser, in seconds", ".1f", ""),
    ]),
    "points": (PLAIN, [
        ("point_record_ns", "a hit with two integers recorded, less one read of the counter", ".1f ns", ""),
        ("point_record_vs_lttng", "such a hit with the read of the counter, over LTTng-UST's", ".3f", "{point_record_total_ns:.1f} ns, {lttng_record_ns:.1f} ns"),
        ("flip_10k_points_ms", "10,000 points turned on", ".2f ms", "sleds {flip_10k_sleds_ms:.2f} ms"),
        ("point_text_bytes", "bytes per statement in the code that runs while it is off", ".2f", ""),
        ("point_table_bytes", "bytes of table per statement", ".0f", ""),
        ("point_relocations", "dynamic relocations of 2,000 statements", ".0f", ""),
        ("point_object_ratio", "an object with 2,000 statements, over one with `if (flag) fprintf`", ".2f", ""),
        ("point_off_ratio", "time of four programs with statements that are off, over the same without", ".3f", "flag and branch {flag_off_ratio:.2f}, `sys/sdt.h` {sdt_off_ratio:.2f}"),
        ("point_off_ratio_fib", "the same for a recursion that compilers make a loop", ".2f", "flag and branch {flag_off_ratio_fib:.2f}, `sys/sdt.h` {sdt_off_ratio_fib:.2f}"),
    ]),
    "live": (PLAIN, [
        ("enable_100k_ratio", "`tpctl on` for 100,000 functions, names included, over the flips alone", ".2f", "{enable_100k_ms:.1f} ms, {enable_bare_ms:.1f} ms"),
        ("enable_pause_us", "how long that holds up a thread, in µs", ".0f", ""),
        ("inject_stop_ms", "how long loading libtprt stops a thread, in ms", ".2f", ""),
        ("hist_pair_ratio", "a timed call, over two reads of the counter", ".2f", "{timed_histogram_ns:.1f} ns, {timed_two_reads_ns:.1f} ns"),
        ("hist_vs_uftrace", "a timed call, over uftrace's", ".3f", "{uftrace_pair_ns:.1f} ns"),
        ("top_overhead", "what `tpctl top` adds to a program's time", ".3f", ""),
        ("budget_overhead", "the same for 30 million calls a second of tiny functions, with `--budget 2%`", ".3f", ""),
        ("control_stalled_ratio", "a program's time while tools flood it or stand still, over its time alone", ".3f", ""),
        ("count_end_s", "from the end of a program with 100,000 counted functions to the end of `tpctl count`, in seconds", ".2f", ""),
        ("count_missing", "the share of the calls that its table lacks", ".3f", ""),
        ("ask_false_over_handler_ns", "a call for which `--if` is false, beyond a handler that does nothing, in ns", ".1f", "{ask_false_total_ns:.1f} ns, {ask_handler_ns:.1f} ns"),
        ("ask_key_over_hand_ns", "a call counted by a key, beyond a handler with a hash table, in ns", ".1f", "{ask_key_total_ns:.1f} ns, {ask_hand_key_ns:.1f} ns"),
        ("ask_sum_over_hand_ns", "the same with a sum, the least and the greatest value", ".1f", "{ask_sum_total_ns:.1f} ns, {ask_hand_sum_ns:.1f} ns"),
        ("ask_string_ns", "what a key of 20 letters takes longer than a number, if it is a constant, in ns", ".0f", ""),
        ("ask_heap_string_ns", "the same if the text is in allocated memory", ".0f", ""),
        ("ask_frame_ns", "what `stack()` takes for each frame, in ns", ".1f", ""),
        ("read_100k_us", "processor time of a reading of 100,000 counts, 10 of which have changed, in µs", ".1f", ""),
    ]),
    "uninstrumented": (PLAIN, [
        ("code_hit_ratio", "a hit in uninstrumented code, over one of a sled; handler without vector registers", ".2f", "{code_hit_empty_ns:.2f} ns"),
        ("code_hit_vector_ns", "such a hit with any other handler, in ns", ".1f", ""),
        ("code_pun_hit_over_jump", "what a hit takes longer where the jump ends in the next instruction, in ns", ".2f", "{code_pun_hit_empty_ns:.2f} ns"),
        ("code_vs_uprobe", "a counted hit in uninstrumented code, over a uprobe's", ".4f", "{uprobe_hit_ns:.0f} ns"),
        ("code_entry_coverage", "entries with room for a jump, the worst of four libraries", ".3f", ""),
        ("code_return_coverage", "the same of returns", ".3f", ""),
        ("code_instruction_coverage", "the same of all instructions, one of every 997 tried", ".3f", ""),
        ("mcount_off_ns", "a disabled call of `mcount`, over the same function without the call", ".2f", "call made: {mcount_call_ns:.2f} ns"),
        ("code_attach_entries_ms_libc", "the first attach to the entries of all functions of libc, in ms", ".1f", "{code_attach_entries_us_per_function_libc:.1f} µs per function"),
        ("code_attach_us_per_function", "the same with all exits, the worst of four libraries, in µs per function", ".1f", "libc {code_attach_us_per_function_libc:.1f}"),
    ]),
    "more": (PLAIN, [
        ("far_hit_empty_ns", "a hit in a program without `tprt_near.o`: linked by hand, or with libtprt by `LD_PRELOAD`", ".2f ns", "far pair {far_pair_empty_ns:.2f} ns"),
        ("hit_counter_total_ns", "a hit of a counting probe, in all", ".2f ns", ""),
        ("point_print_null_ns", "a hit that `tprt_point_print` prints into `/dev/null`", ".0f ns", "unbuffered `fprintf` of the text {fprintf_null_ns:.0f} ns"),
        ("off_ratio_fib", "time of fib with sleds off, over its plain time", ".3f", "XRay {xray_off_ratio_fib:.3f}"),
        ("off_ratio_interp", "the same of the small interpreter", ".3f", "XRay {xray_off_ratio_interp:.3f}"),
        ("off_ratio_lua", "the same of Lua", ".3f", "XRay {xray_off_ratio_lua:.3f}"),
    ]),
    "off": (PLAIN, [
        ("off_ratio", "time with sleds off, over plain -O2 (fib, small interpreter, Lua; geometric mean)", ".3f", "XRay {xray_off_ratio:.3f}"),
        ("off_ratio_exits", "the same with exits", ".3f", "XRay {xray_off_ratio_exits:.3f}"),
        ("compile_ratio_c", "time of `clang -O2` with sleds over that without, SQLite", ".3f", ""),
        ("compile_ratio_cxx", "the same, C++ with much of the standard library", ".3f", ""),
        ("off_ratio_llvm19", "time with sleds off, over plain -O2, by clang 19", ".3f", "XRay {xray_off_ratio_llvm19:.3f}"),
        ("off_ratio_exits_llvm19", "the same with exits", ".3f", "XRay {xray_off_ratio_exits_llvm19:.3f}"),
        ("off_ratio_llvm16", "time with sleds off, over plain -O2, by clang 16", ".3f", "XRay {xray_off_ratio_llvm16:.3f}"),
        ("off_ratio_exits_llvm16", "the same with exits", ".3f", "XRay {xray_off_ratio_exits_llvm16:.3f}"),
        ("compile_ratio_c_llvm19", "time of `clang -O2` with sleds over that without, SQLite, clang 19", ".3f", ""),
        ("compile_ratio_c_llvm16", "the same, clang 16", ".3f", ""),
        ("object_size_ratio", "object file of 2,000 functions, over the plain one", ".2f", "XRay {xray_object_size_ratio:.2f}"),
        ("text_bytes_per_function", "all of it, entries `2,0` and exits, the worse of Lua and SQLite", ".1f", "XRay {xray_text_bytes_per_function:.1f}"),
        ("table_bytes_per_function", "bytes of table per function, the same", ".1f", "XRay {xray_table_bytes_per_function:.1f}"),
    ]),
}


class Figures(dict):
    """A figure that is missing makes the whole cell a dash."""

    def __missing__(self, name):
        raise LookupError(name)


def filled(template, figures):
    try:
        return template.format_map(figures)
    except LookupError:
        return "–" if template else ""


def goal(name):
    bound = report.TARGETS.get(name, report.FLOORS.get(name))
    return "" if bound is None else f"{bound:g}"


def table(name, figures):
    head, rows = TABLES[name]
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    for figure, what, form, *beside in rows:
        number, _, unit = form.partition(" ")
        measured = f"{figures[figure]:{number}} {unit}".strip() if figure in figures else "–"
        cells = [f"`{figure}`", what, goal(figure), measured, *(filled(each, figures) for each in beside)]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def rewritten(text, figures, machine):
    for name in TABLES:
        text, found = re.subn(rf"(<!-- bench: {name} -->\n).*?(\n<!-- bench: end -->)",
                              lambda m, name=name: m[1] + table(name, figures) + m[2], text, count=1, flags=re.S)
        if not found:
            raise LookupError(f"the document has no table '<!-- bench: {name} -->'")
    if machine:
        text = re.sub(r"(<!-- bench: machine -->\n).*?(\n<!-- bench: end -->)",
                      lambda m: m[1] + machine + m[2], text, count=1, flags=re.S)
    return text


def differences(text, figures):
    """Between the goals that were missed and those that the document gives a reason for."""
    shown = [row[0] for _, rows in TABLES.values() for row in rows]
    missed = {name for name in shown if name in figures and goal(name) and not report.is_reached(figures, name)}
    section = text.partition("\n## Missed goals\n")[2].partition("\n## ")[0]
    told = set(re.findall(r"`(\w+)`", "\n".join(re.findall(r"^\| ([^|]*) \|", section, re.M))))
    for name in sorted(missed - told):
        yield f"{name} was missed ({figures[name]:.3f}, goal {goal(name)}), and no row of \"Missed goals\" says why"
    for name in sorted(told & set(shown) - missed):
        yield f"{name} was reached, and \"Missed goals\" has a row for it"


def write(results, document, date=None):
    results, document = pathlib.Path(results), pathlib.Path(document)
    figures = Figures(json.loads(results.read_text()))
    beside = results.with_suffix(".md")
    lines = beside.read_text().splitlines() if beside.exists() else []
    about = {key: value for key, _, value in (line.partition(": ") for line in lines) if key in ("Machine", "Versions")}
    when = datetime.date.fromisoformat(date) if date else datetime.date.fromtimestamp(results.stat().st_mtime)
    machine = ""
    if "Machine" in about:
        machine = f"Machine: {about['Machine']}; {about.get('Versions', '')}; {when.day} {when:%B %Y}."
    text = rewritten(document.read_text(), figures, machine)
    document.write_text(text)
    return list(differences(text, figures))


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__.splitlines()[-1])
    for difference in write(*sys.argv[1:]):
        print(f"note: {difference}")
