/* SPDX-License-Identifier: BSD-2-Clause */
/* Configurations: what is refused, under which name, and what a configuration advertises. */
#include "../../array.h"
#include "fixture.h"

static void refused(const struct spe_config *config, int error, const char *name)
{
	const char *field = "nothing";

	eq(spe_config_check(config, &field), -error);
	cr_assert_str_eq(field, name);
	eq(spe_config_check(config, NULL), -error);
	cr_assert_eq(spe_strerror(error), spe_strerror(-error));
	cr_assert_str_neq(spe_strerror(error), "");
	cr_assert_str_neq(spe_strerror(error), spe_strerror(0));
}

#define REFUSED(field_name, value, error)            \
	do {                                         \
		struct spe_config bad;               \
		spe_config_defaults(&bad, SPE_V1P2); \
		bad.field_name = (value);            \
		refused(&bad, error, #field_name);   \
	} while (0)

Test(config, defaults_of_every_version_are_accepted)
{
	for (enum spe_version v = SPE_V1P0; v <= SPE_V1P5; v++) {
		struct spe_config config;

		spe_config_defaults(&config, v);
		eq(spe_config_check(&config, NULL), 0);
		eq(config.fne, v >= SPE_V1P2);
		eq(config.fds, v >= SPE_V1P4);
		eq(config.crr, v >= SPE_V1P4);
		eq(config.exc && config.nvm && config.eft && config.fpf, v == SPE_V1P5);
	}
	eq(SPE_VERSION_DEFAULT, SPE_V1P2);
}

Test(config, unknown_versions_are_refused)
{
	static const unsigned int versions[] = {0, 7, 8, 15};

	for (size_t i = 0; i < ARRAY_SIZE(versions); i++) {
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
	REFUSED(empty_filter, (enum spe_empty_filter)2, SPE_ECHOICE);
	REFUSED(partial, (enum spe_partial)2, SPE_ECHOICE);
	REFUSED(pointer, (enum spe_pointer)3, SPE_ECHOICE);
	REFUSED(oversize, (enum spe_oversize)2, SPE_ECHOICE);
	REFUSED(reserved_nspb, (enum spe_reserved_nspb)3, SPE_ECHOICE);
	REFUSED(high_address, (enum spe_high_address)2, SPE_ECHOICE);
	REFUSED(pointer_res0, 7, SPE_EPOINTER);
	REFUSED(max_buffer, 0x1800, SPE_EMAXBUFFER);
	REFUSED(extra_packets, SPE_EXTRA_MAX + 1, SPE_EEXTRA);
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
	/* a previous branch target fits with a branch, not with a load */
	spe_config_defaults(&config, SPE_V1P2);
	config.pbt = true;
	eq(spe_config_check(&config, NULL), 0);
	config.pbt_all = true;
	refused(&config, SPE_EMAXSIZE, "max_size");
	config.oversize = SPE_OVERSIZE_EVENT;
	eq(spe_config_check(&config, NULL), 0);
	spe_config_defaults(&config, SPE_V1P2);
	config.altclk = 1;
	refused(&config, SPE_EMAXSIZE, "max_size");
	spe_config_defaults(&config, SPE_V1P2);
	config.extra_packets = 1;
	refused(&config, SPE_EMAXSIZE, "max_size");
	spe_config_defaults(&config, SPE_V1P2);
	config.extended_headers = true;
	refused(&config, SPE_EMAXSIZE, "max_size");
	/* with everything, 256 bytes do */
	spe_config_defaults(&config, SPE_V1P5);
	config.gcs = config.mte = config.sme = config.ecv = config.pbt_all = true;
	config.extended_headers = true;
	config.altclk = 1;
	config.events_size = 8;
	config.source_size = 2;
	config.extra_packets = SPE_EXTRA_MAX;
	config.max_size = 7;
	refused(&config, SPE_EMAXSIZE, "max_size");
	config.max_size = 8;
	eq(spe_config_check(&config, NULL), 0);
}

/* RULE("DNLVYX") */
Test(config, a_unit_needs_its_callbacks)
{
	struct spe_write_result (*fixture_write)(void *, uint8_t, uint64_t, const uint8_t *,
						 size_t);
	struct fixture f;

	fixture_init(&f, SPE_V1P2);
	f.config.external_abort = SPE_ABORT_SERROR;
	eq(spe_init(&f.unit, sizeof(f.unit), &f.config, &f.host), 0);
	f.host.serror = NULL;
	eq(spe_init(&f.unit, sizeof(f.unit), &f.config, &f.host), -SPE_EHOST);
	f.config.external_abort = SPE_ABORT_SYNC;
	eq(spe_init(&f.unit, sizeof(f.unit), &f.config, &f.host), 0);
	fixture_write = f.host.write;
	f.host.write = NULL;
	eq(spe_init(&f.unit, sizeof(f.unit), &f.config, &f.host), -SPE_EHOST);
	spe_config_defaults(&f.config, SPE_V1P5);
	f.host.write = fixture_write;
	eq(spe_init(&f.unit, sizeof(f.unit), &f.config, &f.host), 0);
	f.host.write_untranslated = NULL;
	eq(spe_init(&f.unit, sizeof(f.unit), &f.config, &f.host), -SPE_EHOST);
	spe_config_defaults(&f.config, SPE_V1P4);
	eq(spe_init(&f.unit, sizeof(f.unit), &f.config, &f.host), 0);
	f.config.version = (enum spe_version)7;
	eq(spe_init(&f.unit, sizeof(f.unit), &f.config, &f.host), -SPE_EVERSION);
}

Test(config, features_follow_the_version)
{
	struct spe_config config;

	spe_config_defaults(&config, SPE_V1P1);
	eq(spe_config_features(&config), SYSREG_FEAT_SPE);
	spe_config_defaults(&config, SPE_V1P2);
	eq(spe_config_features(&config), SYSREG_FEAT_SPE | SYSREG_FEAT_SPE_FNE);
	spe_config_defaults(&config, SPE_V1P4);
	eq(spe_config_features(&config),
	   SYSREG_FEAT_SPE | SYSREG_FEAT_SPE_FNE | SYSREG_FEAT_SPE_FDS);
	spe_config_defaults(&config, SPE_V1P5);
	eq(spe_config_features(&config), SYSREG_FEAT_SPE | SYSREG_FEAT_SPE_FNE |
						 SYSREG_FEAT_SPE_FDS | SYSREG_FEAT_SPE_NVM |
						 SYSREG_FEAT_SPE_EXC);
}

/* A feature without what it needs: the field to change, and the error of what is missing. */
#define NEEDS(base_version, field_name, value, error, name) \
	do {                                                \
		struct spe_config bad;                      \
		spe_config_defaults(&bad, base_version);    \
		bad.field_name = (value);                   \
		refused(&bad, error, name);                 \
	} while (0)

Test(config, dependencies_of_features)
{
	struct spe_config config;

	for (enum spe_version v = SPE_V1P0; v <= SPE_V1P5; v++) {
		if (v < SPE_V1P1)
			NEEDS(v, sme, true, SPE_ESME, "sme");
		if (v < SPE_V1P2) {
			NEEDS(v, fne, true, SPE_EFNE, "fne");
			NEEDS(v, pbt, true, SPE_EPBT, "pbt");
			NEEDS(v, dpfzs, true, SPE_EDPFZS, "dpfzs");
		} else {
			NEEDS(v, fne, false, SPE_EFNE, "fne");
		}
		if (v < SPE_V1P4) {
			NEEDS(v, fds, true, SPE_EFDS, "fds");
			NEEDS(v, crr, true, SPE_ECRR, "crr");
		}
		if (v < SPE_V1P5) {
			NEEDS(v, exc, true, SPE_EEXC, "exc");
			NEEDS(v, eft, true, SPE_EFPF, "fpf");
			NEEDS(v, fpf, true, SPE_EEFT, "eft");
		} else {
			NEEDS(v, crr, false, SPE_ENEEDCRR, "crr");
			NEEDS(v, exc, false, SPE_ENEEDEXC, "exc");
			NEEDS(v, nvm, false, SPE_ENEEDNVM, "nvm");
			NEEDS(v, eft, false, SPE_EEFT, "eft");
			NEEDS(v, fpf, false, SPE_EFPF, "fpf");
		}
		NEEDS(v, altclk, 2, SPE_EALTCLK, "altclk");
	}
	/* FEAT_GCS makes CRR mandatory where there can be one */
	spe_config_defaults(&config, SPE_V1P4);
	config.gcs = true;
	config.max_size = 7;
	eq(spe_config_check(&config, NULL), 0);
	config.crr = false;
	refused(&config, SPE_EGCS, "crr");
	config.gcs = false;
	eq(spe_config_check(&config, NULL), 0);
	spe_config_defaults(&config, SPE_V1P3);
	config.gcs = true;
	eq(spe_config_check(&config, NULL), 0);
}

/* An embedder that has no exceptions or no physical buffers has to say so. */
Test(config, incomplete_v1p5_is_accepted_only_when_asked_for)
{
	struct spe_config config;

	spe_config_defaults(&config, SPE_V1P5);
	config.exc = false;
	config.nvm = false;
	refused(&config, SPE_ENEEDEXC, "exc");
	config.incomplete = true;
	eq(spe_config_check(&config, NULL), 0);
	eq(spe_config_id_aa64dfr2(&config), 0);
	config.crr = false;
	refused(&config, SPE_ENEEDCRR, "crr");
}

Test(config, id_register_fields)
{
	struct spe_config config;

	for (enum spe_version v = SPE_V1P0; v <= SPE_V1P5; v++) {
		spe_config_defaults(&config, v);
		eq(spe_config_id_aa64dfr0(&config), (uint64_t)v << 32);
		eq(spe_config_id_aa64dfr1(&config), 0);
		eq(spe_config_id_aa64dfr2(&config), v == SPE_V1P5 ? 0x110000 : 0);
	}
	config.dpfzs = true;
	eq(spe_config_id_aa64dfr1(&config), UINT64_C(1) << 52);
	config.incomplete = true;
	config.exc = false;
	eq(spe_config_id_aa64dfr2(&config), 0x100000);
	config.exc = true;
	config.nvm = false;
	eq(spe_config_id_aa64dfr2(&config), 0x10000);
}

/* RULE("D17.6.4/optional") Which events are left open depends on the version and on SME. */
Test(config, optional_events_by_version)
{
	static const uint64_t always = UINT64_C(0xffff00000000f714);

	for (enum spe_version v = SPE_V1P0; v <= SPE_V1P5; v++) {
		for (int sme = 0; sme < (v >= SPE_V1P1 ? 2 : 1); sme++) {
			uint64_t open = always;

			if (v >= SPE_V1P4)
				open |= 0xf80000;
			else
				open |= sme ? 0xfc000000 : 0xff000000;
			for (unsigned int bit = 0; bit < 64; bit++) {
				struct spe_config config;

				spe_config_defaults(&config, v);
				config.sme = sme;
				config.events = UINT64_C(1) << bit;
				eq(spe_config_check(&config, NULL),
				   open >> bit & 1 ? 0 : -SPE_EEVENTS);
			}
		}
	}
}

/* 9 bits and an exponent, of 4 KiB pages. */
Test(config, sizes_that_maxbuffsize_can_say)
{
	static const struct {
		uint64_t bytes;
		bool right;
	} table[] = {{0x1000, true},
		     {0x1ff000, true},
		     {0x200000, true},
		     {0x3ff000, true},
		     {0x400000, true},
		     {0x401000, false},
		     {0x402000, true},
		     {0x1001, false},
		     {64, false},
		     {UINT64_C(1) << 50, true},
		     {UINT64_C(1023) << 42, true},
		     {UINT64_C(1) << 53, false},
		     {UINT64_MAX, false}};

	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct spe_config config;

		spe_config_defaults(&config, SPE_V1P2);
		config.max_buffer = table[i].bytes;
		cr_assert_eq(spe_config_check(&config, NULL), table[i].right ? 0 : -SPE_EMAXBUFFER,
			     "row %zu", i);
	}
}

Test(config, unknown_errors_have_a_text)
{
	cr_assert_str_eq(spe_strerror(-1000), "unknown error");
	cr_assert_str_eq(spe_strerror(SPE_ERROR_MAX + 1), "unknown error");
}
