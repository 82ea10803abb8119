/* SPDX-License-Identifier: BSD-2-Clause */
/* The scan of an initrd: archives, signed modules, compressed and damaged parts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../compare.h"
#include "kvm/trap/scan.h"

#define NOP	      0xd503201fu
#define RET	      0xd65f03c0u
#define MRS_PMSIDR_X3 0xd53899e3u

static const char signature[] = "~Module signature appended~\n";

struct initrd {
	uint8_t bytes[8192];
	size_t size, last; /* last: where the last member's data is */
};

static void pad(struct initrd *initrd)
{
	while (initrd->size % 4)
		initrd->bytes[initrd->size++] = 0;
}

static void add(struct initrd *initrd, const char *name, const void *data, size_t size)
{
	char header[128];
	const int length = snprintf(header, sizeof(header),
				    "070701%08x%08x%08x%08x%08x%08x%08zx%08x%08x%08x%08x%08zx%08x",
				    1, 0100644, 0, 0, 1, 0, size, 0, 0, 0, 0, strlen(name) + 1, 0);

	memcpy(initrd->bytes + initrd->size, header, (size_t)length);
	initrd->size += (size_t)length;
	memcpy(initrd->bytes + initrd->size, name, strlen(name) + 1);
	initrd->size += strlen(name) + 1;
	pad(initrd);
	initrd->last = initrd->size;
	if (size)
		memcpy(initrd->bytes + initrd->size, data, size);
	initrd->size += size;
	pad(initrd);
}

static const uint32_t program[] = {NOP, MRS_PMSIDR_X3, RET, 0};

static size_t module(uint8_t bytes[64])
{
	memcpy(bytes, program, sizeof(program));
	memcpy(bytes + sizeof(program), signature, sizeof(signature) - 1);
	return sizeof(program) + sizeof(signature) - 1;
}

struct log {
	unsigned int count[VSPE_KVM_SITE_KINDS];
	size_t offset;
};

static void note(void *ctx, const struct kvm_site *site)
{
	struct log *log = ctx;

	log->count[site->what]++;
	log->offset = site->offset;
}

static size_t scan(struct initrd *initrd, bool modules, struct log *log)
{
	const struct kvm_scan options = {
		.base = KVM_BRK_BASE, .modules = modules, .log = note, .ctx = log};
	/* It ends where reading must end, so that the sanitizer sees more. */
	uint8_t *bytes = malloc(initrd->size ? initrd->size : 1);
	size_t patched;

	cr_assert_not_null(bytes);
	memcpy(bytes, initrd->bytes, initrd->size);
	memset(log, 0, sizeof(*log));
	patched = kvm_scan_initrd(&options, bytes, initrd->size);
	memcpy(initrd->bytes, bytes, initrd->size);
	free(bytes);
	return patched;
}

Test(initrd, members_of_an_archive)
{
	struct initrd initrd = {0};
	struct log log;
	uint32_t word;
	size_t at;

	add(&initrd, "empty", NULL, 0);
	add(&initrd, "lib/arm_spe_pmu.ko", program, sizeof(program));
	at = initrd.last;
	add(&initrd, "TRAILER!!!", NULL, 0);
	cr_assert_eq(scan(&initrd, false, &log), 1);
	cr_assert_eq(log.count[VSPE_KVM_SITE_PATCHED], 1);
	cr_assert_eq(log.offset, at + 4, "offsets are those of the whole");
	memcpy(&word, initrd.bytes + at + 4, 4);
	cr_assert_eq(word & 0xffe0001f, 0xd4200000);
}

Test(initrd, a_signed_module_is_left_unless_asked_for)
{
	struct initrd initrd = {0}, before;
	struct log log;
	uint8_t bytes[64];
	const size_t size = module(bytes);

	add(&initrd, "arm_spe_pmu.ko", bytes, size);
	before = initrd;
	cr_assert_eq(scan(&initrd, false, &log), 0);
	cr_assert_eq(log.count[VSPE_KVM_SITE_SIGNED], 1);
	cr_assert_arr_eq(initrd.bytes, before.bytes, initrd.size);
	cr_assert_eq(scan(&initrd, true, &log), 1);
	cr_assert_eq(log.count[VSPE_KVM_SITE_PATCHED], 1);
	cr_assert_arr_neq(initrd.bytes + initrd.last + size - sizeof(signature) + 1, signature,
			  sizeof(signature) - 1, "it is not taken for signed any more");
}

Test(initrd, a_module_without_accesses_keeps_its_signature)
{
	struct initrd initrd = {0}, before;
	struct log log;
	uint8_t bytes[64];
	const size_t size = module(bytes);

	memcpy(bytes + 4, &(uint32_t){NOP}, 4);
	add(&initrd, "other.ko", bytes, size);
	before = initrd;
	cr_assert_eq(scan(&initrd, true, &log), 0);
	cr_assert_arr_eq(initrd.bytes, before.bytes, initrd.size);
}

Test(initrd, what_is_compressed_is_left_and_told)
{
	uint8_t packed[24] = {0x1f, 0x8b};
	struct initrd initrd = {0}, before;
	struct log log;

	memcpy(packed + 8, program, sizeof(program));
	add(&initrd, "readme.gz", packed, sizeof(packed));
	cr_assert_eq(scan(&initrd, false, &log), 0);
	cr_assert_eq(log.count[VSPE_KVM_SITE_COMPRESSED], 0, "no code");
	add(&initrd, "a/b.ko.gz", packed, sizeof(packed));
	add(&initrd, "TRAILER!!!", NULL, 0);
	initrd.size += 512;
	memcpy(initrd.bytes + initrd.size, packed, sizeof(packed));
	initrd.size += sizeof(packed);
	before = initrd;
	cr_assert_eq(scan(&initrd, false, &log), 0);
	cr_assert_eq(log.count[VSPE_KVM_SITE_COMPRESSED], 2, "a module, and the rest");
	cr_assert_eq(log.offset, initrd.size - sizeof(packed));
	cr_assert_arr_eq(initrd.bytes, before.bytes, initrd.size);
}

Test(initrd, another_format_is_scanned_whole)
{
	struct initrd initrd = {.bytes = "-rom1fs-", .size = 64};
	struct log log;

	memcpy(initrd.bytes + 32, program, sizeof(program));
	cr_assert_eq(scan(&initrd, false, &log), 1);
}

/* Whatever is broken, nothing after the end is read or written: the sanitizers see it. */
Test(initrd, damage)
{
	struct initrd whole = {0};
	struct log log;
	uint8_t bytes[64];
	const size_t size = module(bytes);

	add(&whole, "one.ko", bytes, size);
	add(&whole, "TRAILER!!!", NULL, 0);
	for (size_t end = 0; end < whole.size; end++) {
		struct initrd cut = whole;

		cut.size = end;
		(void)scan(&cut, true, &log);
	}
	for (size_t at = 0; at < 110; at++) {
		static const char digits[] = "fF0g";

		for (unsigned int i = 0; i < 4; i++) {
			struct initrd bent = whole;

			bent.bytes[at] = (uint8_t)digits[i];
			(void)scan(&bent, true, &log);
			cr_assert_leq(log.count[VSPE_KVM_SITE_PATCHED], 1);
		}
	}
}
