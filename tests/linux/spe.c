// SPDX-License-Identifier: BSD-2-Clause
/*
 * The kernel's driver of SPE, from the module /spe.ko: a perf event samples a loop of known length
 * in this program into an AUX buffer, and each record has to be of the loop.
 */
#include <linux/perf_event.h>

#include "init.h"

#define TYPE_FILE "/sys/bus/event_source/devices/arm_spe_0/type"

/* The format of arm_spe_0's config: Documentation of the driver in sysfs. */
#define CONFIG_TS_ENABLE (1u << 0)

#define PAGE	   4096
#define DATA_PAGES 8
#define AUX_SIZE   (1 << 20)
#define WATERMARK  (1 << 16)	/* bytes of records after which the driver wants an interrupt */
#define PERIOD	   4096		/* PMSIRR_EL1.INTERVAL is 1/256 of it */
#define INTERVAL   (PERIOD + 1) /* Arm ARM D17.3.4.1 */
#define TURNS	   2000000
#define TURN	   8 /* instructions of the loop */

#define RECORD_SIZE 64

extern const char spe_loop[], spe_loop_end[];

__asm__(".globl spe_loop, spe_loop_end\n"
	"spe_loop:\n"
	"	nop\n"
	"	add x1, x1, #1\n"
	"	nop\n"
	"	eor x2, x1, x2\n"
	"	nop\n"
	"	nop\n"
	"	subs x0, x0, #1\n"
	"	b.ne spe_loop\n"
	"spe_loop_end:\n"
	"	ret\n");

static void run_loop(void)
{
	register uint64_t turns __asm__("x0") = TURNS;

	__asm__ volatile("bl spe_loop" : "+r"(turns) : : "x1", "x2", "x30", "cc");
}

/* A number that a file of sysfs holds, or -1. */
static long read_number(const char *path)
{
	long file = call(__NR_openat, AT_FDCWD, (long)path, O_RDONLY, 0, 0, 0);
	char text[32];
	long size = call(__NR_read, file, (long)text, sizeof(text), 0, 0, 0), value = 0;

	if (size <= 0)
		return -1;
	for (long i = 0; i < size && text[i] >= '0' && text[i] <= '9'; i++)
		value = 10 * value + text[i] - '0';
	return value;
}

/*
 * The PC packet of a record (Arm ARM D18.2), with its EL and NS in the top byte, or 0: packets
 * follow one another up to a timestamp or the end packet.
 */
static uint64_t record_pc(const uint8_t *record)
{
	size_t at = 0;

	while (at < RECORD_SIZE) {
		uint8_t header = record[at++];
		size_t size = (size_t)1 << (header >> 4 & 3);

		if (header == 0x00)
			continue;
		if (header == 0x01 || header == 0x71)
			break;
		if (header == 0xb0 && at + 8 <= RECORD_SIZE) {
			uint64_t pc = 0;

			for (unsigned int i = 0; i < 8; i++)
				pc |= (uint64_t)record[at + i] << (8 * i);
			return pc;
		}
		at += size + ((header & 0xfc) == 0x20);
	}
	return 0;
}

/* Records that are not of the loop at EL0, Non-secure. */
static uint64_t count_strangers(const uint8_t *aux, uint64_t records)
{
	uint64_t strangers = 0;

	for (uint64_t i = 0; i < records; i++) {
		uint64_t pc = record_pc(aux + i * RECORD_SIZE);
		uint64_t address = pc & UINT64_C(0x00ffffffffffffff);

		if (pc >> 56 != 0x80 || address < (uintptr_t)spe_loop ||
		    address >= (uintptr_t)spe_loop_end || address % 4 != 0)
			strangers++;
	}
	return strangers;
}

static long open_event(long type)
{
	struct perf_event_attr attr = {
		.type = (uint32_t)type,
		.size = sizeof(attr),
		.config = CONFIG_TS_ENABLE,
		.sample_period = PERIOD,
		.disabled = 1,
		.exclude_kernel = 1,
		.aux_watermark = WATERMARK,
	};

	return call(__NR_perf_event_open, (long)&attr, 0, -1, -1, 0, 0);
}

/* What the driver told of the AUX buffer: once each time that profiling stopped. */
static uint64_t count_stops(const struct perf_event_mmap_page *page)
{
	const uint8_t *data = (const uint8_t *)page + page->data_offset;
	uint64_t stops = 0;

	for (uint64_t at = 0; at < page->data_head;) {
		const struct perf_event_header *header =
			(const struct perf_event_header *)(data + at % page->data_size);

		if (header->size == 0)
			break;
		stops += header->type == PERF_RECORD_AUX;
		at += header->size;
	}
	return stops;
}

static long map(long event, long size, long offset)
{
	return call(__NR_mmap, 0, size, PROT_RW, MAP_SHARED, event, offset);
}

void test_spe(void)
{
	const long data_size = (1 + DATA_PAGES) * PAGE;
	const uint64_t wanted = (uint64_t)TURNS * TURN / INTERVAL;
	struct perf_event_mmap_page *page;
	long module, type, event, aux;
	uint64_t records;

	call(__NR_mkdirat, AT_FDCWD, (long)"/sys", 0755, 0, 0, 0);
	call(__NR_mount, (long)"sys", (long)"/sys", (long)"sysfs", 0, 0, 0);
	module = call(__NR_openat, AT_FDCWD, (long)"/spe.ko", O_RDONLY, 0, 0, 0);
	module = call(__NR_finit_module, module, (long)"", 0, 0, 0, 0);
	type = read_number(TYPE_FILE);
	point(module == 0 && type > 0, "the driver of SPE finds the unit", (uint64_t)module);
	event = open_event(type);
	point(event >= 0, "an event of it opens", (uint64_t)event);
	page = (struct perf_event_mmap_page *)map(event, data_size, 0);
	aux = -1;
	if ((long)page > 0) {
		page->aux_offset = (uint64_t)data_size;
		page->aux_size = AUX_SIZE;
		aux = map(event, AUX_SIZE, data_size);
	}
	point(aux > 0, "... with a buffer for its records", (uint64_t)aux);
	if (aux <= 0)
		return;
	control(event, PERF_EVENT_IOC_ENABLE, 0);
	run_loop();
	control(event, PERF_EVENT_IOC_DISABLE, 0);
	records = page->aux_head / RECORD_SIZE;
	point(records >= wanted && records <= wanted + wanted / 100, "a record an interval",
	      records);
	point(count_stops(page) > records * RECORD_SIZE / WATERMARK,
	      "... and an interrupt each time the buffer is full", count_stops(page));
	point(records > 0 && count_strangers((const uint8_t *)aux, records) == 0,
	      "... each of the loop at EL0", count_strangers((const uint8_t *)aux, records));
}
