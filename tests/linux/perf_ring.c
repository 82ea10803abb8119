/* SPDX-License-Identifier: BSD-2-Clause */
/* See perf_ring.h. */
#include "../array.h"
#include "perf_ring.h"
#include "user.h"

long open_event(const struct perf_event_attr *attr, long leader)
{
	return call(__NR_perf_event_open, (long)attr, 0, -1, leader, 0, 0);
}

bool open_buffers(struct buffers *b, const struct perf_event_attr *attr, uint64_t aux_pages)
{
	long map;

	*b = (struct buffers){.aux_size = aux_pages * PAGE};
	b->event = open_event(attr, -1);
	if (b->event < 0)
		return false;
	map = call(__NR_mmap, 0, (1 + DATA_PAGES) * PAGE, PROT_RW, MAP_SHARED, b->event, 0);
	if (map < 0)
		return false;
	b->page = (struct perf_event_mmap_page *)map;
	b->data = (const uint8_t *)map + PAGE;
	if (aux_pages == 0)
		return true;
	b->page->aux_offset = (1 + DATA_PAGES) * PAGE;
	b->page->aux_size = b->aux_size;
	map = call(__NR_mmap, 0, (long)b->aux_size, PROT_RW, MAP_SHARED, b->event,
		   (long)b->page->aux_offset);
	b->aux = (const uint8_t *)map;
	return map >= 0;
}

void close_buffers(struct buffers *b)
{
	if (b->aux_size)
		call(__NR_munmap, (long)b->aux, (long)b->aux_size, 0, 0, 0, 0);
	call(__NR_munmap, (long)b->page, (1 + DATA_PAGES) * PAGE, 0, 0, 0, 0);
	call(__NR_close, b->event, 0, 0, 0, 0, 0);
}

uint64_t load_head(const __u64 *head)
{
	return __atomic_load_n(head, __ATOMIC_ACQUIRE);
}

uint64_t data_word(const struct buffers *b, uint64_t at)
{
	uint64_t value = 0;

	for (unsigned int i = 8; i--;)
		value = value << 8 | b->data[(at + i) % (DATA_PAGES * PAGE)];
	return value;
}

uint32_t device_type(const char *device)
{
	static const char folder[] = "/sys/bus/event_source/devices/", file[] = "/type";
	const char *parts[] = {folder, device, file};
	char name[96], text[32];
	const char *at = text;
	size_t size = 0;

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		for (const char *from = parts[i]; *from && size < sizeof(name) - 1; from++)
			name[size++] = *from;
	name[size] = 0;
	if (read_text(name, text, sizeof(text)) <= 0)
		return 0;
	return (uint32_t)parse_number(&at);
}

long load_spe_driver(void)
{
	long file = open_file("/arm_spe_pmu.ko", O_RDONLY), error;

	if (file < 0)
		return 0;
	error = call(__NR_finit_module, file, (long)"", 0, 0, 0, 0);
	call(__NR_close, file, 0, 0, 0, 0, 0);
	return error;
}
