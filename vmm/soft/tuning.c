/* SPDX-License-Identifier: BSD-2-Clause */
/* The options of the software CPU: see engine.h. */
#include "soft/tuning.h"

#include <stdio.h>

const struct engine_tuning soft_tuning_default;

/* NOLINTNEXTLINE(readability-non-const-parameter): as every taker is. */
static int take_single_step(struct engine_tuning *tuning, const char *value, char *what,
			    size_t size)
{
	(void)value, (void)what, (void)size;
	tuning->single_step = true;
	return 0;
}

#include "soft_rows.h"

int soft_check_wish(const struct engine_wish *wish, char *why, size_t size)
{
	if (wish->gic != ENGINE_GIC_V2)
		return 0;
	(void)snprintf(why, size, "--irqchip gicv2: the software CPU has a GICv3");
	return -1;
}
