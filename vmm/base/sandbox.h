/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What remains to a process that reads untrusted bytes: a seccomp filter with the system calls that
 * it still needs, Landlock if the kernel has it, namespaces, an empty root folder and no
 * capabilities (base/privileges.h), no new privileges, limits. It is entered twice: with
 * SANDBOX_FILES before the first such byte is read, and without when all files are open. There is
 * no way back.
 *
 * A forbidden call ends the process: a line on standard error names it, and the exit code is
 * sandbox.exit_code. Rows of sandbox_calls.def say which calls a need allows.
 */
#ifndef VSPE_BASE_SANDBOX_H
#define VSPE_BASE_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sandbox_need {
	SANDBOX_FILES = 1,   /* open files, and find their paths */
	SANDBOX_NAMES = 2,   /* give names to open files, or remove names */
	SANDBOX_THREADS = 4, /* start threads */
	SANDBOX_KVM = 8,     /* make and run virtual machines of /dev/kvm, and count their events */
	SANDBOX_SOCKETS = 16,	   /* connect over IPv4, and accept on listening sockets */
	SANDBOX_RESOLVE = 32,	   /* read SANDBOX_NAME_SERVERS, and without Landlock any file */
	SANDBOX_SHARE = 64,	   /* read files below sandbox.share, and without Landlock any */
	SANDBOX_SHARE_WRITE = 128, /* ... and change it */
	SANDBOX_PROCESSES = 256,   /* start processes of this program, and wait for them */
	SANDBOX_DWARF = 512,	   /* read debug information of open files, with libdw */
	SANDBOX_PRIVILEGES = 1024, /* give up privileges that are kept while files are opened */
	SANDBOX_CHILDREN = 2048,   /* have processes that end when it does, whatever they do */
};

/* The file with the host's name servers. */
#define SANDBOX_NAME_SERVERS "/etc/resolv.conf"

struct sandbox {
	const char *command; /* for messages, such as "vspe run"; must stay valid */
	unsigned int needs;  /* enum sandbox_need */
	int exit_code;	     /* of a process that was stopped */
	/*
	 * With SANDBOX_NAMES, and without SANDBOX_FILES: paths of the files, in whose folders names
	 * may change. NULL entries are skipped.
	 */
	const char *const *outputs;
	size_t output_count;
	const char *share; /* with SANDBOX_SHARE, and without SANDBOX_FILES: the folder */
	/* Of enum privileges_namespace: those that it must have, and the empty root. */
	unsigned int namespaces;
	bool limits_files;  /* without SANDBOX_FILES: no file becomes larger than ... */
	uint64_t file_size; /* ... bytes */
	uint64_t mapped;    /* bytes of memory that it has mapped, if /proc does not say */
	struct protections *protections; /* gets what the kernel refuses; or NULL */
};

/*
 * Enter it, for good, with all existing threads. 0, or a negative errno with what failed in *what
 * (static storage), after which the process must not continue as if it were inside. If the kernel
 * has no Landlock, that part is left out.
 *
 * A build for the sanitizers, for libFuzzer or for coverage only has the limits, because these open
 * files and start processes at any time. sandbox_has_filter() is false then.
 */
int sandbox_enter(const struct sandbox *sandbox, const char **what);
bool sandbox_has_filter(void);
/*
 * Limit a resource (RLIMIT_*) to most, or to the current limit if that is lower. reach: raise a
 * lower current limit to most, if that is allowed. 0, or a negative errno.
 */
int sandbox_limit(int resource, uint64_t most, bool reach);
/* Has the kernel Landlock? */
bool sandbox_has_landlock(void);

/* Called from a signal handler before the line is written, to restore the terminal. */
void sandbox_at_stop(void (*stop)(void));

/*
 * Landlock: from here on this thread, and those that it starts, only open paths for SANDBOX_RESOLVE
 * and SANDBOX_SHARE, only change names in the folders of the outputs, and only use TCP for
 * SANDBOX_SOCKETS. Returns the ABI's number, 0 if the kernel has no Landlock, or a negative errno.
 */
int sandbox_landlock(const struct sandbox *sandbox);

#endif
