/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a Statistical Profiling Unit is configured with: its version, its features and every
 * IMPLEMENTATION DEFINED choice, and the errors that say what does not go together. Follows the
 * feature list of the Arm ARM (A2) and the pages of PMSIDR_EL1 and PMBIDR_EL1. Part of vspe/spe.h.
 */
#ifndef VSPE_SPE_CONFIG_H
#define VSPE_SPE_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Exported by libvspe.so, whatever -fvisibility says where this is included. */
#pragma GCC visibility push(default)

/*
 * Errors, returned negated.
 */

#define SPE_EVERSION 1
/* SPE_EVERSION: the version is none of SPE_V1P0 to SPE_V1P5. */
#define SPE_EFNE 2
/* SPE_EFNE: fne and version disagree. FEAT_SPE_FnE is there exactly from v1p2 on. */
#define SPE_ECOUNTSIZE 3
/* SPE_ECOUNTSIZE: count_size is neither 12 nor 16 bits. */
#define SPE_EMAXSIZE 4
/* SPE_EMAXSIZE: max_size is outside 6 to 11, or the largest record that the other fields allow
 * does not fit in 2^max_size bytes (and oversize is SPE_OVERSIZE_REFUSED). */
#define SPE_EALIGN 5
/* SPE_EALIGN: align is greater than max_size. */
#define SPE_EINTERVAL 6
/* SPE_EINTERVAL: interval is not an encoding of PMSIDR_EL1.Interval: 0 and 2 to 8. */
#define SPE_EEVENTS 7
/* SPE_EEVENTS: events has a bit that this version does not leave open. */
#define SPE_EEVENTSSIZE 8
/* SPE_EEVENTSSIZE: events_size is none of 1, 2, 4 and 8 bytes. */
#define SPE_ESOURCESIZE 9
/* SPE_ESOURCESIZE: source_size is neither 1 nor 2 bytes. */
#define SPE_EINFLIGHT 10
/* SPE_EINFLIGHT: in_flight is outside 1 to SPE_IN_FLIGHT_MAX. */
#define SPE_ECHOICE 11
/* SPE_ECHOICE: an enumerated choice (reload, external_abort and so on) has no such value. */
#define SPE_ECAPTURE 12
/* SPE_ECAPTURE: a kind of operation is captured without being a member of the population. */
#define SPE_EGRANULE 13
/* SPE_EGRANULE: granule is none of 12, 14 and 16. */
#define SPE_EHOST 14
/* SPE_EHOST: the host lacks a callback that cannot be done without: write always,
 * write_untranslated with nvm, serror when external_abort is SPE_ABORT_SERROR. */
#define SPE_EARCHINST 15
/* SPE_EARCHINST: no_instruction are members although arch_inst says that operations are
 * instructions. */
#define SPE_EFDS 16
/* SPE_EFDS: fds without FEAT_SPEv1p4. */
#define SPE_EPBT 17
/* SPE_EPBT: pbt without FEAT_SPEv1p2. */
#define SPE_ECRR 18
/* SPE_ECRR: crr without FEAT_SPEv1p4. */
#define SPE_ENEEDCRR 19
/* SPE_ENEEDCRR: FEAT_SPEv1p5 without crr. */
#define SPE_EGCS 20
/* SPE_EGCS: gcs with FEAT_SPEv1p4 or later and without crr. */
#define SPE_EEFT 21
/* SPE_EEFT: fpf without eft. */
#define SPE_EFPF 22
/* SPE_EFPF: eft without fpf. */
#define SPE_ESME 23
/* SPE_ESME: sme without FEAT_SPEv1p1. */
#define SPE_EEXC 24
/* SPE_EEXC: exc without FEAT_SPEv1p5. */
#define SPE_ENEEDEXC 25
/* SPE_ENEEDEXC: FEAT_SPEv1p5 without exc, and incomplete is not set. */
#define SPE_ENEEDNVM 26
/* SPE_ENEEDNVM: FEAT_SPEv1p5 without nvm, and incomplete is not set. */
#define SPE_EDPFZS 27
/* SPE_EDPFZS: dpfzs without FEAT_SPEv1p2. */
#define SPE_EALTCLK 28
/* SPE_EALTCLK: altclk is none of 0, 1 and 15. */
#define SPE_EMAXBUFFER 29
/* SPE_EMAXBUFFER: max_buffer cannot be said in PMBIDR_EL1.MaxBuffSize, or is less than one record
 * of the largest size. */
#define SPE_EPOINTER 30
/* SPE_EPOINTER: pointer_res0 is greater than align. */
#define SPE_EEXTRA 31
/* SPE_EEXTRA: extra_packets is greater than SPE_EXTRA_MAX. */
#define SPE_EIMAGE 32
/* SPE_EIMAGE: not the image of a unit, or not all of it: it does not begin as one, or has another
 * length than it says. */
