/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libFuzzer target: the device tree for any configuration. The first bytes choose the numbers, the
 * rest is the guest's command line; what comes out is whole and has that command line.
 */
#include <libfdt.h>
#include <stdlib.h>
#include <string.h>

#include "machine/device_tree.h"
#include "machine/loader.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static uint8_t tree[LOADER_DTB_SIZE];
	struct device_tree_config config = {0};
	char *arguments;
	const char *found;
	int result;

	if (size < 4)
		return 0;
	arguments = malloc(size - 3);
	if (!arguments)
		abort();
	memcpy(arguments, bytes + 4, size - 4);
	arguments[size - 4] = '\0';
	/* Few as a rule: what many take is time. */
	config.device.choices.cpus =
		bytes[0] < 248 ? 1u + bytes[0] % 4 : (bytes[0] - 247u) * (DEVICE_MAX_CPUS / 8);
	config.device.choices.ram_size = (uint64_t)bytes[1] << 20;
	config.device.choices.spe = bytes[2] & 1;
	config.device.choices.pmu = bytes[2] & 2 ? PMU_V3P1 : PMU_NONE;
	config.initrd_end = bytes[3];
	config.device.choices.params = arguments;
	result = device_tree_build(&config, tree, sizeof(tree));
	if (result < 0 && result != -FDT_ERR_NOSPACE)
		abort();
	if (result >= 0) {
		if (fdt_check_full(tree, (size_t)result) != 0)
			abort();
		found = fdt_getprop(tree, fdt_path_offset(tree, "/chosen"), "bootargs", NULL);
		if (!found || strcmp(found, arguments) != 0)
			abort();
		if ((fdt_path_offset(tree, "/spe-pmu") >= 0) != config.device.choices.spe ||
		    (fdt_path_offset(tree, "/pmu") >= 0) != (config.device.choices.pmu != PMU_NONE))
			abort();
	}
	free(arguments);
	return 0;
}
