/* SPDX-License-Identifier: BSD-2-Clause */
/* --spe: every word reaches its field, and every wrong word is named. */
#include "../compare.h"
#include "machine/spe_option.h"

#include "../refusal.h"

#include <stdlib.h>
#include <string.h>

static struct spe_config parsed(const char *text)
{
	struct spe_config config;
	char why[256] = "";

	memset(&config, 0xff, sizeof(config));
	cr_assert_eq(spe_option_parse(text, spe_core(0), NULL, &config, why, sizeof(why)), 0,
		     "%s: %s", text, why);
	cr_assert_eq(spe_config_check(&config, NULL), 0, "%s", text);
	return config;
}

static void refused(const char *text, const char *word, const char *reason)
{
	struct spe_config config;
	char why[256] = "";

	cr_assert_eq(spe_option_parse(text, spe_core(0), NULL, &config, why, sizeof(why)), -1, "%s",
		     text);
	refusal_says(text, why, word, reason);
}

Test(spe_option, versions_bring_their_features)
{
	static const char *const names[] = {"v1p0", "v1p1", "v1p2", "v1p3", "v1p4", "v1p5"};

	for (unsigned int i = 0; i < 6; i++) {
		struct spe_config config = parsed(names[i]);

		cr_assert_eq(config.version, SPE_V1P0 + i);
		cr_assert_eq(config.fne, i >= 2);
		cr_assert_eq(config.fds && config.crr, i >= 4);
		cr_assert_eq(config.exc && config.nvm && config.eft && config.fpf && config.pbt,
			     i >= 5);
	}
	cr_assert_eq(parsed("lds").version, SPE_VERSION_DEFAULT);
}

Test(spe_option, features)
{
	cr_assert(parsed("v1p2").lds);
	cr_assert(parsed("v1p2,lds").lds);
	cr_assert_not(parsed("v1p2,no-lds").lds);
	cr_assert(parsed("v1p2").ernd);
	cr_assert_not(parsed("no-ernd").ernd);
	cr_assert(parsed("v1p2").arch_inst);
	cr_assert_not(parsed("v1p1,no-archinst").arch_inst);
	cr_assert_not(parsed("no-flagupdate").flag_update);
	cr_assert(parsed("no-lds,lds").lds);
	cr_assert(parsed("v1p2,no-eft").lds);
	cr_assert(parsed("v1p2,pbt").pbt);
	cr_assert_not(parsed("v1p5,no-pbt").pbt);
	cr_assert(parsed("v1p0,eft,fpf").eft);
	cr_assert(parsed("eft,fpf").fpf);
	cr_assert(parsed("v1p1,sme,maxsize=128").sme);
	cr_assert(parsed("v1p2,dpfzs").dpfzs);
	cr_assert_not(parsed("v1p5,incomplete,no-exc").exc);
	cr_assert_not(parsed("v1p5,incomplete,no-nvm").nvm);
	cr_assert(parsed("v1p2,nvm").nvm);
	cr_assert_not(parsed("v1p4,no-fds,no-crr").fds);
	cr_assert(parsed("sve").sve);
	cr_assert(parsed("tme").tme);
	cr_assert(parsed("mte").mte);
	cr_assert(parsed("ecv").ecv);
	cr_assert(parsed("v1p5,gcs,maxsize=128").gcs);
	cr_assert(parsed("maxsize=128,pbt,pbt-all").pbt_all);
	cr_assert(parsed("pbt-isb").pbt_isb);
	cr_assert(parsed("pbt-exception").pbt_exception);
	cr_assert_not(parsed("no-pbt-return").pbt_return);
	cr_assert(parsed("maxsize=128,extended-headers").extended_headers);
	cr_assert(parsed("ignore-writes").ignore_writes);
	cr_assert(parsed("v1p5,vm-interface").ignore_writes);
	cr_assert_eq(parsed("v1p5,vm-interface").max_buffer, 0x200000);
	cr_assert_eq(parsed("vm-interface,maxbuffer=0x1000").max_buffer, 0x1000);
}

