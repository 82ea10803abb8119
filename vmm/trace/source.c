/* SPDX-License-Identifier: BSD-2-Clause */
/* Data sources by core: see source.h. */
#include "trace/source.h"

#include "base/number.h"

#include <stddef.h>
#include <vspe/spe_core.h>

/* perf's words are those of its version 6.12. */

/* Parts of MIDR_EL1: the implementer, the architecture and the part. */
#define MODEL		    UINT32_C(0xff0ffff0)
#define PART(maker, number) (UINT32_C(maker) << 24 | UINT32_C(0xf) << 16 | UINT32_C(number) << 4)

/* Cores with names for their data sources, and others. */
static const struct core {
	uint32_t midr;
	enum source_set set;
} cores[] = {
#define CORE(name, midr, sources, isa, ...) {(midr) ? (midr) : SOURCE_OWN_MIDR, SOURCE_##sources},
#include "spe/cores.def"
	{PART(0x41, 0xd44), SOURCE_COMMON},    /* Cortex-X1 */
	{PART(0x41, 0xd4b), SOURCE_COMMON},    /* Cortex-A78C */
	{PART(0x41, 0xd4c), SOURCE_COMMON},    /* Cortex-X1C */
	{PART(0x41, 0xd4d), SOURCE_COMMON},    /* Cortex-A715 */
	{PART(0x41, 0xd4e), SOURCE_COMMON},    /* Cortex-X3 */
	{PART(0x41, 0xd81), SOURCE_COMMON},    /* Cortex-A720 */
	{PART(0x41, 0xd82), SOURCE_COMMON},    /* Cortex-X4 */
	{PART(0x41, 0xd84), SOURCE_COMMON},    /* Neoverse V3 */
	{PART(0x41, 0xd85), SOURCE_COMMON},    /* Cortex-X925 */
	{PART(0x41, 0xd87), SOURCE_COMMON},    /* Cortex-A725 */
	{PART(0x41, 0xd89), SOURCE_COMMON},    /* Cortex-A720AE */
	{PART(0x4e, 0x010), SOURCE_COMMON},    /* NVIDIA Olympus */
	{PART(0xc0, 0xac4), SOURCE_AMPEREONE}, /* AmpereOne A */
	{PART(0x48, 0xd06), SOURCE_HISI_HIP},  /* HiSilicon HIP12 */
};

#define L1     "L1 hit / None"
#define L2     "L2 hit / None"
#define PEER   "L2 hit / Peer"
#define L3     "L3 hit / Hit"
#define REMOTE "N/A / Peer"
#define RAM    "RAM hit / None"

static const struct source common[] = {
	{0x0, "L1D", L1, SOURCE_L1},
	{0x8, "L2", L2, SOURCE_L2},
	{0x9, "peer core", PEER, SOURCE_PEER},
	{0xa, "local cluster", "L3 hit / Peer", SOURCE_L3},
	{0xb, "system cache", L3, SOURCE_L3},
	{0xc, "peer cluster", "L3 hit / Peer", SOURCE_PEER},
	{0xd, "remote", REMOTE, SOURCE_REMOTE},
	{0xe, "DRAM", RAM, SOURCE_RAM},
};

static const struct source own[] = {
	{0x0, "L1D", NULL, SOURCE_L1},
	{0x8, "L2", NULL, SOURCE_L2},
	{0x9, "peer core", NULL, SOURCE_PEER},
	{0xa, "local cluster", NULL, SOURCE_L3},
	{0xb, "system cache", NULL, SOURCE_L3},
	{0xc, "peer cluster", NULL, SOURCE_PEER},
	{0xd, "remote", NULL, SOURCE_REMOTE},
	{0xe, "DRAM", NULL, SOURCE_RAM},
	{0xf, "not known", NULL, SOURCE_ELSEWHERE},
};

static const struct source ampereone[] = {
	{0x0, "cache of this chip, or device", PEER, SOURCE_PEER},
	{0x3, "system cache", L3, SOURCE_L3},
	{0x5, "cache of another chip", REMOTE, SOURCE_REMOTE},
	{0x7, "DRAM", RAM, SOURCE_RAM},
	{0x8, "L1D", L1, SOURCE_L1},
	{0x9, "L2", L2, SOURCE_L2},
};

static const struct source hisi_hip[] = {
	{0, "peer core", PEER, SOURCE_PEER},
	{1, "peer core, modified", "L2 hit / HitM or Peer", SOURCE_PEER},
	{2, "L3", L3, SOURCE_L3},
	{3, "L3, modified", "L3 hit / HitM", SOURCE_L3},
	{4, "peer cluster", "L3 hit / Peer", SOURCE_PEER},
	{5, "peer cluster, modified", "L3 hit / HitM or Peer", SOURCE_PEER},
	{6, "remote socket", "Remote Any cache / Peer", SOURCE_REMOTE},
	{7, "remote socket, modified", "Remote Any cache / HitM or Peer", SOURCE_REMOTE},
	{8, "DRAM", RAM, SOURCE_RAM},
	{9, "remote DRAM", "Remote RAM hit / N/A", SOURCE_REMOTE},
	{13, "device", "I/O hit / None", SOURCE_ELSEWHERE},
	{16, "L2", L2, SOURCE_L2},
	{17, "L2, modified", "L2 hit / HitM", SOURCE_L2},
	{18, "L1D", L1, SOURCE_L1},
};

#define LIST(list)                                   \
	{                                            \
		list, sizeof(list) / sizeof(*(list)) \
	}

static const struct list {
	const struct source *sources;
	size_t count;
} lists[SOURCE_SETS] = {
	[SOURCE_UNSAID] = LIST(common),	    [SOURCE_COMMON] = LIST(common),
	[SOURCE_OWN] = LIST(own),	    [SOURCE_AMPEREONE] = LIST(ampereone),
	[SOURCE_HISI_HIP] = LIST(hisi_hip),
};

enum source_set source_set(uint32_t midr)
{
	for (size_t i = 0; i < sizeof(cores) / sizeof(*cores); i++)
		if ((midr & MODEL) == (cores[i].midr & MODEL))
			return cores[i].set;
	return SOURCE_NUMBERS;
}

const struct source *source_find(enum source_set set, uint16_t number)
{
	const struct list *list = &lists[set];

	for (size_t i = 0; i < list->count; i++)
		if (list->sources[i].number == number)
			return &list->sources[i];
	return NULL;
}

enum source_place source_place(enum source_set set, uint16_t number)
{
	const struct source *source = source_find(set, number);

	return source ? source->place : SOURCE_ELSEWHERE;
}

bool source_midr(const char *text, uint32_t *midr)
{
	const struct spe_core *core = spe_core_find(text);
	uint64_t value = 0;

	if (!core && !number_read(text, UINT32_MAX, &value))
		return false;
	if (core)
		value = core->midr ? core->midr : SOURCE_OWN_MIDR;
	*midr = (uint32_t)value;
	return true;
}
