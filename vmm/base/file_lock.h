/* SPDX-License-Identifier: BSD-2-Clause */
/* Locks of files that belong to a machine, which QEMU and another vspe look at. */
#ifndef VSPE_BASE_FILE_LOCK_H
#define VSPE_BASE_FILE_LOCK_H

enum file_lock {
	FILE_LOCK_NONE,
	FILE_LOCK_SHARED, /* nobody may write, but for whoever has given or gets the machine */
	FILE_LOCK_OWN,	  /* nobody else may have it */
};

/*
 * Hold fd like that, and no longer as before; it is open for writing if that is to be
 * FILE_LOCK_OWN. 0, or -1 and errno (EAGAIN or EACCES: somebody else has it), and it is held as
 * before.
 */
int file_lock(int fd, enum file_lock how);

#endif
