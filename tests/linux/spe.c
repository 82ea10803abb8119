/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The first and only process of a Linux kernel, which tests the kernel's own SPE driver. It loads
 * the driver (/arm_spe_pmu.ko, if the initrd has one), opens its events with an AUX buffer, runs a
 * loop of known length, and judges the records, the interrupts and the AUX head. It prints TAP. Arm
 * ARM D18 describes records.
 */
#include "../array.h"
#include "perf_ring.h"
#include "record.h"
#include "spe_code.h"
#include "user.h"

/* Fields of perf_event_attr.config: /sys/bus/event_source/devices/arm_spe_0/format. */
#define CONFIG_JITTER (1ull << 16)
#define CONFIG_STORES (1ull << 34)

/* Records are padded to this: PMBIDR_EL1.Align of the machine, and its PMSIDR_EL1.MaxSize. */
#define RECORD_SIZE 64

struct session {
	const char *name;
	uint64_t period, config;
	uint32_t aux_pages, wakeup_pages;
	uint64_t loops, chunks; /* chunks of as many loops; the buffers are read after each */
	bool kernel;		/* system calls instead, of which the kernel's part is profiled */
};

/* A session by its sample records and the kernel's own records. */
struct found {
	uint64_t records, broken, head;
	uint64_t kernel, elsewhere, loads, stores,
		branches;		   /* of the records; others are the loop's */
	uint64_t reports, reported, flags; /* PERF_RECORD_AUX: how many, their bytes, their flags */
	uint64_t interrupts;
};

/* All CPUs' interrupts of the driver: "NUMBER: COUNT... CHIP HWIRQ Level arm_spe_pmu". */
static uint64_t interrupts(void)
{
	static char text[16384];
	const char *line = text;

	if (read_text("/proc/interrupts", text, sizeof(text)) <= 0)
		return 0;
	while (*line) {
		static const char name[] = "arm_spe_pmu";
		const char *end = line;
		size_t size = sizeof(name) - 1, i = 0;
		uint64_t sum = 0;

		while (*end && *end != '\n')
			end++;
		while ((size_t)(end - line) >= size && i < size &&
		       end[(long)i - (long)size] == name[i])
			i++;
		if (i == size) {
			while (line < end && *line++ != ':')
				;
			for (;; line++) {
				while (*line == ' ')
					line++;
				if (*line < '0' || *line > '9')
					return sum;
				sum += parse_number(&line);
			}
		}
		line = *end ? end + 1 : end;
	}
	return 0;
}

static bool open_session(const struct session *session, uint32_t type, struct buffers *b)
{
	struct perf_event_attr attr = {.type = type,
				       .size = sizeof(attr),
				       .config = session->config,
				       .sample_period = session->period,
				       .disabled = 1,
				       .exclude_kernel = !session->kernel,
				       .exclude_user = session->kernel,
				       .aux_watermark = session->wakeup_pages * (uint32_t)PAGE};

	return open_buffers(b, &attr, session->aux_pages);
}

/* The kernel's records: header (type, misc, size), and for AUX offset, size and flags. */
static void read_reports(struct buffers *b, struct found *found)
{
	uint64_t head = load_head(&b->page->data_head);

	while (b->data_tail < head) {
		uint64_t header = data_word(b, b->data_tail);

		if ((uint32_t)header == PERF_RECORD_AUX) {
			found->reports++;
			found->reported += data_word(b, b->data_tail + 16);
			found->flags |= data_word(b, b->data_tail + 24);
		}
		if (header >> 48 < 8)
			break;
		b->data_tail += header >> 48;
	}
	__atomic_store_n(&b->page->data_tail, head, __ATOMIC_RELEASE);
}

static void judge_record(const struct record *record, struct found *found)
{
	found->records++;
	/* The kernel is at EL2 if it uses FEAT_VHE. */
	if ((record->el == 1 || record->el == 2) && record->pc >> 63)
		found->kernel++;
	else if (record->el != 0 || record->pc < (uintptr_t)spe_loop ||
		 record->pc >= (uintptr_t)spe_loop_end)
		found->elsewhere++;
	else if (record->type_header == TYPE_MEMORY)
		*(record->type & 1 ? &found->stores : &found->loads) += 1;
	else if (record->type_header == TYPE_BRANCH)
		found->branches++;
}

/* The records after the tail, each in a slot of RECORD_SIZE. The tail follows the head. */
static void read_records(struct buffers *b, struct found *found)
{
	uint64_t head = load_head(&b->page->aux_head);

	for (; b->aux_tail + RECORD_SIZE <= head; b->aux_tail += RECORD_SIZE) {
		const uint8_t *slot = b->aux + b->aux_tail % b->aux_size;
		struct record record;
		long size = record_parse(slot, RECORD_SIZE, &record);

		if (size > 0 && slot[0] != 0)
			judge_record(&record, found);
		else
			found->broken++;
	}
	found->head = head;
	__atomic_store_n(&b->page->aux_tail, b->aux_tail, __ATOMIC_RELEASE);
}

/* What is profiled: spe_loop(), or as many system calls. */
static void run_code(const struct session *session)
{
	if (session->kernel)
		for (uint64_t i = 0; i < session->loops; i++)
			call(__NR_getppid, 0, 0, 0, 0, 0, 0);
	else
		spe_loop(session->loops);
}

