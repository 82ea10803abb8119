/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A process of its own for what talks to the outside, and parses what a guest says to it: it shares
 * with its parent one socket, and memory that was mapped shared before, and it ends when the parent
 * does. What it has done before jail_enter(), such as sockets that listen, it keeps; that is the
 * end of all other rights.
 *
 * Of namespaces it has those that the kernel gives it: for its process number, so that it sees no
 * other process, for mounts, IPC, names and the network, unless it needs the host's, and for users.
 * A kernel or a container that gives none is no error: the filter is there in any case.
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
	bool off;	    /* a process, and no more than that */
	unsigned int needs; /* enum sandbox_need; SANDBOX_SHARE is of the folder */
	bool network;	    /* it needs the host's, and what the parent may do with that */
	/*
	 * Its root, open: there is nothing above. -1: the root is empty, but for the file of
	 * SANDBOX_RESOLVE. The parent's rights over the files of others stay for a folder.
	 */
	int folder;
	const struct user *user;	 /* whom it becomes; NULL: it stays who the parent is */
	uint64_t file_size;		 /* bytes of the largest file that it may write */
	struct protections *protections; /* gets what the kernel does not give; or NULL */
	uint64_t descriptors; /* at most; as many as the parent may have, if those are less */
};

/* What the parent has of such a process. */
struct jail_process {
	int socket; /* -1: there is none, or it is lost */
	int ended;  /* readable when it has ended; -1: the kernel does not tell (Linux 5.3) */
};

/*
 * Start a process that runs work(ctx, socket) and ends after it. 0, and jail_end() is owed, or a
 * negative errno. process->socket is the other end (AF_UNIX, SOCK_SEQPACKET: a write is a message,
 * and 0 is read when the other end is gone). Of the parent's descriptors the process has the
 * folder: 0 to 2 are /dev/null. No signal of the parent's terminal reaches it. Before the parent
 * has threads.
 */
int jail_start(const struct jail *jail, void (*work)(void *ctx, int socket), void *ctx,
	       struct jail_process *process);

/*
 * It reads that there is nobody any more, and is to end. Waited for, up to 200 ms, so that
 * what it holds is free; what does not end then is killed with the parent. Nothing to do a second
 * time.
 */
void jail_end(struct jail_process *process);

/*
 * In that process: no capability over the host, but those over files where it has a folder; its
 * root, its limits, 512 MiB of data among them; and the sandbox. 0, or a negative errno and, in the
 * size bytes of why, a line about it.
 */
int jail_enter(const struct jail *jail, char *why, size_t size);

/* Milliseconds of a clock that goes on. */
int64_t jail_now(void);

/*
 * The parent's: the next message, by that time of jail_now(): its size; 0: the process is gone;
 * -ECANCELED: stop(), if it is not NULL, said so, which is asked every 50 ms and after each signal;
 * or a negative errno, -ETIMEDOUT if there is none. One that is there already is taken at any time:
 * a caller that wants more than one looks at the time itself, as there may be no end of them.
 */
ssize_t jail_hear(int socket, void *bytes, size_t room, int64_t until, bool (*stop)(void));

/* What jail_hear() has said of the process, in words; of a message that was none: any size. */
const char *jail_what(ssize_t heard);

#endif
