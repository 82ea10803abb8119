/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is left to a process that looks at bytes which others made: a seccomp filter of the system
 * calls it still needs, Landlock where the kernel has it, namespaces, an empty root folder and no
 * capabilities (base/privileges.h), no new privileges, limits. It is entered twice: with
 * SANDBOX_FILES before the first such byte is read, and without when all files are open. Nothing
 * leads back.
 *
 * A call that is not left ends the process: a line on standard error names it, and the exit code is
 * sandbox.exit_code. Rows of sandbox_calls.def say which calls a need brings.
 */
#ifndef VSPE_BASE_SANDBOX_H
#define VSPE_BASE_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sandbox_need {
	SANDBOX_FILES = 1,   /* open files, and find their paths */
	SANDBOX_NAMES = 2,   /* give names to files that are open, or take those away */
	SANDBOX_THREADS = 4, /* start threads */
	SANDBOX_KVM = 8,     /* make and run virtual machines of /dev/kvm, and count their events */
	SANDBOX_SOCKETS = 16, /* connect over IPv4, and accept where something listens already */
	SANDBOX_RESOLVE = 32, /* open SANDBOX_NAME_SERVERS to read it, and with no Landlock all */
	SANDBOX_SHARE = 64,   /* read what is below sandbox.share, and with no Landlock all */
	SANDBOX_SHARE_WRITE = 128, /* ... and change it */
	SANDBOX_PROCESSES = 256,   /* start processes of this program, and wait for them */
	SANDBOX_DWARF = 512,	   /* read debug information of files that are open, by libdw */
	SANDBOX_PRIVILEGES = 1024, /* give up privileges that are held while files are opened */
	SANDBOX_CHILDREN = 2048,   /* have processes that end when it does, whatever they do */
};

/* Where the host's name servers are. */
#define SANDBOX_NAME_SERVERS "/etc/resolv.conf"

struct sandbox {
	const char *command; /* for messages, as "vspe run"; kept */
	unsigned int needs;  /* enum sandbox_need */
	int exit_code;	     /* of a process that was stopped */
	/*
	 * With SANDBOX_NAMES, and without SANDBOX_FILES: paths of the files, in whose folders names
	 * may change. NULL ones are passed over.
	 */
	const char *const *outputs;
	size_t output_count;
	const char *share; /* with SANDBOX_SHARE, and without SANDBOX_FILES: the folder */
	/* Of enum privileges_namespace: those that it is to have of its own, and the empty root. */
	unsigned int namespaces;
	bool limits_files;  /* without SANDBOX_FILES: none becomes larger than ... */
	uint64_t file_size; /* ... bytes */
	uint64_t mapped;    /* bytes of memory that it has for sure, where /proc does not say */
	struct protections *protections; /* gets what the kernel does not give; or NULL */
};

/*
 * Enter it, for good, with all threads that there are. 0, or a negative errno, and then what failed
 * in *what (static storage): the process is not to go on as if it were inside. Where the kernel has
 * no Landlock, that part is left out.
 *
 * A build for the sanitizers, for libFuzzer or for coverage has the limits alone: these open files
 * and start processes of their own whenever they like. sandbox_has_filter() tells.
 */
int sandbox_enter(const struct sandbox *sandbox, const char **what);
bool sandbox_has_filter(void);
/*
 * Never more than most of a resource (RLIMIT_*), nor than the limit is already; reach: as much as
 * that, where the limit so far was a lower one that may be raised. 0, or a negative errno.
 */
int sandbox_limit(int resource, uint64_t most, bool reach);
/* Has the kernel Landlock? */
bool sandbox_has_landlock(void);

/* Called before the line is written, from a signal handler: to leave the terminal as it was. */
void sandbox_at_stop(void (*stop)(void));

/*
 * Landlock: from here on the threads that this one starts, and itself, open nothing by its path but
 * what SANDBOX_RESOLVE and SANDBOX_SHARE are for, change names in the folders of the outputs only,
 * and have no TCP but what SANDBOX_SOCKETS is for. The ABI's number, 0 if the kernel has no
 * Landlock, or a negative errno.
 */
int sandbox_landlock(const struct sandbox *sandbox);

#endif
