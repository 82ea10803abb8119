/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The functions of debug_code.S whose every access debug.c watches: DEBUG_ACCESS_SIZE bytes apart.
 */
#ifndef DEBUG_H
#define DEBUG_H

#define DEBUG_ACCESS_SIZE 16 /* bytes of each */
#define DEBUG_STRAIGHT	  8  /* instructions of straight() before its RET */

#endif
