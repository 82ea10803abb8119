/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tables of a report, in their order. Text, JSON and HTML come from these rows. A new table is
 * a row here, and a function that fills it.
 */
#include "trace/report_rows.h"

#define SHARES                                                              \
	{"share", "per cent", REPORT_SHARE}, {"low", "from", REPORT_SHARE}, \
	{                                                                   \
		"high", "to", REPORT_SHARE                                  \
	}

#define LEVELS                                                                                    \
	{"el0", "EL0", REPORT_COUNT}, {"el1", "EL1", REPORT_COUNT}, {"el2", "EL2", REPORT_COUNT}, \
	{                                                                                         \
		"el3", "EL3", REPORT_COUNT                                                        \
	}

/*
 * The columns that report_access() fills, and the bits of the optional ones among them, from a
 * column on.
 */
#define ACCESS                                                                                  \
	{"samples", "samples", REPORT_COUNT}, {"share", "per cent", REPORT_SHARE},              \
		{"reads", "loads", REPORT_COUNT}, {"writes", "stores", REPORT_COUNT},           \
		{"mean_latency", "cycles", REPORT_MEAN}, {"max_latency", "most", REPORT_COUNT}, \
		{"walks", "walks", REPORT_COUNT}, {"l1", "L1", REPORT_COUNT},                   \
		{"l2", "L2", REPORT_COUNT}, {"l3", "L3", REPORT_COUNT},                         \
		{"peer", "peer", REPORT_COUNT}, {"remote", "remote", REPORT_COUNT},             \
		{"dram", "DRAM", REPORT_COUNT}, {"elsewhere", "else", REPORT_COUNT},            \
	{                                                                                       \
		"gap", "gap", REPORT_COUNT                                                      \
	}
#define ACCESS_OPTIONAL(first) (0xffu << ((first) + 7))
#define ACCESS_NOTE                                                                                \
	"most: cycles of the slowest. walks: translations that no TLB had. L1 to else: loads by "  \
	"data source; peer: a cache of another core of the chip; remote: another chip. gap: mean " \
	"time from one sample to the next, in units of the timestamps. data: the first variable "  \
	"that is accessed; ...: there are more."

/* Columns that follow those with a name: samples, share, interval, latency, mispredictions. */
#define HOT                                                                                    \
	{"samples", "samples", REPORT_COUNT}, SHARES, {"mean_latency", "cycles", REPORT_MEAN}, \
	{                                                                                      \
		"mispredicted", "mispred", REPORT_COUNT                                        \
	}

