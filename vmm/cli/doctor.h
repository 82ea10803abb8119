/* SPDX-License-Identifier: BSD-2-Clause */
/* vspe doctor: what this host offers to vspe, one row for each check. */
#ifndef VSPE_CLI_DOCTOR_H
#define VSPE_CLI_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>

#define DOCTOR_TEXT 512

/* Where the checks look, so that tests can simulate another host. Programs come from PATH. */
struct doctor_host {
	bool arm64;		 /* the processor suits KVM's engine */
	const char *kvm;	 /* /dev/kvm */
	const char *paranoid;	 /* /proc/sys/kernel/perf_event_paranoid */
	const char *meminfo;	 /* /proc/meminfo */
	const char *name_spaces; /* /proc/sys/kernel/unprivileged_userns_clone, of Debian */
	const char *apparmor;	 /* ... apparmor_restrict_unprivileged_userns, of Ubuntu */
};

extern const struct doctor_host doctor_here;

struct doctor_finding {
	bool ok;
	char found[DOCTOR_TEXT];  /* what there is, or why it does not work */
	char remedy[DOCTOR_TEXT]; /* the command or step that fixes it; empty: none does */
};

struct doctor_check {
	const char *name;
	const char *use; /* what needs it */
	bool optional;
	void (*look)(const struct doctor_host *host, struct doctor_finding *finding);
};

extern const struct doctor_check doctor_checks[];
extern const size_t doctor_check_count;

/* For a row that is there, and for one that is not. */
__attribute__((format(printf, 2, 3))) void doctor_ok(struct doctor_finding *finding,
						     const char *format, ...);
__attribute__((format(printf, 3, 4))) void
doctor_missing(struct doctor_finding *finding, const char *remedy, const char *format, ...);

/* The rows that are checked in other files. */
void doctor_look_sandbox(const struct doctor_host *host, struct doctor_finding *finding);
void doctor_look_protections(const struct doctor_host *host, struct doctor_finding *finding);
void doctor_look_kvm(const struct doctor_host *host, struct doctor_finding *finding);
void doctor_look_counters(const struct doctor_host *host, struct doctor_finding *finding);
void doctor_look_paranoid(const struct doctor_host *host, struct doctor_finding *finding);

#endif
