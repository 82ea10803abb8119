/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a process can do beyond the files that it has open: its namespaces, capabilities and user.
 * It gives them up in steps, as it needs less and less, and for good:
 *
 *   privileges_separate()  namespaces of its own, with all folders as before. Who holds no
 *			    capability does so first of all. With capabilities it comes when all
 *			    files are open: a user namespace takes those over other users' files.
 *   privileges_become()    another user, for a process that root started.
 *   privileges_end()	    an empty root folder, and no capability.
 *
 * Each says in protections (NULL: nobody wants to know) what the kernel does not give, and goes on
 * without. In a build that has no filter (sandbox_has_filter()) namespaces and root stay as they
 * are, as its sanitizers open files when they like.
 */
#ifndef VSPE_BASE_PRIVILEGES_H
#define VSPE_BASE_PRIVILEGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct protections;
struct user;

/* Bits of PRIVILEGES_ALL say which namespaces: a process of a network keeps the host's network. */
enum privileges_namespace {
	PRIVILEGES_USER = 1,
	PRIVILEGES_MOUNT = 2,
	PRIVILEGES_NETWORK = 4,
	PRIVILEGES_IPC = 8,
	PRIVILEGES_UTS = 16,
	PRIVILEGES_ALL = 31,
};

/* The capabilities that are in force, a bit each. */
uint64_t privileges_held(void);
/* No capability but those in keep that it has, and no way to get one. 0, or a negative errno. */
int privileges_keep(uint64_t keep);
/*
 * A file system in memory with nothing in it, that no path leads to: its root folder, or -1 and
 * errno. attributes are further ones of fsmount(2); programs, devices and set-user-ID it never has.
 */
int privileges_empty_folder(unsigned int attributes);

/*
 * The namespaces, those that it has already left out, and a folder that will be the root. With a
 * user namespace the process has no capability over anything that was there before. It may have
 * one thread.
 */
void privileges_separate(unsigned int namespaces, struct protections *protections);

/*
 * Become user, with the capabilities in keep. 0, or a negative errno: the process is not to go on.
 * -EPERM: it was not started as root.
 */
int privileges_become(const struct user *user, uint64_t keep);

/*
 * The end: the namespaces that are yet to be had, the empty root, and no capability but those in
 * keep, which leave out the user namespace. 0, or a negative errno.
 */
int privileges_end(unsigned int namespaces, uint64_t keep, struct protections *protections);

/*
 * What may not be given up: for KVM's counters CAP_PERFMON, if the kernel counts for nobody else;
 * and those over other users' files, if the folder of one of count outputs is another user's. Each
 * is told to protections.
 */
uint64_t privileges_for_counters(struct protections *protections);
uint64_t privileges_for_outputs(const char *const *paths, size_t count,
				struct protections *protections);

/*
 * open(2) to read, with no capability: of what the kernel shows in it to privileged processes
 * alone, such as physical addresses, the descriptor shows nothing.
 */
int privileges_open_plain(const char *path);

#endif
