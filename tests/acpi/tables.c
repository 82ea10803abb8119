/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tables FOLDER CPUS EL DISKS NODES: write the ACPI tables of such a machine, as firmware has put
 * them together, each into FOLDER/<signature>.dat. The last of several nodes has no CPUs.
 */
#include <stdio.h>
#include <stdlib.h>

#include "../array.h"
#include "acpi_install.h"
#include "device/fw_cfg.h"
#include "device/virtio.h"

int main(int argc, char **argv)
{
	static const char *const names[] = {"FACP", "APIC", "GTDT", "SPCR", "PPTT",
					    "DSDT", "SRAT", "SLIT", "HMAT"};
	static struct virtio_device disks[DEVICE_VIRTIO];
	static const struct fw_cfg_files files;
	struct device_config config = {
		.choices.spe = true, .choices.pmu = PMU_V3P1, .midr = 0x000f0560, .fw_cfg = &files};
	struct acpi_install install;
	const char *wrong;

	if (argc != 6)
		return 2;
	config.choices.cpus = (unsigned int)atoi(argv[2]);
	config.choices.levels.start = (uint8_t)atoi(argv[3]);
	config.choices.levels.el2 = config.choices.levels.start > 1;
	for (int i = 0; i < atoi(argv[4]) && i < DEVICE_VIRTIO; i++)
		config.virtio[i] = &disks[i];
	config.choices.numa.count = (uint32_t)atoi(argv[5]);
	for (uint32_t n = 0; n < config.choices.numa.count; n++)
		config.choices.numa.node[n].size = UINT64_C(64) << 20;
	for (unsigned int cpu = 0; cpu < config.choices.cpus && config.choices.numa.count; cpu++)
		config.choices.numa.node[cpu % (config.choices.numa.count - 1)].cores |= UINT64_C(1)
											 << cpu;
	wrong = acpi_install(&config, &install);
	if (wrong) {
		fprintf(stderr, "%s\n", wrong);
		return 1;
	}
	for (size_t i = 0; i < ARRAY_SIZE(names) - (config.choices.numa.count ? 0 : 3); i++) {
		const uint8_t *table = acpi_find(&install, names[i]);
		char path[4096];
		FILE *to;

		(void)snprintf(path, sizeof(path), "%s/%s.dat", argv[1], names[i]);
		to = fopen(path, "wb");
		if (!table || !to || fwrite(table, acpi_number(table + 4, 4), 1, to) != 1 ||
		    fclose(to) != 0)
			return 1;
	}
	acpi_install_free(&install);
	return 0;
}
