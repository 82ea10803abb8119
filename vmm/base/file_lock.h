/* SPDX-License-Identifier: BSD-2-Clause */
/* Locks of files that belong to a machine, which QEMU and other vspe processes respect. */
#ifndef VSPE_BASE_FILE_LOCK_H
#define VSPE_BASE_FILE_LOCK_H

enum file_lock {
	FILE_LOCK_NONE,
	FILE_LOCK_SHARED, /* only the giver and the receiver of the machine may write */
	FILE_LOCK_OWN,	  /* no other process may have it */
};

/*
 * Replace the lock of fd by this one; fd must be open for writing for FILE_LOCK_OWN. 0, or -1 and
 * errno (EAGAIN or EACCES: another process has it), with the old lock still held.
 */
int file_lock(int fd, enum file_lock how);

#endif
