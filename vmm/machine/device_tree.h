/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The device tree that describes the machine to its guest, made with libfdt after the bindings of
 * the Linux kernel (Documentation/devicetree/bindings).
 */
#ifndef VSPE_DEVICE_TREE_H
#define VSPE_DEVICE_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine.h"

struct device_tree_config {
	unsigned int cpus;
	uint64_t ram_size;
	struct engine_levels levels;
	const char *bootargs;		   /* NULL: none */
	uint64_t initrd_start, initrd_end; /* equal: none */
	bool spe;
	enum engine_gic gic; /* ENGINE_GIC_ANY is a GICv3 */
	/* vCPUs that share MPIDR_EL1.Aff1, as KVM numbers them; 0: all, Aff0 is the index. */
	unsigned int cluster;
};

/* Write the tree to buffer. Its size in bytes, or a negative FDT_ERR_* of libfdt. */
int device_tree_build(const struct device_tree_config *config, void *buffer, size_t size);

#endif
