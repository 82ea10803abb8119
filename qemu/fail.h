/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VSPE_QEMU_FAIL_H
#define VSPE_QEMU_FAIL_H

/* The end of QEMU, with a line that says why: once it runs, a plugin cannot be refused any more. */
__attribute__((noreturn, format(printf, 1, 2))) void plugin_fail(const char *format, ...);

#endif
