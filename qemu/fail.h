/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VSPE_QEMU_FAIL_H
#define VSPE_QEMU_FAIL_H

/* End QEMU, with a line that says why: once it runs, a plugin can no longer be refused. */
__attribute__((noreturn, format(printf, 1, 2))) void plugin_fail(const char *format, ...);

#endif
