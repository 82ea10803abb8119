/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The statistics that KVM keeps of a vCPU, in the file of KVM_GET_STATS_FD (Linux 5.14,
 * Documentation/virt/kvm/api.rst, 4.133). Here they say how many instructions KVM has answered
 * itself, which the perf event may not count.
 */
#ifndef VSPE_KVM_STATS_H
#define VSPE_KVM_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KVM_STATS_HEADER 24u /* bytes, at the start of the file */

/* Where the file has what, in bytes. */
struct kvm_stats {
	uint32_t name_size, descriptors; /* how many */
	uint64_t descriptors_at, data_at;
};

/* false: the file cannot be understood, or has an absurd size. */
bool kvm_stats_header(const uint8_t header[KVM_STATS_HEADER], struct kvm_stats *stats);
/* Bytes of all descriptors. */
size_t kvm_stats_descriptors_size(const struct kvm_stats *stats);
/*
 * Where in the file the count of that name is, 8 bytes; 0: there is none of that name, or it is not
 * a cumulative count of one value.
 */
uint64_t kvm_stats_find(const struct kvm_stats *stats, const uint8_t *descriptors, size_t size,
			const char *name);

/* What KVM answers itself and counts. */
enum kvm_answered { KVM_ANSWERED_MMIO, KVM_ANSWERED_HVC, KVM_ANSWERED_WFI, KVM_ANSWERED_KINDS };

/* What has to be done for such an instruction. */
enum kvm_verdict {
	KVM_VERDICT_WRONG,   /* it is miscounted, and nobody can mend it */
	KVM_VERDICT_COUNTED, /* nothing: the event counts it once */
	KVM_VERDICT_ADDED,   /* the event leaves it out: the statistic is added */
};

/*
 * Judge from one such instruction, executed while others caused so many events: how many events
 * there were in total, and the increase of the statistic. An instruction is multiplier events.
 */
enum kvm_verdict kvm_judge_answered(uint64_t events, uint64_t others, unsigned int multiplier,
				    uint64_t grown);

#endif
