/* SPDX-License-Identifier: BSD-2-Clause */
/* vspe doctor: the host's kernel, with its KVM, its counters and its protections of a process. */
#define _GNU_SOURCE /* syscall */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/privileges.h"
#include "base/protections.h"
#include "base/sandbox.h"
#include "cli/cli.h"
#include "cli/doctor.h"
#include "cli/engines.h"

/* --- KVM */

void doctor_look_kvm(const struct doctor_host *host, struct doctor_finding *finding)
{
	const struct engine *engine = cli_find_engine("kvm");
	char why[256];
	int kvm;

	if (!host->arm64) {
		doctor_missing(finding, "",
			       "KVM runs arm64 guests on arm64 hosts only; the "
			       "software CPU runs them everywhere");
		return;
	}
	kvm = open(host->kvm, O_RDWR | O_CLOEXEC);
	if (kvm < 0 && (errno == EACCES || errno == EPERM))
		doctor_missing(finding, "sudo usermod -aG kvm $USER, and log in again",
			       "%s: may not be opened", host->kvm);
	else if (kvm < 0)
		doctor_missing(finding,
			       "sudo modprobe kvm; a virtual machine needs nested virtualization, "
			       "and a board has to start Linux at EL2",
			       "%s: %s", host->kvm, strerror(errno));
	else if (engine->probe(why, sizeof(why)) < 0)
		doctor_missing(finding, "Linux 5.5 or later as the host's kernel", "%s", why);
	else
		doctor_ok(finding, "%s", host->kvm);
	if (kvm >= 0)
		(void)close(kvm);
}

/* Open the event that the engine samples by, for guests only. A descriptor, or -1 and errno. */
static int open_counter(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.exclude_host = 1,
	};

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

void doctor_look_counters(const struct doctor_host *host, struct doctor_finding *finding)
{
	int counter;

	if (!host->arm64) {
		doctor_missing(finding, "", "only with KVM, on an arm64 host");
		return;
	}
	counter = open_counter();
	if (counter >= 0)
		doctor_ok(finding, "perf counts instructions of guests");
	else if (errno == EACCES || errno == EPERM)
		doctor_missing(finding, "sudo sysctl kernel.perf_event_paranoid=1",
			       "perf may not count guests' instructions");
	else
		doctor_missing(
			finding,
			"a host whose kernel has the PMU's driver; a virtual machine needs a "
			"PMU. Without, each instruction is stepped, which is slow",
			"perf counts no guests' instructions: %s", strerror(errno));
	if (counter >= 0)
		(void)close(counter);
}

void doctor_look_paranoid(const struct doctor_host *host, struct doctor_finding *finding)
{
	FILE *file = fopen(host->paranoid, "re");
	int level;

	if (!file || fscanf(file, "%d", &level) != 1)
		doctor_missing(finding, "a host whose kernel has perf events (CONFIG_PERF_EVENTS)",
			       "%s: cannot be read", host->paranoid);
	else if (level > 1 && !host->arm64)
		doctor_ok(finding,
			  "kernel.perf_event_paranoid is %d, which matters to KVM's engine only",
			  level);
	else if (level > 1)
		doctor_missing(finding, "sudo sysctl kernel.perf_event_paranoid=1",
			       "kernel.perf_event_paranoid is %d, and 1 or less is needed", level);
	else
		doctor_ok(finding, "kernel.perf_event_paranoid is %d", level);
	if (file)
		(void)fclose(file);
}

/* --- The sandbox, entered by a child that exists only for this */

struct inside {
	int error; /* of sandbox_enter() */
	char what[64];
	struct protections protections;
};

static _Noreturn void enter(int to)
{
	struct inside result = {.error = 0};
	struct sandbox sandbox = {
		.command = "vspe doctor",
		.needs = SANDBOX_FILES | SANDBOX_THREADS,
		.exit_code = CLI_STOPPED,
		.namespaces = PRIVILEGES_ALL,
		.protections = &result.protections,
	};
	const char *what = "";

	result.error = sandbox_enter(&sandbox, &what);
	sandbox.needs = 0;
	if (result.error == 0)
		result.error = sandbox_enter(&sandbox, &what);
	if (result.error < 0)
		snprintf(result.what, sizeof(result.what), "%s", what);
	_exit(write(to, &result, sizeof(result)) == (ssize_t)sizeof(result) ? 0 : 1);
}

/* What a sandbox has here. -1: unknown. */
static int look_inside(struct inside *result)
{
	int ends[2], status = 0;
	ssize_t got = -1;
	pid_t child;

	if (pipe(ends) < 0)
		return -1;
	(void)fflush(NULL);
	child = fork();
	if (child == 0)
		enter(ends[1]);
	(void)close(ends[1]);
	if (child > 0) {
		got = read(ends[0], result, sizeof(*result));
		(void)waitpid(child, &status, 0);
	}
	(void)close(ends[0]);
	return got == (ssize_t)sizeof(*result) && status == 0 ? 0 : -1;
}

void doctor_look_sandbox(const struct doctor_host *host, struct doctor_finding *finding)
{
	struct inside inside;

	(void)host;
	if (look_inside(&inside) < 0)
		doctor_missing(finding, "vspe run --sandbox off, for guests that you trust",
			       "the sandbox cannot be entered");
	else if (inside.error < 0)
		doctor_missing(finding, "vspe run --sandbox off, for guests that you trust",
			       "%s: %s", inside.what, strerror(-inside.error));
	else if (inside.protections.lack[PROTECTION_FILTER].why[0])
		doctor_missing(finding, "a vspe without sanitizers and coverage", "%s",
			       inside.protections.lack[PROTECTION_FILTER].why);
	else
		doctor_ok(finding, "a filter of system calls, and limits");
}

/* What enables a protection that the kernel refuses. */
static const char *remedy_of(const struct doctor_host *host, enum protection which)
{
	switch (which) {
	case PROTECTION_USER: return "run vspe as an ordinary user, or with --user USER";
	case PROTECTION_LANDLOCK:
		return "Linux 5.13 or later, with landlock in lsm= of its command line";
	case PROTECTION_USER_NAMESPACE:
	case PROTECTION_MOUNT_NAMESPACE:
	case PROTECTION_NETWORK_NAMESPACE:
	case PROTECTION_IPC_NAMESPACE:
	case PROTECTION_UTS_NAMESPACE:
	case PROTECTION_ROOT:
		if (access(host->name_spaces, R_OK) == 0)
			return "sudo sysctl kernel.unprivileged_userns_clone=1";
		if (access(host->apparmor, R_OK) == 0)
			return "sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0";
		return "run vspe outside of a container";
	default: return "";
	}
}

void doctor_look_protections(const struct doctor_host *host, struct doctor_finding *finding)
{
	const char *remedy = "";
	char text[DOCTOR_TEXT] = "";
	struct inside inside;
	size_t used = 0;

	if (look_inside(&inside) < 0 || inside.error < 0) {
		doctor_missing(finding, "", "no sandbox");
		return;
	}
	for (int i = 0; i < PROTECTION_COUNT && used < sizeof(text); i++) {
		const char *why = inside.protections.lack[i].why;

		if (!*why)
			continue;
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%sno %s (%s)",
					 used ? ", " : "", protection_name((enum protection)i),
					 why);
		if (!*remedy)
			remedy = remedy_of(host, (enum protection)i);
	}
	if (used)
		doctor_missing(finding, remedy, "%s", text);
	else
		doctor_ok(finding, "all %d", PROTECTION_COUNT);
}
