/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The callbacks of struct spe_host for Python: ctypes can make no function that returns a struct,
 * so that these hand the result's address to one that returns nothing. ctx is a struct shim, which
 * the test fills in.
 */
#include <vspe/spe.h>

struct shim {
	void (*write)(struct spe_write_result *result, uint8_t owning_el, uint64_t va,
		      const uint8_t *bytes, size_t size);
	void (*write_untranslated)(struct spe_write_result *result,
				   const struct spe_untranslated *to, const uint8_t *bytes,
				   size_t size);
	void (*pmu_event)(uint16_t event, uint64_t count);
	uint8_t (*random)(void);
	void (*serror)(void);
	void (*misuse)(enum spe_misuse what, const char *why);
};

static struct spe_write_result shim_write(void *ctx, uint8_t owning_el, uint64_t va,
					  const uint8_t *bytes, size_t size)
{
	const struct shim *shim = ctx;
	struct spe_write_result result = {.status = SPE_WRITE_OK};

	shim->write(&result, owning_el, va, bytes, size);
	return result;
}

static struct spe_write_result shim_write_untranslated(void *ctx, const struct spe_untranslated *to,
						       const uint8_t *bytes, size_t size)
{
	const struct shim *shim = ctx;
	struct spe_write_result result = {.status = SPE_WRITE_OK};

	shim->write_untranslated(&result, to, bytes, size);
	return result;
}

static void shim_pmu_event(void *ctx, uint16_t event, uint64_t count)
{
	((const struct shim *)ctx)->pmu_event(event, count);
}

static uint8_t shim_random(void *ctx)
{
	return ((const struct shim *)ctx)->random();
}

static void shim_serror(void *ctx)
{
	((const struct shim *)ctx)->serror();
}

static void shim_misuse(void *ctx, enum spe_misuse what, const char *why)
{
	((const struct shim *)ctx)->misuse(what, why);
}

/* A host of those callbacks that the shim has. */
void shim_host(struct spe_host *host, struct shim *shim)
{
	*host = (struct spe_host){
		.ctx = shim,
		.write = shim->write ? shim_write : NULL,
		.write_untranslated = shim->write_untranslated ? shim_write_untranslated : NULL,
		.pmu_event = shim->pmu_event ? shim_pmu_event : NULL,
		.random = shim->random ? shim_random : NULL,
		.serror = shim->serror ? shim_serror : NULL,
		.misuse = shim->misuse ? shim_misuse : NULL,
	};
}
