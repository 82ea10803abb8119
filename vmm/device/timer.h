/* SPDX-License-Identifier: BSD-2-Clause */
/* The system counter of a machine on the software CPU, for what describes it to others. */
#ifndef VSPE_TIMER_H
#define VSPE_TIMER_H

#define TIMER_FREQUENCY 1000000000u /* Hz, nominally: it counts operations */

#endif
