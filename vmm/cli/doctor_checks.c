/* SPDX-License-Identifier: BSD-2-Clause */
/* vspe doctor: the rows, and those about programs and files. */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/doctor.h"
#include "cli/engines.h"
#include "cli/qemu_command.h"
#include "conform/guest_process.h"
#include "machine/choice_rows.h"

/* Host seconds. Only a program that hangs reaches this limit. */
#define SECONDS 20

#define KIB_IN_MIB 1024u

/* What vspe needs in addition to the guest's memory. */
#define OWN_MIB 64u

const struct doctor_host doctor_here = {
#ifdef __aarch64__
	.arm64 = true,
#endif
	.kvm = "/dev/kvm",
	.paranoid = "/proc/sys/kernel/perf_event_paranoid",
	.meminfo = "/proc/meminfo",
	.name_spaces = "/proc/sys/kernel/unprivileged_userns_clone",
	.apparmor = "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
};

static void look_memory(const struct doctor_host *host, struct doctor_finding *finding)
{
	const uint64_t guest = choices_default(cli_find_engine(NULL)).ram_size >> 20;
	FILE *file = fopen(host->meminfo, "re");
	uint64_t kib = 0;
	char line[128];

	while (file && !kib && fgets(line, sizeof(line), file))
		(void)sscanf(line, "MemAvailable: %" SCNu64, &kib);
	if (file)
		(void)fclose(file);
	if (!kib)
		doctor_missing(finding, "mount /proc: sudo mount -t proc proc /proc",
			       "%s does not say how much there is", host->meminfo);
	else if (kib / KIB_IN_MIB < guest + OWN_MIB)
		doctor_missing(finding, "vspe run -m 64, a guest with less; or end other programs",
			       "%" PRIu64 " MiB, and a guest has %" PRIu64 " MiB unless -m says "
			       "otherwise",
			       kib / KIB_IN_MIB, guest);
	else
		doctor_ok(finding,
			  "%" PRIu64 " MiB; a guest has %" PRIu64 " MiB unless -m says "
			  "otherwise",
			  kib / KIB_IN_MIB, guest);
}

static void look_guests(const struct doctor_host *host, struct doctor_finding *finding)
{
	char path[PATH_MAX];

	(void)host;
	if (cli_find_guests(path, sizeof(path)) == 0)
		doctor_ok(finding, "%s", path);
	else
		doctor_missing(finding, "sudo apt install --reinstall vspe", "%s: not there", path);
}

/* The output of a program. False if it is missing or fails, which the finding then says. */
static bool ask(const char *name, const char *package, char *const *words,
		struct doctor_finding *finding, struct guest_output *output)
{
	char path[PATH_MAX], remedy[DOCTOR_TEXT];
	char *line[4] = {path, NULL};
	bool ran;

	snprintf(remedy, sizeof(remedy), "sudo apt install %s", package);
	if (!cli_find_program(path, sizeof(path), name)) {
		doctor_missing(finding, remedy, "no %s in PATH", name);
		return false;
	}
	for (size_t i = 0; i + 2 < sizeof(line) / sizeof(line[0]) && words[i]; i++)
		line[i + 1] = words[i];
	ran = guest_process_run(line, SECONDS, output) == 0 && output->status == 0;
	if (!ran)
		doctor_missing(finding, remedy, "%s cannot be run", path);
	return ran;
}

/* The first line of an output. */
static int first(const struct guest_output *output)
{
	return (int)strcspn(output->out.bytes, "\n");
}

static void look_perf(const struct doctor_host *host, struct doctor_finding *finding)
{
	char words[2][20] = {"version", "--build-options"};
	char *const options[] = {words[0], words[1], NULL};
	struct guest_output output = {.status = 0};

	(void)host;
	if (ask("perf", "linux-perf", options, finding, &output)) {
		const char *aux = strstr(output.out.bytes, "HAVE_AUXTRACE_SUPPORT");

		while (aux && aux > output.out.bytes && aux[-1] != '\n')
			aux--;
		if (aux && strncmp(aux + strcspn(aux, "["), "[ on", 4) == 0)
			doctor_ok(finding, "%.*s", first(&output), output.out.bytes);
		else
			doctor_missing(finding, "sudo apt install linux-perf",
				       "%.*s cannot read SPE's records: it was built without "
				       "AUXTRACE",
				       first(&output), output.out.bytes);
	}
	guest_output_free(&output);
}