Test(spe_option, keys)
{
	cr_assert_eq(parsed("countsize=16").count_size, 16);
	cr_assert_eq(parsed("maxsize=2048").max_size, 11);
	cr_assert_eq(parsed("maxsize=0x80").max_size, 7);
	cr_assert_eq(parsed("align=1").align, 0);
	cr_assert_eq(parsed("align=32").align, 5);
	cr_assert_eq(parsed("interval=4096").interval, 8);
	cr_assert_eq(parsed("interval=512").interval, 2);
	cr_assert_eq(parsed("events=0xf000").events, 0xf000u);
	cr_assert_eq(parsed("eventsize=2").events_size, 2);
	cr_assert_eq(parsed("maxsize=128,sourcesize=2").source_size, 2);
	cr_assert_eq(parsed("granule=64k").granule, 16);
	cr_assert_eq(parsed("reload=after").reload, SPE_RELOAD_AFTER_TAIL);
	cr_assert_eq(parsed("interval-zero=longest").interval_zero, SPE_INTERVAL_ZERO_LONGEST);
	cr_assert_eq(parsed("abort=serror").external_abort, SPE_ABORT_SERROR);
	cr_assert_eq(parsed("maxsize=128,altclk=smcu").altclk, 1);
	cr_assert_eq(parsed("maxsize=128,altclk=impdef").altclk, 15);
	cr_assert_eq(parsed("pointer-res0=6").pointer_res0, 6);
	cr_assert_eq(parsed("v1p4,sources=0x4001").sources, 0x4001u);
	cr_assert_eq(parsed("maxbuffer=0x100000").max_buffer, 0x100000u);
	cr_assert_eq(parsed("empty-filter=no-samples").empty_filter, SPE_EMPTY_FILTER_NO_SAMPLES);
	cr_assert_eq(parsed("partial=rewound").partial, SPE_PARTIAL_REWOUND);
	cr_assert_eq(parsed("pointer=discard").pointer, SPE_POINTER_DISCARD);
	cr_assert_eq(parsed("eventsize=8,oversize=event").oversize, SPE_OVERSIZE_EVENT);
	cr_assert_eq(parsed("pointer=not-allowed").pointer, SPE_POINTER_NOT_ALLOWED);
	cr_assert_eq(parsed("high-address=ignored").high_address, SPE_HIGH_ADDRESS_IGNORED);
	cr_assert_eq(parsed("reserved-nspb=event").reserved_nspb, SPE_RESERVED_NSPB_EVENT);
	cr_assert_eq(parsed("inflight=8").in_flight, 8);
	cr_assert_eq(parsed("lifetime=100000").lifetime, 100000u);
	cr_assert_eq(parsed("seed=0xffffffffffffffff").seed, UINT64_MAX);
}

Test(spe_option, populations)
{
	struct spe_config config =
		parsed("no-archinst,misspec=captured,noinst=member,nonarch=excluded");

	cr_assert(config.misspeculated.member);
	cr_assert(config.misspeculated.captured);
	cr_assert(config.no_instruction.member);
	cr_assert_not(config.no_instruction.captured);
	cr_assert_not(config.non_arch_exception.member);
	cr_assert_not(config.non_arch_exception.captured);
}

Test(spe_option, wrong_words_are_named)
{
	refused("", "''", "no such feature");
	refused("v9", "'v9'", "no such feature");
	refused("v1p6", "'v1p6'", "no such feature");
	refused("lds,v1p2", "'v1p2'", "the version comes first");
	refused("v1p2,,lds", "''", "no such feature");
	refused("v1p2,lds,", "''", "no such feature");
	refused("v1p2,turbo", "'turbo'", "no such feature");
	refused("v1p2,no-turbo", "'no-turbo'", "no such feature");
	refused("v1p2,turbo=1", "'turbo=1'", "no such feature");
	refused("v1p2,lds=1", "'lds=1'", "name or no-name");
	refused("v1p2,align", "'align'", "needs a value");
	refused("v1p2,no-align", "'no-align'", "needs a value");
	refused("v1p2,lds\nx", "'lds\\nx'", "no such feature");
	refused("v1p2,align=\x1b[2J", "'align=\\x1b[2J'", "align is");
	refused("v1p2,lds,verylongword0123456789012345678901234567890123456789012345678901234",
		"verylongword", "too long");
}

Test(spe_option, numbers_are_those_of_all_options)
{
	cr_assert_eq(parsed("granule=4096").granule, parsed("granule=4k").granule);
	cr_assert_eq(parsed("seed=1e3").seed, 1000);
	cr_assert_eq(parsed("seed=0b11").seed, 3);
	cr_assert_eq(parsed("seed=010").seed, 10);
	cr_assert_eq(parsed("lifetime=2e3").lifetime, 2000);
}

