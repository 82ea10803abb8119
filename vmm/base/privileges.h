/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a process can do beyond the files that it has open: its namespaces, capabilities and user.
 * It gives them up in steps, as its needs shrink, and for good:
 *
 *   privileges_separate()  separate namespaces, with all folders as before. A process without
 *                          capabilities does this first of all. With capabilities it happens when
 *                          all files are open, because a user namespace takes away those over
 *                          other users' files.
 *   privileges_become()    another user, for a process that root started.
 *   privileges_end()       an empty root folder, and no capability.
 *
 * Each notes in protections (unless that is NULL) what the kernel refuses, and continues without.
 * In a build without the filter (sandbox_has_filter()) namespaces and root stay as they are,
 * because its sanitizers open files at any time.
 */
#ifndef VSPE_BASE_PRIVILEGES_H
#define VSPE_BASE_PRIVILEGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct protections;
struct user;

/* Bits of PRIVILEGES_ALL select namespaces: a network's process keeps the host's network. */
enum privileges_namespace {
	PRIVILEGES_USER = 1,
	PRIVILEGES_MOUNT = 2,
	PRIVILEGES_NETWORK = 4,
	PRIVILEGES_IPC = 8,
	PRIVILEGES_UTS = 16,
	PRIVILEGES_ALL = 31,
};

/* The effective capabilities, a bit each. */
uint64_t privileges_held(void);
/* Keep only its capabilities in keep, with no way to get another. 0, or a negative errno. */
int privileges_keep(uint64_t keep);
/*
 * An empty file system in memory, which no path leads to: its root folder, or -1 and errno.
 * attributes are additional ones of fsmount(2); it never has programs, devices or set-user-ID.
 */
int privileges_empty_folder(unsigned int attributes);

/*
 * Enter the namespaces, note those that were left out before, and prepare a folder to become the
 * root. With a user namespace the process loses its capabilities over everything that existed
 * before. It must have only one thread.
 */
void privileges_separate(unsigned int namespaces, struct protections *protections);

/*
 * Become user, with the capabilities in keep. 0, or a negative errno, after which the process must
 * not continue. -EPERM: it was not started as root.
 */
int privileges_become(const struct user *user, uint64_t keep);

/*
 * The last step: the remaining namespaces, the empty root, and no capabilities except those in
 * keep, with which there is no user namespace. 0, or a negative errno.
 */
int privileges_end(unsigned int namespaces, uint64_t keep, struct protections *protections);

/*
 * Capabilities that the process must keep: CAP_PERFMON for KVM's counters, if the kernel lets
 * nobody else count; and those over other users' files, if the folder of one of count outputs
 * belongs to another user. Each is noted in protections.
 */
uint64_t privileges_for_counters(struct protections *protections);
uint64_t privileges_for_outputs(const char *const *paths, size_t count,
				struct protections *protections);

/*
 * open(2) for reading, without capabilities. The descriptor does not show what the kernel reserves
 * for privileged processes, such as physical addresses.
 */
int privileges_open_plain(const char *path);

#endif
