/* SPDX-License-Identifier: BSD-2-Clause */
/* Exclusive monitors of other vCPUs: see monitor.h. */
#include "soft/mem/monitor.h"
#include "soft/mem/code.h"

/* Does the monitor share a granule with the range from first to last? */
static bool overlaps(const struct soft_monitor *m, uint64_t first, uint64_t last)
{
	return m->set && m->pa / SOFT_GRANULE <= last / SOFT_GRANULE &&
	       (m->pa + m->size - 1) / SOFT_GRANULE >= first / SOFT_GRANULE;
}

/* The next other vCPU, from number n on, whose monitor overlaps; or NULL. */
static struct soft_cpu *find_monitor(const struct soft_cpu *cpu, unsigned int n, uint64_t first,
				     uint64_t last)
{
	for (; n < cpu->vm->count; n++) {
		struct soft_cpu *other = cpu->vm->cpus[n];

		if (other && other != cpu && overlaps(&other->monitor, first, last))
			return other;
	}
	return NULL;
}

bool soft_page_watched(const struct soft_cpu *cpu, uint64_t pa)
{
	const uint64_t page = pa & SOFT_PAGE_MASK;

	return soft_code_page(cpu->vm, pa) ||
	       (cpu->vm->monitored && find_monitor(cpu, 0, page, page + SOFT_PAGE_SIZE - 1));
}

void soft_monitors_written(const struct soft_cpu *cpu, uint64_t pa, uint64_t size)
{
	struct soft_cpu *other = NULL;

	if (!cpu->vm->monitored)
		return;
	while ((other = find_monitor(cpu, other ? other->index + 1 : 0, pa, pa + size - 1)))
		other->monitor.set = false;
}

void soft_memory_written(struct soft_cpu *cpu, uint64_t pa, uint64_t size)
{
	soft_code_written(cpu->vm, pa, size);
	soft_monitors_written(cpu, pa, size);
}

void soft_monitors_clear(struct soft_vm *vm)
{
	for (unsigned int n = 0; n < vm->count; n++)
		if (vm->cpus[n])
			vm->cpus[n]->monitor.set = false;
}
