/* SPDX-License-Identifier: BSD-2-Clause */
/* See qemu_tree.h. Documentation/devicetree/bindings/perf/spe-pmu.yaml describes the node. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <libfdt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/qemu_tree.h"
#include "conform/guest_process.h"

/* Host seconds, after which a QEMU that hangs is killed. */
#define SECONDS 60

/* More room than the node takes. */
#define ROOM	  4096
#define TREE_MOST (4u << 20)

#define PPI	   1u
#define SPE_PPI	   5u /* INTID 21, of the Arm Base System Architecture */
#define LEVEL_HIGH 4u
#define TRIGGER	   0xfu

static int refuse(char *why, size_t size, const char *what, int error)
{
	snprintf(why, size, "QEMU's device tree: %s%s%s", what, error ? ": " : "",
		 error ? fdt_strerror(error) : "");
	return -1;
}

/* All RAM nodes: one for each NUMA node, with addresses and sizes of two cells. */
static void find_ram(const void *tree, struct qemu_ram *ram)
{
	int node = -1;

	*ram = (struct qemu_ram){UINT64_MAX, 0};
	while ((node = fdt_node_offset_by_prop_value(tree, node, "device_type", "memory",
						     sizeof("memory"))) >= 0) {
		int length = 0;
		const fdt64_t *reg = fdt_getprop(tree, node, "reg", &length);

		if (!reg || length < 16)
			continue;
		const uint64_t start = fdt64_ld(reg), size = fdt64_ld(reg + 1);

		ram->start = start < ram->start ? start : ram->start;
		if (start + size > start && start + size > ram->end)
			ram->end = start + size;
	}
}

/* The CPU mask of a PPI, which a GICv2 needs, copied from the timer's; 0 with a GICv3. */
static uint32_t ppi_mask(const void *tree)
{
	const int node = fdt_path_offset(tree, "/timer");
	int length = 0;
	const fdt32_t *cells = node < 0 ? NULL : fdt_getprop(tree, node, "interrupts", &length);

	return cells && length >= 12 ? fdt32_ld(cells + 2) & ~TRIGGER : 0;
}

static int add_node(void *tree)
{
	const fdt32_t interrupts[] = {cpu_to_fdt32(PPI), cpu_to_fdt32(SPE_PPI),
				      cpu_to_fdt32(LEVEL_HIGH | ppi_mask(tree))};
	const int node = fdt_add_subnode(tree, 0, "spe-pmu");
	int error = node < 0 ? node
			     : fdt_setprop_string(tree, node, "compatible",
						  "arm,statistical-profiling-extension-v1");

	if (error == 0)
		error = fdt_setprop(tree, node, "interrupts", interrupts, sizeof(interrupts));
	return error;
}

int qemu_tree_edit(void *tree, size_t *size, size_t room, struct qemu_ram *ram, char *why,
		   size_t why_size)
{
	int error = *size <= INT_MAX ? fdt_check_full(tree, *size) : -FDT_ERR_BADSTRUCTURE;

	if (error == 0)
		error = fdt_open_into(tree, tree, (int)room);
	if (error)
		return refuse(why, why_size, "not one", error);
	if (fdt_node_offset_by_compatible(tree, -1, "arm,gic-v3") < 0 &&
	    fdt_node_offset_by_compatible(tree, -1, "arm,cortex-a15-gic") < 0)
		return refuse(why, why_size, "no GIC, which SPE needs for its interrupt", 0);
	if (fdt_node_offset_by_compatible(tree, -1, "arm,statistical-profiling-extension-v1") >= 0)
		return refuse(why, why_size, "there is an SPE already", 0);
	find_ram(tree, ram);
	if (ram->start >= ram->end)
		return refuse(why, why_size, "no RAM", 0);
	error = add_node(tree);
	if (error)
		return refuse(why, why_size, "SPE's node", error);
	fdt_pack(tree);
	*size = fdt_totalsize(tree);
	return 0;
}

/* Read QEMU's tree from a file in a temporary folder. A buffer with room, or NULL and why. */
static char *read_tree(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	char *tree = file ? calloc(1, TREE_MOST + ROOM) : NULL;

	if (tree)
		*size = fread(tree, 1, TREE_MOST, file);
	if (file)
		fclose(file);
	return tree;
}

/* QEMU's message says best what is wrong. */
static int refuse_output(const struct guest_output *output, char *why, size_t size)
{
	const char *text = output->err.bytes ? output->err.bytes : "";

	snprintf(why, size, "%.*s", (int)strcspn(text, "\n"),
		 *text ? text : "QEMU gives no device tree");
	return -1;
}

static int dump(const struct qemu_command *command, const char *path, char *why, size_t why_size)
{
	struct qemu_command dumping = {.words = NULL};
	struct guest_output output = {.status = 0};
	char option[PATH_MAX + 16];
	int error = 0;

	snprintf(option, sizeof(option), "dumpdtb=%s", path);
	qemu_command_machine(&dumping, command);
	qemu_command_add_two(&dumping, "-machine", option);
	if (dumping.failed || guest_process_run(dumping.words, SECONDS, &output) < 0 ||
	    output.status != 0 || access(path, R_OK) != 0)
		error = refuse_output(&output, why, why_size);
	guest_output_free(&output);
	qemu_command_free(&dumping);
	return error;
}

/* Write to the file at path, or, if path is empty, to an unnamed one. */
static int keep(const char *tree, size_t size, char *path, size_t path_size)
{
	const int file = *path ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)
			       : memfd_create("device-tree", 0);
	bool written;

	if (file < 0)
		return -1;
	written = write(file, tree, size) == (ssize_t)size;
	if (*path)
		return close(file) == 0 && written ? 0 : -1;
	snprintf(path, path_size, "/proc/self/fd/%d", file);
	return written ? 0 : -1;
}

int qemu_tree_make(const struct qemu_command *command, char *path, size_t size,
		   struct qemu_ram *ram, char *why, size_t why_size)
{
	char folder[] = "/tmp/vspe-qemu-XXXXXX", file[sizeof(folder) + 8];
	size_t tree_size = 0;
	char *tree = NULL;
	int error;

	if (!mkdtemp(folder)) {
		snprintf(why, why_size, "no folder can be made in /tmp");
		return -1;
	}
	snprintf(file, sizeof(file), "%s/dtb", folder);
	error = dump(command, file, why, why_size);
	if (error == 0)
		tree = read_tree(file, &tree_size);
	if (error == 0 && tree)
		error = qemu_tree_edit(tree, &tree_size, TREE_MOST + ROOM, ram, why, why_size);
	if (error == 0 && (!tree || keep(tree, tree_size, path, size) < 0)) {
		snprintf(why, why_size, "the device tree: %s: %s",
			 *path ? path : "a file in memory", tree ? strerror(errno) : "no memory");
		error = -1;
	}
	free(tree);
	unlink(file);
	rmdir(folder);
	return error;
}
