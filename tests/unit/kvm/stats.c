/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * KVM's statistics of a vCPU (Documentation/virt/kvm/api.rst, 4.133): what is found in their file,
 * that nothing outside of it is read, and the verdict.
 */
#include <string.h>

#include "../compare.h"
#include "kvm/count/stats.h"

#define NAME_SIZE 48u
#define EACH	  (16u + NAME_SIZE)
#define COUNT	  3u

struct file {
	uint8_t header[KVM_STATS_HEADER];
	uint8_t descriptors[COUNT * EACH];
};

static void put32(uint8_t *at, uint32_t value)
{
	memcpy(at, &value, sizeof(value));
}

static void describe(struct file *file, unsigned int n, const char *name, uint32_t flags,
		     uint16_t size, uint32_t offset)
{
	uint8_t *at = file->descriptors + n * EACH;

	put32(at, flags);
	memcpy(at + 6, &size, sizeof(size));
	put32(at + 8, offset);
	strncpy((char *)at + 16, name, NAME_SIZE);
}

/* As Linux makes it: the identifier, descriptors and data, one after the other. */
static struct file make_file(void)
{
	struct file file = {0};

	put32(file.header + 4, NAME_SIZE);
	put32(file.header + 8, COUNT);
	put32(file.header + 12, KVM_STATS_HEADER);
	put32(file.header + 16, KVM_STATS_HEADER + NAME_SIZE);
	put32(file.header + 20, KVM_STATS_HEADER + NAME_SIZE + sizeof(file.descriptors));
	describe(&file, 0, "hvc_exit_stat", 0, 1, 0);
	describe(&file, 1, "halt_wait_hist", 4, 32, 8);
	describe(&file, 2, "mmio_exit_kernel", 0, 1, 264);
	return file;
}

#define DATA (KVM_STATS_HEADER + NAME_SIZE + COUNT * EACH)

static uint64_t find(const struct file *file, size_t size, const char *name)
{
	struct kvm_stats stats;

	cr_assert(kvm_stats_header(file->header, &stats));
	cr_expect_eq(kvm_stats_descriptors_size(&stats), COUNT * EACH);
	return kvm_stats_find(&stats, file->descriptors, size, name);
}

Test(stats, counts_are_found_by_name)
{
	const struct file file = make_file();

	cr_expect_eq(find(&file, sizeof(file.descriptors), "hvc_exit_stat"), DATA);
	cr_expect_eq(find(&file, sizeof(file.descriptors), "mmio_exit_kernel"), DATA + 264);
	/*
	 * Part of a name does not match, nor do names with several values, or without a descriptor.
	 */
	cr_expect_eq(find(&file, sizeof(file.descriptors), "mmio_exit"), 0);
	cr_expect_eq(find(&file, sizeof(file.descriptors), "mmio_exit_kernel_"), 0);
	cr_expect_eq(find(&file, sizeof(file.descriptors), "halt_wait_hist"), 0);
	cr_expect_eq(find(&file, sizeof(file.descriptors), "wfi_exit_stat"), 0);
}

Test(stats, what_was_not_read_is_not_looked_at)
{
	struct file file = make_file();
	char name[NAME_SIZE + 2];

	cr_expect_eq(find(&file, 3 * EACH - 1, "mmio_exit_kernel"), 0);
	cr_expect_eq(find(&file, EACH, "hvc_exit_stat"), DATA);
	cr_expect_eq(find(&file, EACH - 1, "hvc_exit_stat"), 0);
	cr_expect_eq(find(&file, 0, "hvc_exit_stat"), 0);
	/* A name without an end, and one that is too long. */
	memset(name, 'x', sizeof(name));
	name[NAME_SIZE] = 0;
	memset(file.descriptors + 2 * EACH + 16, 'x', NAME_SIZE);
	cr_expect_eq(find(&file, sizeof(file.descriptors), name), 0);
	name[NAME_SIZE - 1] = 0;
	cr_expect_eq(find(&file, sizeof(file.descriptors), name), 0);
}

Test(stats, descriptors_that_cannot_be_are_refused)
{
	static const struct {
		uint32_t flags, offset;
		uint16_t size;
	} wrong[] = {{1, 264, 1}, {0, 260, 1}, {0, 264, 0}, {0, 264, 2}, {0, UINT32_MAX - 7, 1}};

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		struct file file = make_file();

		describe(&file, 2, "mmio_exit_kernel", wrong[i].flags, wrong[i].size,
			 wrong[i].offset);
		cr_expect_eq(find(&file, sizeof(file.descriptors), "mmio_exit_kernel"), 0,
			     "descriptor %zu", i);
	}
}

Test(stats, headers_that_cannot_be_are_refused)
{
	static const struct {
		unsigned int at;
		uint32_t value;
	} wrong[] = {{4, 0},  {4, UINT32_MAX}, {8, 0},	{8, UINT32_MAX},
		     {16, 0}, {16, 23},	       {20, 0}, {20, 23}};

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		struct file file = make_file();
		struct kvm_stats stats;

		put32(file.header + wrong[i].at, wrong[i].value);
		cr_expect_not(kvm_stats_header(file.header, &stats), "header %zu", i);
	}
}

/*
 * Every instruction once: by the event, or by the statistic; otherwise the count is known to be
 * wrong.
 */
Test(stats, verdict)
{
	/* Two events for each instruction; six of them belong to other instructions. */
	cr_expect_eq(kvm_judge_answered(8, 6, 2, 0), KVM_VERDICT_COUNTED);
	cr_expect_eq(kvm_judge_answered(8, 6, 2, 1), KVM_VERDICT_COUNTED);
	cr_expect_eq(kvm_judge_answered(6, 6, 2, 1), KVM_VERDICT_ADDED);
	/* No statistic, or the wrong one. */
	cr_expect_eq(kvm_judge_answered(6, 6, 2, 0), KVM_VERDICT_WRONG);
	cr_expect_eq(kvm_judge_answered(6, 6, 2, 2), KVM_VERDICT_WRONG);
	/* Counted twice, one and a half times, or less than never. */
	cr_expect_eq(kvm_judge_answered(10, 6, 2, 1), KVM_VERDICT_WRONG);
	cr_expect_eq(kvm_judge_answered(7, 6, 2, 1), KVM_VERDICT_WRONG);
	cr_expect_eq(kvm_judge_answered(4, 6, 2, 1), KVM_VERDICT_WRONG);
}