#define SPE_EIMAGEVERSION 33
/* SPE_EIMAGEVERSION: an image of another major version, or of a later minor one: this library is
 * too old for it. */
#define SPE_EIMAGESUM 34
/* SPE_EIMAGESUM: the image's checksum is wrong: it was damaged since spe_save() made it. */
#define SPE_EIMAGEVALUE 35
/* SPE_EIMAGEVALUE: the image has a value that no unit of this configuration can come to. */
#define SPE_EIMAGECONFIG 36
/* SPE_EIMAGECONFIG: the image is of a unit with another configuration. */
#define SPE_ESIZE 37
/* SPE_ESIZE: the unit that spe_init() is given is smaller than SPE_UNIT_SIZE of the library, or the
 * decoder or the records of spe_decoder_init() have another size: the caller was compiled with the
 * headers of another version. */
#define SPE_EABORT 38
/* SPE_EABORT: external_abort is SPE_ABORT_SYNC or SPE_ABORT_ASYNC with FEAT_SPEv1p3: from there on
 * external aborts on writes are not reported to the unit (D17.8.4.4). */
#define SPE_EFLAGUPDATE 39
/* SPE_EFLAGUPDATE: FEAT_SPEv1p3 without flag_update (D17.8.3.1). */
#define SPE_EFAULTLAG 40
/* SPE_EFAULTLAG: fault_lag without FEAT_SPEv1p5. */
#define SPE_ELAYOUT 41
/* SPE_ELAYOUT: a packet or a header that records in this layout have no place for. */
#define SPE_ELAYOUTSIZE 42
/* SPE_ELAYOUTSIZE: align or max_size is not 6 with SPE_LAYOUT_NEOVERSE. */
#define SPE_EDECODER 43
/* SPE_EDECODER: a decoder (vspe/decode.h) that spe_decoder_init() did not set up. */
#define SPE_ERROR_MAX 43

/* One line of text for an error of this file, negative or positive; static storage, never NULL. */
const char *spe_strerror(int error);

/* Versions, as ID_AA64DFR0_EL1.PMSVer numbers them. */
enum spe_version {
	SPE_V1P0 = 1,
	SPE_V1P1,
	SPE_V1P2,
	SPE_V1P3,
	SPE_V1P4,
	SPE_V1P5,
	SPE_VERSION_DEFAULT = SPE_V1P2,
};

/* D17.3.1: is COUNT reloaded before or after the random tail is counted? Matters with ernd and
 * RND=1. */
enum spe_reload {
	SPE_RELOAD_BEFORE_TAIL, /* as D17.3.4.3: COUNT runs on during the tail */
	SPE_RELOAD_AFTER_TAIL,	/* COUNT waits at zero for the tail's end */
};

/* The UNKNOWN sampling interval that PMSIRR_EL1.INTERVAL of zero means. */
enum spe_interval_zero {
	SPE_INTERVAL_ZERO_RECOMMENDED, /* what PMSIDR_EL1.Interval recommends */
	SPE_INTERVAL_ZERO_SHORTEST,    /* as INTERVAL of 1 */
	SPE_INTERVAL_ZERO_LONGEST,     /* as INTERVAL of 0xFFFFFF */
};

/* What an external abort on a write to the buffer does (D17.8.4; PMBIDR_EL1.EA). */
enum spe_external_abort {
	SPE_ABORT_SYNC,	  /* before v1p3. PMBSR_ELx: EA, FSC 0x10. PMBIDR_EL1.EA is 0 */
	SPE_ABORT_ASYNC,  /* before v1p3. PMBSR_ELx: EA, DL, FSC 0x11. PMBIDR_EL1.EA is 0 */
	SPE_ABORT_IGNORE, /* nothing. PMBIDR_EL1.EA is 1 */
	SPE_ABORT_SERROR, /* spe_host.serror. PMBIDR_EL1.EA is 2 */
};

/* A filter that is on and asks for nothing, where that is CONSTRAINED UNPREDICTABLE. */
enum spe_empty_filter {
	SPE_EMPTY_FILTER_IGNORED,    /* as if it were off */
	SPE_EMPTY_FILTER_NO_SAMPLES, /* it rejects everything */
};

/* PMBPTR_EL1 and DL when a fault comes in the middle of a record. */
enum spe_partial {
	SPE_PARTIAL_KEPT,    /* at the first byte not written, DL=1 */
	SPE_PARTIAL_REWOUND, /* back at the record's first byte, DL unchanged */
};

/* A record is due, and PMBPTR_EL1 is where software must not put it (D17.7.1): past the limit less
 * the largest record. UNPREDICTABLE; nothing is written in either case. */