const struct report_section report_sections[] = {
	{
		.key = "records",
		.title = "Records",
		.columns = {{"what", "what", REPORT_TEXT},
			    {"samples", "samples", REPORT_COUNT},
			    {"share", "per cent", REPORT_SHARE}},
		.fill = report_fill_records,
	},
	{
		.key = "missing",
		.title = "What is missing",
		.note = "What the file says was lost when it was recorded, and what of it cannot "
			"be "
			"read. "
			"per cent: of the profile, at most.",
		.empty = "Nothing that the file tells of.",
		.columns = {{"what", "what", REPORT_TEXT},
			    {"times", "times", REPORT_COUNT},
			    {"lost", "lost", REPORT_COUNT},
			    {"share", "per cent", REPORT_SHARE},
			    {"first", "first", REPORT_TEXT}},
		.fill = report_fill_missing,
	},
	{
		.key = "processes",
		.title = "Processes",
		.empty = "The file names no processes.",
		.columns = {{"comm", "command", REPORT_TEXT},
			    {"pid", "pid", REPORT_COUNT},
			    {"samples", "samples", REPORT_COUNT},
			    SHARES,
			    LEVELS},
		.plot = {.kind = REPORT_PLOT_BARS,
			 .label = 0,
			 .series = {3},
			 .series_count = 1,
			 .low = 4,
			 .high = 5,
			 .description = "A bar for each process: its share of all samples, and a "
					"line across its end for the 95 per cent interval."},
		.fill = report_fill_processes,
	},
	{
		.key = "objects",
		.title = "Objects",
		.note = "Files that the code is of. symbols: are there names for it, or why not.",
		.empty = "The file names none.",
		.columns = {{"object", "object", REPORT_TEXT},
			    {"symbols", "symbols", REPORT_TEXT},
			    {"source_lines", "source lines", REPORT_TEXT},
			    {"build_id", "build id", REPORT_TEXT},
			    {"samples", "samples", REPORT_COUNT},
			    SHARES},
		.optional = 1u << 2 | 1u << 3,
		.fill = report_fill_objects,
	},
	{
		.key = "functions",
		.title = "Hot spots by function",
		.note = "from, to: the 95 per cent interval of the share. cycles: mean total "
			"latency. "
			"[0x...]: a page of code without a symbol.",
		.columns = {{"function", "function", REPORT_TEXT},
			    {"object", "object", REPORT_TEXT},
			    {"address", "address", REPORT_ADDRESS},
			    {"el", "EL", REPORT_COUNT},
			    HOT},
		.plot = {.kind = REPORT_PLOT_BARS,
			 .label = 0,
			 .series = {5},
			 .series_count = 1,
			 .low = 6,
			 .high = 7,
			 .description = "A bar for each function: its share of the samples, with "
					"the 95 per cent interval as a line."},
		.optional = 1u << 1,
		.fill = report_fill_functions,
	},
	{
		.key = "source_lines",
		.title = "Hot spots by source line",
		.note = "function: the innermost, if it was inlined; inlined in: the functions "
			"around it, from the inner to the outer.",
		.empty = "No file has line tables: compile with -g, or give debug files.",
		.columns = {{"source", "source", REPORT_TEXT},
			    {"function", "function", REPORT_TEXT},
			    {"inlined_in", "inlined in", REPORT_TEXT},
			    {"object", "object", REPORT_TEXT},
			    HOT,
			    {"path", "path", REPORT_TEXT}},
		.optional = 1u << 2 | 1u << 3 | 1u << 10,
		.fill = report_fill_source_lines,
	},
	{
		.key = "annotation",
		.title = "Instructions of the function",
		.note = "per cent: of the function. cycles: mean total latency. L1D, LLC, walk: "
			"samples with a refill of the first data cache, a miss of the last level, "
			"a walk of the page tables. taken, not, mispred: branches that retired.",
		.empty = "No record of it.",
		.columns = {{"address", "address", REPORT_ADDRESS},
			    {"samples", "samples", REPORT_COUNT},
			    {"share", "per cent", REPORT_SHARE},
			    {"mean_latency", "cycles", REPORT_MEAN},
			    {"l1d_refills", "L1D", REPORT_COUNT},
			    {"llc_misses", "LLC", REPORT_COUNT},
			    {"tlb_walks", "walk", REPORT_COUNT},
			    {"taken", "taken", REPORT_COUNT},
			    {"not_taken", "not", REPORT_COUNT},
			    {"mispredicted", "mispred", REPORT_COUNT},
			    {"instruction", "instruction", REPORT_TEXT},
			    {"source", "source", REPORT_TEXT}},
		.on_demand = true,
		.optional = 0x3f << 4 | 1u << 11,
		.fill = report_fill_annotation,
	},
	{
		.key = "addresses",
		.title = "Hot spots by address",
		.columns = {{"address", "address", REPORT_ADDRESS},
			    {"symbol", "symbol", REPORT_TEXT},
			    {"object", "object", REPORT_TEXT},
			    {"el", "EL", REPORT_COUNT},
			    HOT,
			    {"source", "source", REPORT_TEXT}},
		.optional = 1u << 2 | 1u << 10,
		.fill = report_fill_addresses,
	},
	{
		.key = "latency",
		.title = "Latency in cycles",
		.note = "execution: total less issue.",
		.columns = {{"latency", "latency", REPORT_TEXT},
			    {"samples", "samples", REPORT_COUNT},
			    {"mean", "mean", REPORT_MEAN},
			    {"median", "median", REPORT_COUNT},
			    {"p90", "90 %", REPORT_COUNT},
			    {"p99", "99 %", REPORT_COUNT},
			    {"max", "most", REPORT_COUNT}},
		.fill = report_fill_latency,
	},
	{
		.key = "histogram",
		.title = "Samples by latency",
		.columns = {{"cycles", "cycles", REPORT_TEXT},
			    {"total", "total", REPORT_COUNT},
			    {"issue", "issue", REPORT_COUNT},
			    {"translation", "translation", REPORT_COUNT},
			    {"execution", "execution", REPORT_COUNT}},
		.plot = {.kind = REPORT_PLOT_GROUPS,
			 .label = 0,
			 .series = {1, 2, 3, 4},
			 .series_count = 4,
			 .description =
				 "Four columns for each range of cycles: the samples with that "
				 "total, issue and translation latency, and total less issue."},
		.fill = report_fill_histogram,
	},
	{
		.key = "sources",
		.title = "Data sources",
		.note = "Names are those of the numbers of the core that wrote the records. perf "
			"mem: what perf shows of it, access / snoop; -: by the events. execution: "
			"total less issue latency, the mean.",
		.columns = {{"code", "code", REPORT_ADDRESS},
			    {"source", "source", REPORT_TEXT},
			    {"perf", "perf mem", REPORT_TEXT},
			    {"samples", "samples", REPORT_COUNT},
			    SHARES,
			    {"mean_latency", "cycles", REPORT_MEAN},
			    {"mean_execution", "execution", REPORT_MEAN}},
		.plot = {.kind = REPORT_PLOT_STACK,
			 .label = 1,
			 .series = {3},
			 .series_count = 1,
			 .description = "One bar, divided by where the data came from."},
		.fill = report_fill_sources,
	},
	{
		.key = "branches",
		.title = "Mispredicted branches",
		.note = "per cent: of all mispredictions; rate: per cent of this branch's samples.",
		.columns = {{"from", "from", REPORT_ADDRESS},
			    {"from_symbol", "symbol", REPORT_TEXT},
			    {"to", "to", REPORT_ADDRESS},
			    {"to_symbol", "symbol", REPORT_TEXT},
			    {"el", "EL", REPORT_COUNT},
			    {"mispredicted", "mispred", REPORT_COUNT},
			    {"share", "per cent", REPORT_SHARE},
			    {"samples", "samples", REPORT_COUNT},
			    {"rate", "rate", REPORT_SHARE},
			    {"not_taken", "not taken", REPORT_COUNT}},
		.plot = {.kind = REPORT_PLOT_BARS,
			 .label = 1,
			 .series = {6},
			 .series_count = 1,
			 .description = "A bar for each branch and target: its share of the "
					"mispredictions."},
		.fill = report_fill_branches,
	},
	{
		.key = "lines",
		.title = "Hot cache lines",
		.note = "64 bytes each, by physical address (PA) where records have it, otherwise "
			"by virtual address (VA) and process. " ACCESS_NOTE,
		.columns = {{"address", "line", REPORT_ADDRESS},
			    {"kind", "of", REPORT_TEXT},
			    {"pid", "pid", REPORT_COUNT},
			    {"object", "object", REPORT_TEXT},
			    {"data", "data", REPORT_TEXT},
			    ACCESS,
			    {"who", "who", REPORT_TEXT}},
		.optional = 7u << 2 | ACCESS_OPTIONAL(5),
		.fill = report_fill_lines,
	},
	{
		.key = "sharing",
		.title = "Cache lines that several threads use and one writes",
		.note = "A vCPU is a thread where the file names none. false: at different offsets "
			"only; true: at the same; both. peer: no store was sampled, but a load "
			"found the line in another core's cache. A record tells where an access "
			"began, not "
			"its size. bytes: 1, 2, 4, 8 for the first to the fourth of its threads, "
			"and the sum of several.",
		.columns = {{"address", "line", REPORT_ADDRESS},
			    {"kind", "of", REPORT_TEXT},
			    {"pid", "pid", REPORT_COUNT},
			    {"object", "object", REPORT_TEXT},
			    {"data", "data", REPORT_TEXT},
			    {"sharing", "sharing", REPORT_TEXT},
			    {"samples", "samples", REPORT_COUNT},
			    {"share", "per cent", REPORT_SHARE},
			    {"writes", "stores", REPORT_COUNT},
			    {"peer", "peer", REPORT_COUNT},
			    {"who", "who", REPORT_TEXT},
			    {"bytes", "bytes by thread", REPORT_USERS}},
		.plot = {.kind = REPORT_PLOT_BYTES,
			 .label = 0,
			 .series = {11},
			 .series_count = 1,
			 .description = "A line of 64 squares for each cache line, one a byte; the "
					"colour says which thread's accesses begin there."},
		.optional = 7u << 2 | 1u << 9,
		.fill = report_fill_sharing,
	},
	{
		.key = "pages",
		.title = "Hot pages",
		.note = "4 KiB each, by virtual address (VA) and process, by physical address (PA) "
			"where records have no other. " ACCESS_NOTE,
		.columns = {{"address", "page", REPORT_ADDRESS},
			    {"kind", "of", REPORT_TEXT},
			    {"pid", "pid", REPORT_COUNT},
			    {"object", "object", REPORT_TEXT},
			    {"data", "data", REPORT_TEXT},
			    ACCESS,
			    {"who", "who", REPORT_TEXT}},
		.optional = 7u << 2 | ACCESS_OPTIONAL(5),
		.fill = report_fill_pages,
	},
	{
		.key = "heatmap",
		.title = "Data addresses over time",
		.note = "A row for each region of memory that is used, from left to right in time. "
			"pages: those of 4 KiB that have samples; what is between regions has "
			"none.",
		.columns = {{"address", "from", REPORT_ADDRESS},
			    {"end", "to", REPORT_ADDRESS},
			    {"kind", "of", REPORT_TEXT},
			    {"pid", "pid", REPORT_COUNT},
			    {"object", "object", REPORT_TEXT},
			    {"data", "data", REPORT_TEXT},
			    {"pages", "pages", REPORT_COUNT},
			    {"samples", "samples", REPORT_COUNT},
			    {"share", "per cent", REPORT_SHARE},
			    {"squares", "samples over time", REPORT_CELLS}},
		.plot = {.kind = REPORT_PLOT_HEAT,
			 .label = 0,
			 .series = {9},
			 .series_count = 1,
			 .description =
				 "A line of 64 squares for each region of memory, one for each "
				 "stretch of time; the more samples of accesses a square has, "
				 "the stronger its colour."},
		.optional = 7u << 3,
		.fill = report_fill_heatmap,
	},
	{
		.key = "heat",
		.title = "Data addresses",
		.note = "The hottest regions of memory, 64 squares each. square: bytes of one.",
		.columns = {{"address", "region", REPORT_ADDRESS},
			    {"kind", "of", REPORT_TEXT},
			    {"square", "square", REPORT_COUNT},
			    {"samples", "samples", REPORT_COUNT},
			    {"share", "per cent", REPORT_SHARE},
			    {"squares", "samples by square", REPORT_CELLS}},
		.plot = {.kind = REPORT_PLOT_HEAT,
			 .label = 0,
			 .series = {5},
			 .series_count = 1,
			 .description =
				 "A line of 64 squares for each hot region of memory; the more "
				 "samples of accesses a square has, the stronger its colour."},
		.fill = report_fill_heat,
	},
	{
		.key = "cpus",
		.title = "vCPUs",
		.columns = {{"cpu", "vCPU", REPORT_COUNT},
			    {"samples", "samples", REPORT_COUNT},
			    SHARES,
			    LEVELS},
		.fill = report_fill_cpus,
	},
	{
		.key = "threads",
		.title = "Threads",
		.empty = "The file names none.",
		.columns = {{"comm", "command", REPORT_TEXT},
			    {"pid", "pid", REPORT_COUNT},
			    {"tid", "thread", REPORT_COUNT},
			    {"samples", "samples", REPORT_COUNT},
			    SHARES,
			    LEVELS},
		.optional = 1u << 0 | 1u << 1,
		.fill = report_fill_threads,
	},
	{
		.key = "levels",
		.title = "Exception levels",
		.columns = {{"el", "level", REPORT_TEXT},
			    {"state", "Security state", REPORT_TEXT},
			    {"samples", "samples", REPORT_COUNT},
			    SHARES},
		.fill = report_fill_levels,
	},
	{
		.key = "contexts",
		.title = "Contexts",
		.columns = {{"contextidr_el1", "CONTEXTIDR_EL1", REPORT_ADDRESS},
			    {"contextidr_el2", "CONTEXTIDR_EL2", REPORT_ADDRESS},
			    {"samples", "samples", REPORT_COUNT},
			    SHARES},
		.fill = report_fill_contexts,
	},
	{
		.key = "operations",
		.title = "Operations",
		.columns = {{"operation", "operation", REPORT_TEXT},
			    {"class", "class", REPORT_TEXT},
			    {"samples", "samples", REPORT_COUNT},
			    SHARES},
		.fill = report_fill_operations,
	},
	{
		.key = "events",
		.title = "Events",
		.columns = {{"event", "event", REPORT_TEXT},
			    {"samples", "samples", REPORT_COUNT},
			    SHARES},
		.fill = report_fill_events,
	},
	{
		.key = "time",
		.title = "Samples over time",
		.note = "In units of the records' timestamps.",
		.columns = {{"from", "from", REPORT_COUNT},
			    {"length", "length", REPORT_COUNT},
			    {"samples", "samples", REPORT_COUNT},
			    LEVELS},
		.plot = {.kind = REPORT_PLOT_TIME,
			 .label = 0,
			 .series = {3, 4, 5, 6},
			 .series_count = 4,
			 .description =
				 "A column for each stretch of time: its samples at EL0, EL1, "
				 "EL2 and EL3, on each other."},
		.fill = report_fill_time,
	},
};

const size_t report_section_count = sizeof(report_sections) / sizeof(*report_sections);
