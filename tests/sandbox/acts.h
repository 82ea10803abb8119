/* SPDX-License-Identifier: BSD-2-Clause */
/* All that a process that was taken over would try: see acts.c. */
#ifndef VSPE_TEST_ACTS_H
#define VSPE_TEST_ACTS_H

enum acts_process {
	ACTS_GUEST = 1,
	ACTS_FILES = 2,
	ACTS_NETWORK = 4,
	ACTS_NETWORK_ALL = 8,
	ACTS_SHARE = 16,
	ACTS_SHARE_RO = 32,
};

/* This process is such a one: try all acts that are to be stopped in it, and keep what came of it
 * where the other processes see it. Any process can call it. */
void acts_try(enum acts_process process);
/* Say a line for each of them, on standard error: "PROCESS: ACT: WHAT", of which stopped is one. */
void acts_tell(enum acts_process process);
/* A letter of escape.c's: * + - / %. */
void acts_letter(char letter);

#endif
