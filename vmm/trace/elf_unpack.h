/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that a distribution compresses, as Debian 13 does the kernel's modules. */
#ifndef VSPE_TRACE_ELF_UNPACK_H
#define VSPE_TRACE_ELF_UNPACK_H

/* Bytes that a file may have unpacked: some ten times those of the largest module of Debian's. */
#define ELF_UNPACK_MOST (UINT64_C(512) << 20)

/*
 * What the file fd has in .xz, .gz or .zst, which its first bytes tell: a descriptor of memory, the
 * caller's to close, or a negative errno: -ENOEXEC if it is none of these, -EBADMSG if it is
 * damaged or cut off, -EFBIG beyond ELF_UNPACK_MOST, -ENOMEM, those of memfd_create(2) and
 * write(2). fd stays, read to some place.
 */
int elf_unpack(int fd);

#endif
