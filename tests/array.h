/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VSPE_TESTS_ARRAY_H
#define VSPE_TESTS_ARRAY_H

/* The elements of an array; of a pointer it is wrong, which -Wsizeof-pointer-div says. */
#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

#endif