static bool run_session(const struct session *session, uint32_t type, struct found *found)
{
	struct buffers b;
	uint64_t before = interrupts();

	*found = (struct found){0};
	if (!open_session(session, type, &b))
		return false;
	for (uint64_t chunk = 0; chunk < session->chunks; chunk++) {
		control(b.event, PERF_EVENT_IOC_ENABLE, NULL);
		run_code(session);
		control(b.event, PERF_EVENT_IOC_DISABLE, NULL);
		read_reports(&b, found);
		read_records(&b, found);
	}
	found->interrupts = interrupts() - before;
	close_buffers(&b);
	return true;
}

static void show(const struct session *session, const struct found *found)
{
	const struct {
		const char *name;
		uint64_t value;
	} values[] = {
		{" records, ", found->interrupts},  {" interrupts, head ", found->head},
		{"; loads ", found->loads},	    {", stores ", found->stores},
		{", branches ", found->branches},   {", of the kernel ", found->kernel},
		{", elsewhere ", found->elsewhere}, {", no record ", found->broken},
		{"; AUX reports ", found->reports}, {", flags ", found->flags},
	};

	print("# ");
	print(session->name);
	print(": ");
	print_number(found->records);
	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		print(values[i].name);
		print_number(values[i].value);
	}
	print("\n");
}

/* All of them by the loop: 5 points. */
static void test_loop(const struct session *session, uint32_t type)
{
	uint64_t operations = session->chunks * session->loops * LOOP_OPS;
	/* The interval is one more than the period (Arm ARM D17.3.4.1, note). */
	uint64_t samples = operations / (session->period + 1);
	uint64_t records = session->config & CONFIG_STORES ? samples / LOOP_OPS : samples;
	uint64_t others = session->config & CONFIG_STORES ? 0 : samples / LOOP_OPS;
	uint64_t part = session->config & CONFIG_JITTER ? 4 : 50;
	struct found found;
	bool opened = run_session(session, type, &found);

	show(session, &found);
	point(opened && near(found.records, records, 50),
	      "as many records as period and operations give", found.records);
	point(opened && found.head == found.records * RECORD_SIZE && found.broken == 0,
	      "... the AUX head is at the end of the last", found.head);
	point(opened && found.interrupts == found.head / (session->wakeup_pages * PAGE),
	      "... with an interrupt whenever the driver wanted one", found.interrupts);
	point(opened && found.flags == 0 && found.reported == found.head,
	      "... which the kernel reported, all of them", found.reported);
	point(opened && found.elsewhere + found.kernel <= session->chunks &&
		      near(found.loads, others, part) &&
		      near(found.stores, samples / LOOP_OPS, part) &&
		      near(found.branches, others, part),
	      "... and each operation of the loop has its share", found.elsewhere);
}

/* Profiling of the kernel alone, which runs for system calls: 2 points. */
static void test_kernel(const struct session *session, uint32_t type)
{
	struct found found;
	bool opened = run_session(session, type, &found);

	show(session, &found);
	/*
	 * A system call takes more than a hundred operations of the kernel: with random numbers,
	 * for its stack, which it does not have yet, some ten thousand.
	 */
	point(opened && found.kernel == found.records &&
		      found.records > session->loops * 100 / session->period &&
		      found.records < session->loops * 100000 / session->period,
	      "the kernel alone is profiled", found.records);
	point(opened && found.head == found.records * RECORD_SIZE && found.broken == 0,
	      "... the AUX head is at the end of the last record", found.head);
}

/*
 * A buffer that nobody reads: 4 points. perf leaves a byte of it free, to distinguish full from
 * empty, and the driver writes whole pages, so the last page is not used for records. The driver
 * then takes the rest as padding, and the head ends one byte before the end.
 */
static void test_unread(const struct session *session, uint32_t type)
{
	uint64_t size = session->aux_pages * PAGE;
	struct found found;
	bool opened = run_session(session, type, &found);

	show(session, &found);
	point(opened && found.records == (size - PAGE) / RECORD_SIZE,
	      "without a reader all pages but the last have records", found.records);
	point(opened && found.head == size - 1,
	      "... the driver takes what is left, but for the byte that perf keeps", found.head);
	point(opened && found.broken == PAGE / RECORD_SIZE - 1, "... and it is padding",
	      found.broken);
	point(opened && found.flags == PERF_AUX_FLAG_TRUNCATED, "... reported as truncated",
	      found.flags);
}

void init(const uint64_t *stack)
{
	/* A period plus 1 has no factor in common with LOOP_OPS: each operation has its turn. */
	static const struct session loops[] = {
		{"loop", 4096, 0, 64, 4, 819200, 1, false},
		{"loop, random intervals", 4096, CONFIG_JITTER, 64, 4, 819200, 1, false},
		{"stores of the loop", 1280, CONFIG_STORES, 64, 1, 819200, 1, false},
		{"a small buffer, read in time", 1280, 0, 4, 1, 20480, 25, false},
		{"seldom", 65536, 0, 4, 1, 1310720, 1, false},
	};
	static const struct session kernel = {"system calls", 1280, 0, 64, 4, 100, 1, true};
	static const struct session unread = {"nobody reads", 1280, 0, 4, 0, 102400, 1, false};
	uint32_t type;
	long error;

	(void)stack;
	mount_all();
	print("1..32\n");
	error = load_spe_driver();
	type = device_type("arm_spe_0");
	point(error == 0 && type != 0, "the kernel's driver has registered arm_spe_0",
	      (uint64_t)error);
	if (type == 0) {
		print("Bail out! no driver\n");
		power_off();
	}
	for (size_t i = 0; i < ARRAY_SIZE(loops); i++)
		test_loop(&loops[i], type);
	test_kernel(&kernel, type);
	test_unread(&unread, type);
	power_off();
}