Test(spe_option, wrong_values_are_named)
{
	refused("lifetime=2K", "'lifetime=2K'", "not a number");
	refused("countsize=13", "'countsize=13'", "12 or 16");
	refused("maxsize=32", "'maxsize=32'", "64, 128, 256, 512, 1024 or 2048");
	refused("align=3", "'align=3'", "align is");
	refused("interval=257", "'interval=257'", "256, 512");
	refused("reload=", "'reload='", "before or after");
	refused("granule=8192", "'granule=8192'", "4k, 16k or 64k");
	refused("misspec=yes", "'misspec=yes'", "excluded, member or captured");
	refused("inflight=x", "'inflight=x'", "not a number");
	refused("inflight=256", "'inflight=256'", "not a number from 0 to 0xff");
	refused("inflight=-1", "'inflight=-1'", "not a number");
	refused("lifetime=4294967296", "lifetime", "not a number from 0 to 0xffffffff");
	refused("seed=18446744073709551616", "seed", "not a number from 0 to 0xffffffffffffffff");
	refused("seed=1x", "'seed=1x'", "not a number");
}

/* Valid words that contradict each other: the message names the word of the field. */
Test(spe_option, contradictions_are_named)
{
	refused("v1p1,fne", "'fne'", "exactly from v1p2");
	refused("v1p2,no-fne", "'fne'", "exactly from v1p2");
	refused("align=128", "'align'", "cannot exceed");
	refused("v1p3,fds", "'fds'", "needs FEAT_SPEv1p4");
	refused("v1p1,pbt", "'pbt'", "needs FEAT_SPEv1p2");
	refused("v1p3,crr", "'crr'", "needs FEAT_SPEv1p4");
	refused("v1p5,no-crr", "'crr'", "FEAT_SPEv1p5 needs FEAT_SPE_CRR");
	refused("v1p2,eft", "'fpf'", "needs FEAT_SPE_FPF");
	refused("v1p2,fpf", "'eft'", "needs FEAT_SPE_EFT");
	refused("v1p0,sme,maxsize=128", "'sme'", "needs FEAT_SPEv1p1");
	refused("v1p4,exc", "'exc'", "needs FEAT_SPEv1p5");
	refused("v1p5,no-exc", "'exc'", "incomplete");
	refused("v1p5,no-nvm", "'nvm'", "incomplete");
	refused("v1p1,dpfzs", "'dpfzs'", "needs FEAT_SPEv1p2");
	refused("altclk=smcu", "'maxsize'", "are too few");
	refused("maxbuffer=4097", "'maxbuffer'", "MaxBuffSize");
	refused("pointer-res0=7", "'pointer-res0'", "alignment");
	refused("eventsize=8", "'maxsize'", "are too few");
	refused("inflight=0", "'inflight'", "1 to 8");
	refused("inflight=9", "'inflight'", "1 to 8");
	refused("v1p2,noinst=member", "'noinst'", "ArchInst");
	refused("events=0x10000", "'events'", "does not leave open");
}

/* The help has every word that the parser knows, and the default of each. */
Test(spe_option, help_lists_every_word)
{
	static const char *const names[] = {
		"v1p4",	    "v1p5",	     "fds",	   "pbt",	 "crr",
		"eft",	    "fpf",	     "sme",	   "nvm",	 "exc",
		"dpfzs",    "altclk",	     "sve",	   "tme",	 "mte",
		"gcs",	    "ecv",	     "incomplete", "pbt-all",	 "maxbuffer",
		"sources",  "pointer-res0",  "partial",	   "oversize",	 "(on from v1p4)",
		"v1p0",	    "v1p3",	     "archinst",   "lds",	 "ernd",
		"fne",	    "flagupdate",    "countsize",  "maxsize",	 "align",
		"interval", "events",	     "eventsize",  "sourcesize", "granule",
		"misspec",  "noinst",	     "nonarch",	   "inflight",	 "lifetime",
		"reload",   "interval-zero", "abort",	   "seed",	 "(v1p2)",
		"(64)",	    "(before)",	     "(captured)"};
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	spe_option_help(out, NULL);
	fclose(out);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		cr_assert_str_has(text, names[i], "no %s in the help", names[i]);
	free(text);
}

/* A message that does not fit is cut, and not written past its end. */
Test(spe_option, short_message_buffers_are_kept)
{
	struct spe_config config;
	char why[16];

	memset(why, 'x', sizeof(why));
	cr_assert_eq(spe_option_parse("nonsense", spe_core(0), NULL, &config, why, 8), -1);
	cr_assert_eq(why[7], '\0');
	cr_assert_eq(why[8], 'x');
}

