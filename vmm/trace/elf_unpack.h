/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that a distribution compresses, such as the kernel modules of Debian 13. */
#ifndef VSPE_TRACE_ELF_UNPACK_H
#define VSPE_TRACE_ELF_UNPACK_H

/* The largest size after unpacking: some ten times that of Debian's largest module. */
#define ELF_UNPACK_MOST (UINT64_C(512) << 20)

/*
 * Unpack the file fd, which is .xz, .gz or .zst by its first bytes. Returns a descriptor of memory,
 * which the caller closes, or a negative errno: -ENOEXEC if it is none of these, -EBADMSG if it is
 * damaged or truncated, -EFBIG beyond ELF_UNPACK_MOST, -ENOMEM, those of memfd_create(2) and
 * write(2). fd stays open at an unspecified offset.
 */
int elf_unpack(int fd);

#endif
