/* SPDX-License-Identifier: BSD-2-Clause */
/* vspe doctor on hosts that are not this one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../compare.h"
#include "cli/doctor.h"

static char folder[] = "/tmp/vspe-doctor-XXXXXX";

static void make(void)
{
	cr_assert_not_null(mkdtemp(folder));
	cr_assert_eq(setenv("PATH", folder, 1), 0);
}

static void remove_all(void)
{
	char command[64];

	snprintf(command, sizeof(command), "/bin/rm -r %s", folder);
	(void)!system(command);
}

TestSuite(doctor, .init = make, .fini = remove_all);

/* A file of the folder, whose path stays until the next call of as many names. */
static const char *file(const char *name, const char *text, unsigned int mode)
{
	static char paths[4][64];
	static unsigned int next;
	char *path = paths[next++ % 4];
	FILE *out;

	snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
	out = fopen(path, "w");
	cr_assert_not_null(out);
	fputs(text, out);
	fclose(out);
	cr_assert_eq(chmod(path, mode), 0);
	return path;
}

static struct doctor_finding look(const struct doctor_host *host, const char *name)
{
	struct doctor_finding finding = {.ok = false};

	for (size_t i = 0; i < doctor_check_count; i++) {
		if (strcmp(doctor_checks[i].name, name) == 0) {
			doctor_checks[i].look(host, &finding);
			return finding;
		}
	}
	cr_assert_fail("no check %s", name);
	return finding;
}

static void same(struct doctor_finding finding, bool ok, const char *found, const char *remedy)
{
	cr_assert_eq(finding.ok, ok);
	cr_assert_str_has(finding.found, found);
	cr_assert_str_has(finding.remedy, remedy);
	if (ok)
		cr_assert_str_eq(finding.remedy, "");
}

Test(doctor, names_differ_and_have_a_use)
{
	for (size_t i = 0; i < doctor_check_count; i++) {
		cr_assert_str_neq(doctor_checks[i].use, "");
		for (size_t j = 0; j < i; j++)
			cr_assert_str_neq(doctor_checks[i].name, doctor_checks[j].name);
	}
}

Test(doctor, an_empty_path_has_no_programs)
{
	const struct doctor_host host = doctor_here;

	same(look(&host, "perf"), false, "no perf in PATH", "apt install linux-perf");
	same(look(&host, "python3"), false, "no python3 in PATH", "apt install python3");
	same(look(&host, "qemu"), false, "no qemu-system-aarch64 in PATH", "qemu-system-arm");
	same(look(&host, "linux-image"), false, "no apt-get, dpkg-deb in PATH",
	     "sudo apt install apt dpkg");
}

Test(doctor, a_program_is_asked_for_its_version)
{
	const struct doctor_host host = doctor_here;

	file("qemu-system-aarch64", "#!/bin/sh\necho 'QEMU emulator version 10.0.2 (Debian)'\n",
	     0755);
	same(look(&host, "qemu"), false, "10.0.2 (Debian): 11.1 or later", "trixie-backports");
	file("qemu-system-aarch64", "#!/bin/sh\necho 'QEMU emulator version 11.1.0'\n", 0755);
	same(look(&host, "qemu"), true, "11.1.0", "");
	file("qemu-system-aarch64", "#!/bin/sh\nexit 1\n", 0755);
	same(look(&host, "qemu"), false, "cannot be run", "trixie-backports");
	file("python3", "#!/bin/sh\necho Python 3.9.2\n", 0755);
	same(look(&host, "python3"), false, "Python 3.9.2, and Python 3.11", "apt install");
	file("python3", "#!/bin/sh\necho Python 3.13.1\n", 0755);
	same(look(&host, "python3"), true, "Python 3.13.1", "");
}

Test(doctor, perf_has_to_read_traces)
{
	const struct doctor_host host = doctor_here;

	file("perf",
	     "#!/bin/sh\necho perf version 6.1\n"
	     "echo '  get_cpuid: [ on  ]  # HAVE_AUXTRACE_SUPPORT'\n",
	     0755);
	same(look(&host, "perf"), true, "perf version 6.1", "");
	file("perf",
	     "#!/bin/sh\necho perf version 6.1\necho '  zstd: [ on  ]  # HAVE_ZSTD_SUPPORT'\n"
	     "echo '  auxtrace: [ OFF ]  # HAVE_AUXTRACE_SUPPORT'\n",
	     0755);
	same(look(&host, "perf"), false, "without AUXTRACE", "linux-perf");
	file("perf", "#!/bin/sh\necho perf: not found for this kernel >&2\nexit 2\n", 0755);
	same(look(&host, "perf"), false, "cannot be run", "linux-perf");
}

Test(doctor, only_an_arm64_host_has_kvm_for_these_guests)
{
	struct doctor_host host = {.arm64 = false, .kvm = file("kvm", "", 0600)};

	same(look(&host, "kvm"), false, "arm64 hosts only", "");
	same(look(&host, "kvm-counters"), false, "on an arm64 host", "");
	host = (struct doctor_host){.arm64 = true, .kvm = "/nowhere/kvm"};
	same(look(&host, "kvm"), false, "/nowhere/kvm: No such file", "modprobe kvm");
	if (geteuid() == 0)
		return; /* who may open everything */
	host.kvm = file("kvm", "", 0);
	same(look(&host, "kvm"), false, "may not be opened", "usermod -aG kvm");
}

Test(doctor, a_level_of_paranoia_is_compared)
{
	struct doctor_host host = {.paranoid = file("paranoid", "2\n", 0644)};

	same(look(&host, "perf-paranoid"), true, "is 2, which matters to KVM", "");
	host.arm64 = true;
	same(look(&host, "perf-paranoid"), false, "is 2",
	     "sudo sysctl kernel.perf_event_paranoid=1");
	host.paranoid = file("paranoid", "-1\n", 0644);
	same(look(&host, "perf-paranoid"), true, "is -1", "");
	host.paranoid = "/nowhere/paranoid";
	same(look(&host, "perf-paranoid"), false, "cannot be read", "CONFIG_PERF_EVENTS");
}

Test(doctor, memory_has_to_be_that_of_a_guest)
{
	struct doctor_host host = {
		.meminfo = file("meminfo", "MemTotal: 1 kB\nMemAvailable:   2097152 kB\n", 0644)};

	same(look(&host, "memory"), true, "2048 MiB; a guest has 256 MiB", "");
	host.meminfo = file("meminfo", "MemAvailable: 200000 kB\n", 0644);
	same(look(&host, "memory"), false, "195 MiB, and a guest has 256 MiB", "vspe run -m 64");
	host.meminfo = file("meminfo", "MemTotal: 1 kB\n", 0644);
	same(look(&host, "memory"), false, "does not say", "mount -t proc");
}