/* Only features that are not available are marked, with the reason. */
static void check_help_reasons(const struct engine *engine)
{
	char *text = NULL, *line;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	spe_option_help(out, engine);
	fclose(out);
	line = strstr(text, "  exc ");
	cr_assert_not_null(line);
	*strchr(line, '\n') = '\0';
	cr_assert_str_has(line, "(not to be had: not on this CPU)");
	line += strlen(line) + 1;
	cr_assert_str_lacks(line, "not to be had");
	free(text);
}

static const char *lacks_some(const struct spe_config *config, const char **field)
{
	*field = config->exc ? "exc" : "altclk";
	return config->exc || config->altclk ? "not on this CPU" : NULL;
}

/*
 * A feature that an engine cannot honour is off by default, and refused; the rest of the version is
 * on.
 */
Test(spe_option, an_engine_narrows_the_choice)
{
	static const struct engine engine = {.name = "narrow", .spe_lacks = lacks_some};
	static const struct {
		const char *text, *word;
	} refusals[] = {{"v1p5,exc", "'exc'"}, {"v1p5,maxsize=128,altclk=smcu", "'altclk'"}};
	struct spe_config config;
	char why[256];

	cr_assert_eq(spe_option_parse("v1p5", spe_core(0), &engine, &config, why, sizeof(why)), 0);
	cr_assert_not(config.exc);
	cr_assert(config.incomplete);
	cr_assert(config.nvm);
	cr_assert(config.pbt);
	cr_assert_eq(
		spe_option_parse("v1p5,no-exc", spe_core(0), &engine, &config, why, sizeof(why)),
		0);
	check_help_reasons(&engine);
	cr_assert_eq(spe_option_parse("v1p4", spe_core(0), &engine, &config, why, sizeof(why)), 0);
	cr_assert_not(config.incomplete);
	for (size_t i = 0; i < 2; i++) {
		cr_assert_eq(spe_option_parse(refusals[i].text, spe_core(0), &engine, &config, why,
					      sizeof(why)),
			     -1);
		cr_assert_str_has(why, refusals[i].word);
		cr_assert_str_has(why, "not on this CPU");
	}
}

/* Every engine accepts its defaults of every version. */
Test(spe_option, defaults_can_be_honoured)
{
	for (enum spe_version v = SPE_V1P0; v <= SPE_V1P5; v++) {
		struct spe_config config;
		const char *field = "";

		spe_option_defaults(&config, v, &engine_soft);
		cr_assert_eq(spe_config_check(&config, NULL), 0);
		cr_assert_null(engine_soft.spe_lacks(&config, &field), "v1p%u: %s",
			       (unsigned int)v - 1, field);
		cr_assert_eq(config.version, v);
	}
}

/* A core's choices change the defaults of its version, or of the version given; words win. */
Test(spe_option, words_change_a_core)
{
	const struct spe_core *core = spe_core_find("neoverse-n1");
	struct spe_config config;
	char why[256] = "";

	cr_assert_eq(spe_option_parse(NULL, core, NULL, &config, why, sizeof(why)), 0);
	cr_assert_eq(config.version, SPE_V1P0);
	cr_assert_eq(config.layout, SPE_LAYOUT_NEOVERSE);
	cr_assert_not(config.arch_inst);
	cr_assert_not(config.ernd);
	cr_assert(config.lds);
	cr_assert_not(config.fne);
	cr_assert_eq(config.interval, 4);
	cr_assert_eq(config.events_size, 2);
	cr_assert_eq(spe_option_parse("v1p2,interval=256,archinst", core, NULL, &config, why,
				      sizeof(why)),
		     0);
	cr_assert_eq(config.version, SPE_V1P2);
	cr_assert(config.fne);
	cr_assert(config.arch_inst);
	cr_assert_eq(config.layout, SPE_LAYOUT_NEOVERSE);
	cr_assert_eq(config.events_size, 2);
	cr_assert_eq(config.interval, 0);
	cr_assert_eq(spe_option_parse("layout=generic", core, NULL, &config, why, sizeof(why)), 0);
	cr_assert_eq(config.layout, SPE_LAYOUT_GENERIC);
	cr_assert_not(config.arch_inst);
	cr_assert_eq(spe_option_parse("v1p5", core, NULL, &config, why, sizeof(why)), -1);
	refusal_says("v1p5", why, "'pbt'", "no place");
}