enum spe_pointer {
	SPE_POINTER_FULL,	 /* a buffer full event */
	SPE_POINTER_DISCARD,	 /* the record is lost, and nothing else happens */
	SPE_POINTER_NOT_ALLOWED, /* it is lost: "other" event, BSC 0, DL */
};

/* A record larger than 2^max_size bytes. */
enum spe_oversize {
	SPE_OVERSIZE_REFUSED, /* cannot come up: spe_config_check() refuses what could lead to it */
	SPE_OVERSIZE_EVENT,   /* it is not written, and profiling stops: "other" event, BSC 4 */
};

/* The buffer is disabled, or another Security state's, when a record of an operation that was
 * selected before is due (D17.9.1). It is lost in either case. */
enum spe_late_record {
	SPE_LATE_DISCARDED, /* and nothing else happens */
	SPE_LATE_EVENT,	    /* "other" event, BSC 0, DL, unless profiling is stopped already */
};

/* MDCR_EL3.{NSPBE,NSPB} of a reserved value, with profiling otherwise enabled. */
enum spe_reserved_nspb {
	SPE_RESERVED_NSPB_DISABLED,   /* profiling is disabled */
	SPE_RESERVED_NSPB_NON_SECURE, /* Non-secure state owns the buffer */
	SPE_RESERVED_NSPB_EVENT,      /* records are lost: "other" event, BSC 0, DL, in any state */
};

/* Bits of PMBPTR_EL1 above the largest output address that a PE of these features can have, in a
 * buffer that stage 1 does not translate (FEAT_SPE_nVM, D17.7.2). */
enum spe_high_address {
	SPE_HIGH_ADDRESS_FAULT,	  /* an Address Size fault of stage 1 */
	SPE_HIGH_ADDRESS_IGNORED, /* as if they were zero */
};

/*
 * The order of the packets in a record, which D18.1.2 leaves open, and the padding among them. Not
 * every packet has a place in a layout of a core: what would bring another one is refused. In those
 * of Neoverse and Kunpeng a conditional branch that is not taken has a target, which is the next
 * instruction, and the top byte of a data address that only repeats bit 55 is zero. docs/cores.md
 * says how each is known.
 */
enum spe_layout {
	SPE_LAYOUT_GENERIC,  /* by the order of J1.78; padding after the record */
	SPE_LAYOUT_NEOVERSE, /* Neoverse N1, V1, N2, V2: a fixed place for each packet, 64 bytes */
	SPE_LAYOUT_KUNPENG920, /* padding before the last packet */
	SPE_LAYOUT_FVP,	       /* Arm's Base FVP (AEM): no issue latency; padding after */
};

/* The most that spe_config.in_flight can be. */
#define SPE_IN_FLIGHT_MAX 8

/* The most that spe_config.extra_packets can be. */
#define SPE_EXTRA_MAX 8

/* Membership of the population and capture, for one kind of operation (D17.2.1). */
struct spe_population {
	bool member;   /* counts as a member of the sample population */
	bool captured; /* a record of it reaches the buffer; needs member */
};

/* What a unit is configured with: a member a row of vspe/spe_choices.def, which explains each. */
struct spe_config {
#define SPE_CHOICE(type, name, preset, image, option, help) type name;
#include <vspe/spe_choices.def>
};

/*
 * Every field's default for a version: what it makes mandatory, with ArchInst, LDS, ERnd; in v1p4
 * FDS and CRR too, and in v1p5 EFT, FPF, PBT, EXC and nVM; no feature of the PE. 12-bit counters;
 * records of exactly 64 bytes; all operations members and captured but misspeculated ones, which
 * are neither; one operation in flight; L1D and TLB accesses (events 2 and 4) reported. An unknown
 * version is left for spe_config_check() to refuse.
 */
void spe_config_defaults(struct spe_config *config, enum spe_version version);

/*
 * 0, or the negative SPE_E* of the first field that is wrong; its name as in struct spe_config goes
 * to *field (static storage; field may be NULL).
 */
int spe_config_check(const struct spe_config *config, const char **field);

/* The SYSREG_FEAT_SPE* bits of sysreg_controls.features that go with a configuration. */
uint32_t spe_config_features(const struct spe_config *config);

/*
 * The fields of the ID registers that go with a configuration, in place, all else zero: PMSVer of
 * ID_AA64DFR0_EL1, DPFZS of ID_AA64DFR1_EL1, SPE_EXC and SPE_nVM of ID_AA64DFR2_EL1.
 */
uint64_t spe_config_id_aa64dfr0(const struct spe_config *config);
uint64_t spe_config_id_aa64dfr1(const struct spe_config *config);
uint64_t spe_config_id_aa64dfr2(const struct spe_config *config);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif
#endif
