# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes results.json, a flat object of names and numbers, and results.md. Prints the
table of results.md."""

import json
import os
import platform
import shutil

# Ratios of two figures of the same run: our figure, and the one to compare it with.
# Absolute times differ between machines, and on one machine from day to day.
RATIOS = {
    "hit_empty_vs_xray": ("hit_empty_ns", "xray_hit_empty_ns"),
    "hit_empty_vs_jumps": ("hit_empty_ns", "floor_jumps_hit_ns"),
    "pair_empty_vs_jumps": ("pair_empty_ns", "floor_jumps_pair_ns"),
    "hit_vector_vs_xray": ("hit_vector_ns", "xray_hit_vector_ns"),
    "hit_counter_vs_xray": ("hit_counter_ns", "xray_hit_empty_ns"),
    "pair_empty_vs_xray": ("pair_empty_ns", "xray_pair_empty_ns"),
    "pair_vector_vs_xray": ("pair_vector_ns", "xray_pair_vector_ns"),
    "pair_counter_vs_xray": ("pair_counter_ns", "xray_pair_empty_ns"),
    "first_flip_vs_xray": ("first_flip_100k_ms", "xray_first_flip_100k_ms"),
    "first_flip_exits_vs_xray": ("first_flip_100k_exits_ms", "xray_first_flip_100k_exits_ms"),
    "reflip_vs_xray": ("reflip_100k_ms", "xray_reflip_100k_ms"),
    "reflip_exits_vs_xray": ("reflip_100k_exits_ms", "xray_reflip_100k_exits_ms"),
    "flip_one_vs_xray": ("flip_one_us", "xray_flip_one_us"),
    "flip_one_busy_vs_xray": ("flip_one_busy_us", "xray_flip_one_busy_us"),
    "flip_2000_busy_vs_xray": ("flip_2000_busy_ms", "xray_flip_2000_busy_ms"),
    "flip_3m_vs_100k": ("flip_ns_per_site_3m", "flip_ns_per_site_100k"),
    "first_flip_3m_vs_100k": ("first_flip_ns_per_site_3m", "first_flip_ns_per_site_100k"),
    "name_lookup_vs_nm": ("name_lookup_ns", "nm_name_lookup_ns"),
    "hist_pair_ratio": ("timed_histogram_ns", "timed_two_reads_ns"),
    "hist_vs_uftrace": ("timed_histogram_ns", "uftrace_pair_ns"),
    "enable_100k_ratio": ("enable_100k_ms", "enable_bare_ms"),
    "code_hit_ratio": ("code_hit_empty_ns", "hit_empty_ns"),
    "ask_vs_uprobe": ("ask_key_total_ns", "uprobe_hit_ns"),
    "code_vs_uprobe": ("code_hit_counter_total_ns", "uprobe_hit_ns"),
    "vs_uprobe": ("hit_counter_total_ns", "uprobe_hit_ns"),
    "point_record_vs_lttng": ("point_record_total_ns", "lttng_record_ns"),
    "record_pair_ratio": ("record_pair_ns", "clock_pair_ns"),
    "record_entry_ratio": ("record_entry_ns", "clock_pair_ns"),
    "record_vs_xray_fdr": ("record_pair_ns", "xray_fdr_pair_ns"),
    "record_vs_uftrace": ("record_pair_ns", "uftrace_record_pair_ns"),
    "point_print_null_vs_fprintf": ("point_print_null_ns", "fprintf_null_ns"),
    "point_print_tmpfs_vs_fprintf": ("point_print_tmpfs_ns", "fprintf_tmpfs_ns"),
    "flip_10k_points_vs_sleds": ("flip_10k_points_ms", "flip_10k_sleds_ms"),
}

# Upper targets: a figure in this table must be at most this large.
TARGETS = {
    "off_ratio": 1.01,
    "off_ratio_exits": 1.01,
    "hit_empty_vs_xray": 0.40,
    "hit_vector_vs_xray": 0.48,
    "hit_counter_vs_xray": 0.10,
    "hist_pair_ratio": 1.5,
    "hist_vs_uftrace": 0.4,
    "vs_uprobe": 0.01,
    "code_hit_ratio": 1.5,
    "code_pun_hit_over_jump": 2.0,
    "code_hit_vector_ns": 25.0,
    "code_vs_uprobe": 0.01,
    "mcount_off_ns": 0.3,
    "fentry_off_ns": 0.3,
    "code_attach_us_per_function": 5.0,
    "code_attach_entries_ms_libc": 20.0,
    "pair_empty_vs_xray": 0.38,
    "pair_vector_vs_xray": 0.46,
    "pair_counter_vs_xray": 0.10,
    "first_flip_vs_xray": 3.6,
    "first_flip_exits_vs_xray": 3.4,
    "reflip_vs_xray": 1.6,
    "reflip_exits_vs_xray": 1.4,
    "flip_one_vs_xray": 2.0,
    "flip_one_busy_vs_xray": 2.0,
    "flip_2000_busy_vs_xray": 0.01,
    "flip_3m_vs_100k": 1.5,
    "first_flip_3m_vs_100k": 1.5,
    "name_lookup_vs_nm": 0.5,
    "arrival_ratio": 2.0,
    "stub_bytes_per_site": 40.0,
    "preload_ms": 1.0,
    "preload_rss_kb": 1500,
    "dynamic_relocations": 0,
    "text_bytes_per_function_entry": 9.0,
    "table_bytes_per_function_entry": 12.0,
    "text_bytes_per_function": 14.0,
    "table_bytes_per_function": 30.0,
    "object_size_ratio": 1.5,
    "point_off_ratio": 1.01,
    "point_text_bytes": 9.0,
    "point_table_bytes": 16.0,
    "point_relocations": 0,
    "point_object_ratio": 1.5,
    "point_record_ns": 6.0,
    "point_record_vs_lttng": 0.2,
    "flip_10k_points_ms": 5.0,
    "compile_ratio_c": 1.02,
    "compile_ratio_cxx": 1.02,
    "report_ns_per_event": 25.0,
    "record_pair_ratio": 1.2,
    "record_pair_over_clock_ns": 5.0,
    "record_entry_ratio": 0.65,
    "record_vs_xray_fdr": 0.4,
    "record_vs_uftrace": 0.35,
    "record_lost": 0,
    "kill_lost_events": 1,
    "snapshot_pause_us": 20.0,
    "stored_event_bytes": 4.0,
    "view_open_s": 3.0,
    "inject_stop_ms": 5.0,
    "budget_overhead": 0.02,
    "top_overhead": 0.02,
    "top_agrees": 0.10,
    "control_stalled_ratio": 1.01,
    "ask_false_over_handler_ns": 4.0,
    "ask_key_over_hand_ns": 12.0,
    "ask_sum_over_hand_ns": 12.0,
    "ask_string_ns": 30.0,
    "ask_heap_string_ns": 500.0,
    "ask_frame_ns": 30.0,
    "ask_vs_uprobe": 0.005,
    "count_end_s": 0.2,
    "count_missing": 0,
    "enable_100k_ratio": 10.0,
    "enable_pause_us": 100.0,
}

# Lower targets: a figure in this table must be at least this large.
FLOORS = {
    "code_entry_coverage": 0.95,
    "code_return_coverage": 0.90,
    "code_instruction_coverage": 0.70,
}

# Figures whose target is also reached if another figure is at most this large.
ALTERNATIVES = {"flip_10k_points_ms": ("flip_10k_points_vs_sleds", 0.6)}


def add_ratios(results):
    for name, (ours, theirs) in RATIOS.items():
        if results.get(theirs) and ours in results:
            results[name] = results[ours] / results[theirs]


def order(names):
    """The order of the figures. Those with a target come first, and each is followed by the
    figures of others that it is compared with."""
    names, ordered = set(names), []
    for name in [*TARGETS, *FLOORS, *sorted(names - set(TARGETS) - set(FLOORS))]:
        for each in (name, "xray_" + name, "pfe_" + name, "uftrace_" + name):
            if each in names and each not in ordered:
                ordered.append(each)
    return ordered


def is_reached(results, name):
    if name in FLOORS:
        return results[name] >= FLOORS[name]
    other, most = ALTERNATIVES.get(name, (None, 0))
    return results[name] <= TARGETS[name] + 1e-9 or (other in results and results[other] <= most)


def rows(results):
    for name in order(results):
        target = TARGETS.get(name, FLOORS.get(name))
        note = ""
        if target is not None:
            note = "reached" if is_reached(results, name) else "MISSED"
        other = results.get("xray_" + name)
        yield (name, f"{results[name]:.3f}", "" if target is None else f"{target:g}", note,
               "" if not other else f"{results[name] / other:.3f}")


def machine():
    model = "unknown CPU"
    with open("/proc/cpuinfo") as file:
        for line in file:
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    return f"{model}, {os.cpu_count()} CPUs, {platform.system()} {platform.release()}"


def write(tools, results, remarks, show=True):
    """Writes results.json and results.md, and prints the table if `show`."""
    add_ratios(results)
    with open(tools.path("results.json"), "w") as out:
        json.dump({name: results[name] for name in order(results)}, out, indent=2)
        out.write("\n")
    head = ("name", "figure", "target", "", "ratio to XRay")
    table = list(rows(results))
    versions = [tools.call([tools.clang, "--version"]).splitlines()[0]]
    if shutil.which("uftrace"):
        versions.append(tools.call(["uftrace", "--version"]).strip())
    with open(tools.path("results.md"), "w") as out:
        out.write(f"# Benchmark results\n\nMachine: {machine()}\n\nVersions: {'; '.join(versions)}\n\n")
        out.write("Medians over interleaved runs, of hits means over processes; bench/README.md defines each figure.\n\n")
        out.writelines(f"- {remark}\n" for remark in remarks)
        out.write("\n| " + " | ".join(head) + " |\n|---|---:|---:|---|---:|\n")
        out.writelines("| " + " | ".join(row) + " |\n" for row in table)
    if not show:
        return
    width = [max(len(row[i]) for row in [head, *table]) for i in range(len(head))]
    print()
    for row in [head, *table]:
        print("  ".join(cell.ljust(width[i]) if i in (0, 3) else cell.rjust(width[i])
                        for i, cell in enumerate(row)).rstrip())
    for remark in remarks:
        print(f"note: {remark}")
    print(f"written: {tools.path('results.json')}, {tools.path('results.md')}")
