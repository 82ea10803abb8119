/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A separate process for code that talks to the outside, and that parses what a guest sends there.
 * It shares one socket with its parent, and memory that was mapped shared before, and ends with it.
 * It keeps what it made before jail_enter(), such as listening sockets, and loses all other rights
 * there.
 *
 * It has the namespaces that the kernel grants: for process numbers, so that it sees no other
 * process, for mounts, IPC, names and the network, unless it needs the host's, and for users. A
 * kernel or a container that grants none is no error: the filter is there in any case.
 */
#ifndef VSPE_BASE_JAIL_H
#define VSPE_BASE_JAIL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct protections;
struct user;

#define JAIL_FOLDER 4 /* the number of its folder there */

struct jail {
	bool off;	    /* only a process, without restrictions */
	unsigned int needs; /* enum sandbox_need; SANDBOX_SHARE means the folder */
	bool network;	    /* it needs the host's, with the parent's rights to it */
	/*
	 * Its root, open: nothing is above. -1: the root is empty, except for the file of
	 * SANDBOX_RESOLVE. With a folder it keeps the parent's rights over the files of others.
	 */
	int folder;
	const struct user *user;	 /* the user that it becomes; NULL: the parent's */
	uint64_t file_size;		 /* the size limit of files that it writes, in bytes */
	struct protections *protections; /* gets what the kernel refuses; or NULL */
	uint64_t descriptors;		 /* at most; fewer if the parent's limit is lower */
};

/* The parent's view of such a process. */
struct jail_process {
	int socket; /* -1: none, or it is lost */
	int ended;  /* readable when it has ended; -1: not before Linux 5.3 */
};

/*
 * Start a process that runs work(ctx, socket) and then ends, before the parent has threads. 0,
 * after which the caller owes jail_end(), or a negative errno. process->socket is the other end
 * (AF_UNIX, SOCK_SEQPACKET: a write is a message, and 0 is read when the other end is gone). Of the
 * parent's descriptors the process only has the folder: 0 to 2 are /dev/null. No signal of the
 * parent's terminal reaches it.
 */
int jail_start(const struct jail *jail, void (*work)(void *ctx, int socket), void *ctx,
	       struct jail_process *process);

/*
 * Close the socket, so that the process ends. Waits up to 200 ms for that, so that its resources
 * are free; if it takes longer, it is killed when the parent ends. A second call does nothing.
 */
void jail_end(struct jail_process *process);

/*
 * Call it in that process. Drops all capabilities over the host, except those over files if it has
 * a folder; sets its root and its limits, including 512 MiB of data; and enters the sandbox. 0, or
 * a negative errno with a line about it in the size bytes of why.
 */
int jail_enter(const struct jail *jail, char *why, size_t size);

/* Milliseconds of a monotonic clock. */
int64_t jail_now(void);

/*
 * For the parent: receive the next message, until that time of jail_now(). Returns its size; 0: the
 * process is gone; -ECANCELED: stop(), unless it is NULL, returned true, which is checked every 50
 * ms and after each signal; or a negative errno, -ETIMEDOUT if there is none. A message that is
 * already there is taken at any time: a caller that takes several must check the time, as there may
 * be no end of them.
 */
ssize_t jail_hear(int socket, void *bytes, size_t room, int64_t until, bool (*stop)(void));

/* What a result of jail_hear() says of the process, in words; for an invalid message, any size. */
const char *jail_what(ssize_t heard);

#endif