static void look_qemu(const struct doctor_host *host, struct doctor_finding *finding)
{
	char path[PATH_MAX], line[128];

	(void)host;
	if (!cli_find_program(path, sizeof(path), QEMU_PROGRAM)) {
		doctor_missing(finding, QEMU_INSTALL, "no " QEMU_PROGRAM " in PATH");
		return;
	}
	switch (qemu_command_release(path, line, sizeof(line))) {
	case QEMU_IS_NEW: doctor_ok(finding, "%s", line); break;
	case QEMU_IS_OLD:
		doctor_missing(finding, QEMU_INSTALL,
			       "%s: 11.1 or later is needed, whose plugins have API version 7",
			       line);
		break;
	case QEMU_IS_NONE: doctor_missing(finding, QEMU_INSTALL, "%s cannot be run", path); break;
	}
}

static void look_plugin(const struct doctor_host *host, struct doctor_finding *finding)
{
	char path[PATH_MAX];

	(void)host;
	if (cli_find_plugin(path, sizeof(path)) == 0 && access(path, R_OK) == 0)
		doctor_ok(finding, "%s", path);
	else
		doctor_missing(finding, "sudo apt install libvspe-qemu", "%s: not there", path);
}

static void look_python(const struct doctor_host *host, struct doctor_finding *finding)
{
	char word[] = "--version";
	char *const options[] = {word, NULL};
	struct guest_output output = {.status = 0};
	unsigned int minor = 0;

	(void)host;
	if (ask("python3", "python3", options, finding, &output)) {
		if (sscanf(output.out.bytes, "Python 3.%u", &minor) == 1 && minor >= 11)
			doctor_ok(finding, "%.*s", first(&output), output.out.bytes);
		else
			doctor_missing(finding, "sudo apt install python3",
				       "%.*s, and Python 3.11 or later is needed", first(&output),
				       output.out.bytes);
	}
	guest_output_free(&output);
}

struct tool {
	const char *name, *package;
};

/* PATH may lack the folders of root's programs. */
static bool has_tool(const char *name)
{
	static const char *const more[] = {"/usr/sbin", "/sbin"};
	char path[PATH_MAX];
	bool found = cli_find_program(path, sizeof(path), name);

	for (size_t i = 0; i < sizeof(more) / sizeof(more[0]) && !found; i++) {
		snprintf(path, sizeof(path), "%s/%s", more[i], name);
		found = access(path, X_OK) == 0;
	}
	return found;
}

static void look_tools(const struct tool *tools, size_t count, struct doctor_finding *finding)
{
	char names[DOCTOR_TEXT] = "", missing[DOCTOR_TEXT] = "";
	char packages[DOCTOR_TEXT] = "sudo apt install";

	for (size_t i = 0; i < count; i++) {
		char *list = has_tool(tools[i].name) ? names : missing;

		snprintf(list + strlen(list), DOCTOR_TEXT - strlen(list), "%s%s", *list ? ", " : "",
			 tools[i].name);
		if (list == missing)
			snprintf(packages + strlen(packages), DOCTOR_TEXT - strlen(packages), " %s",
				 tools[i].package);
	}
	if (*missing)
		doctor_missing(finding, packages, "no %s in PATH", missing);
	else
		doctor_ok(finding, "%s", names);
}

static void look_image(const struct doctor_host *host, struct doctor_finding *finding)
{
	static const struct tool tools[] = {{"apt-get", "apt"}, {"dpkg-deb", "dpkg"}};

	(void)host;
	look_tools(tools, sizeof(tools) / sizeof(tools[0]), finding);
}

static void look_disk(const struct doctor_host *host, struct doctor_finding *finding)
{
	static const struct tool tools[] = {
		{"debootstrap", "debootstrap"}, {"fakeroot", "fakeroot"},
		{"mke2fs", "e2fsprogs"},	{"sfdisk", "fdisk"},
		{"mformat", "mtools"},
	};

	(void)host;
	look_tools(tools, sizeof(tools) / sizeof(tools[0]), finding);
}

const struct doctor_check doctor_checks[] = {
	{"memory", "every guest", false, look_memory},
	{"sandbox", "vspe run, conform, decode and report", false, doctor_look_sandbox},
	{"guests", "vspe conform --guests, vspe bench", false, look_guests},
	{"protections", "vspe run --sandbox strict", true, doctor_look_protections},
	{"kvm", "vspe run --engine kvm", true, doctor_look_kvm},
	{"kvm-counters", "vspe run --engine kvm, to count by the host's PMU", true,
	 doctor_look_counters},
	{"perf-paranoid", "vspe run --engine kvm, by users other than root", true,
	 doctor_look_paranoid},
	{"perf", "perf report and perf script of --perf-data", true, look_perf},
	{"qemu", "vspe qemu", true, look_qemu},
	{"qemu-plugin", "vspe qemu", true, look_plugin},
	{"python3", "vspe linux, and the Python package", true, look_python},
	{"linux-image", "vspe linux run and image", true, look_image},
	{"linux-disk", "vspe linux disk", true, look_disk},
};

const size_t doctor_check_count = sizeof(doctor_checks) / sizeof(doctor_checks[0]);
