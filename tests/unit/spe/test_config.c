/* SPDX-License-Identifier: BSD-2-Clause */
/* Configurations: what is refused, under which name, and what a configuration advertises. */
#include "fixture.h"

static void refused(const struct spe_config *config, int error, const char *name)
{
	const char *field = "nothing";

	eq(spe_config_check(config, &field), -error);
	cr_assert_str_eq(field, name);
	eq(spe_config_check(config, NULL), -error);
	cr_assert(spe_strerror(error) == spe_strerror(-error));
	cr_assert_str_not_empty(spe_strerror(error));
	cr_assert_str_neq(spe_strerror(error), spe_strerror(0));
}

#define REFUSED(field_name, value, error)            \
	do {                                         \
		struct spe_config bad;               \
		spe_config_defaults(&bad, SPE_V1P2); \
		bad.field_name = (value);            \
		refused(&bad, error, #field_name);   \
	} while (0)

Test(config, defaults_of_every_implemented_version_are_accepted)
{
	for (enum spe_version v = SPE_V1P0; v <= SPE_V1P3; v++) {
		struct spe_config config;

		spe_config_defaults(&config, v);
		eq(spe_config_check(&config, NULL), 0);
		eq(config.fne, v >= SPE_V1P2);
	}
	eq(SPE_VERSION_DEFAULT, SPE_V1P2);
}

Test(config, versions_with_missing_features_are_refused)
{
	static const unsigned int versions[] = {0, SPE_V1P4, SPE_V1P5, 7, 15};

	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
		struct spe_config config;

		spe_config_defaults(&config, (enum spe_version)versions[i]);
		refused(&config, SPE_EVERSION, "version");
	}
}

Test(config, every_field_is_checked_and_named)
{
	REFUSED(fne, false, SPE_EFNE);
	REFUSED(count_size, 13, SPE_ECOUNTSIZE);
	REFUSED(max_size, 5, SPE_EMAXSIZE);
	REFUSED(max_size, 12, SPE_EMAXSIZE);
	REFUSED(align, 7, SPE_EALIGN);
	REFUSED(interval, 1, SPE_EINTERVAL);
	REFUSED(interval, 9, SPE_EINTERVAL);
	REFUSED(events, 1u << 16, SPE_EEVENTS);
	REFUSED(events, 1u << 19, SPE_EEVENTS);
	REFUSED(events, UINT64_C(1) << 32, SPE_EEVENTS);
	REFUSED(events_size, 3, SPE_EEVENTSSIZE);
	REFUSED(events_size, 0, SPE_EEVENTSSIZE);
	REFUSED(source_size, 4, SPE_ESOURCESIZE);
	REFUSED(granule, 13, SPE_EGRANULE);
	REFUSED(in_flight, 0, SPE_EINFLIGHT);
	REFUSED(in_flight, SPE_IN_FLIGHT_MAX + 1, SPE_EINFLIGHT);
	REFUSED(reload, (enum spe_reload)2, SPE_ECHOICE);
	REFUSED(interval_zero, (enum spe_interval_zero)3, SPE_ECHOICE);
	REFUSED(external_abort, (enum spe_external_abort)4, SPE_ECHOICE);
	REFUSED(misspeculated, ((struct spe_population){false, true}), SPE_ECAPTURE);
	REFUSED(no_instruction, ((struct spe_population){false, true}), SPE_ECAPTURE);
	REFUSED(no_instruction, ((struct spe_population){true, true}), SPE_EARCHINST);
	REFUSED(non_arch_exception, ((struct spe_population){false, true}), SPE_ECAPTURE);
}

/* 64 bytes hold the largest record with 4-byte events and a 1-byte data source, and no more. */
Test(config, the_largest_record_must_fit)
{
	struct spe_config config;

	spe_config_defaults(&config, SPE_V1P2);
	config.events_size = 8;
	refused(&config, SPE_EMAXSIZE, "max_size");
	config.max_size = 7;
	eq(spe_config_check(&config, NULL), 0);
	spe_config_defaults(&config, SPE_V1P2);
	config.source_size = 2;
	refused(&config, SPE_EMAXSIZE, "max_size");
	config.lds = false;
	eq(spe_config_check(&config, NULL), 0);
}

Test(config, a_unit_needs_its_callbacks)
{
	struct fixture f;

	fixture_init(&f, SPE_V1P2);
	f.config.external_abort = SPE_ABORT_SERROR;
	eq(spe_init(&f.unit, &f.config, &f.host), 0);
	f.host.serror = NULL;
	eq(spe_init(&f.unit, &f.config, &f.host), -SPE_EHOST);
	f.config.external_abort = SPE_ABORT_SYNC;
	eq(spe_init(&f.unit, &f.config, &f.host), 0);
	f.host.write = NULL;
	eq(spe_init(&f.unit, &f.config, &f.host), -SPE_EHOST);
	f.config.version = SPE_V1P5;
	eq(spe_init(&f.unit, &f.config, &f.host), -SPE_EVERSION);
}

Test(config, features_follow_the_version)
{
	struct spe_config config;

	spe_config_defaults(&config, SPE_V1P1);
	eq(spe_config_features(&config), SYSREG_FEAT_SPE);
	spe_config_defaults(&config, SPE_V1P2);
	eq(spe_config_features(&config), SYSREG_FEAT_SPE | SYSREG_FEAT_SPE_FNE);
}

Test(config, unknown_errors_have_a_text)
{
	cr_assert_str_eq(spe_strerror(-1000), "unknown error");
	cr_assert_str_eq(spe_strerror(SPE_ERROR_MAX + 1), "unknown error");
}
