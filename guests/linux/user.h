/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the first and only process of a Linux kernel needs when it has neither a libc nor floating
 * point: system calls, TAP on the console, files.
 */
#ifndef VSPE_GUESTS_LINUX_USER_H
#define VSPE_GUESTS_LINUX_USER_H

#include <asm/unistd.h>
#include <linux/fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROT_READ  1
#define PROT_RW	   3
#define MAP_SHARED 1

/* A system call: what the kernel returns, negative errors included. */
long call(long number, long a, long b, long c, long d, long e, long f);

/* ioctl(2) with a pointer. */
long control(long fd, unsigned long request, const void *argument);

void print(const char *text);
void print_number(uint64_t value);
bool same(const char *a, const char *b);

/* The decimal number at the start of text, after blanks. Moves text past it. */
uint64_t parse_number(const char **text);

/* Does value differ from expected by at most 1 / part of it, plus 1? */
bool near(uint64_t value, uint64_t expected, uint64_t part);

/* A test point of TAP; value is shown when it fails. */
void point(bool ok, const char *what, uint64_t value);

/* One that is skipped. */
void point_skipped(const char *what, const char *why);

/* A file, or a negative error. */
long open_file(const char *name, int flags);

/*
 * Read the start of a text file and end it with a zero: returns its bytes, at most size - 1.
 * Negative if it cannot be read.
 */
long read_text(const char *name, char *text, size_t size);

/* Mount what is in /dev, /proc and /sys (folders of the initrd), and open the console. */
void mount_all(void);

void power_off(void);

/* The program. stack: argc, argv, NULL, environment, NULL, auxiliary vector. */
void init(const uint64_t *stack);

#endif
