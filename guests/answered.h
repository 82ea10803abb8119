/* SPDX-License-Identifier: BSD-2-Clause */
/* The laps of answered_code.S. */
#ifndef ANSWERED_H
#define ANSWERED_H

#define ANSWERED_PARTS 10
#define ANSWERED_PART  51				    /* operations */
#define ANSWERED_LAP   (ANSWERED_PARTS * ANSWERED_PART + 2) /* with SUBS and B.NE */
#define ANSWERED_BEGIN 2				    /* operations before the first lap */
#define ANSWERED_READS 3				    /* of a device, in a part */

#endif
