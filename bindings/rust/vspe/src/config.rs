// SPDX-License-Identifier: BSD-2-Clause
//! What a unit is configured with: the rows of `<vspe/spe_choices.def>`, which explains each.
use crate::{text, Error};
use core::ptr;
use vspe_sys as sys;

macro_rules! enumerations {
    ($($(#[$doc:meta])* $name:ident { $($value:ident = $c:ident),* $(,)? })*) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        #[repr(u32)]
        pub enum $name {
            $(#[doc = concat!("`", stringify!($c), "`.")] $value = sys::$c,)*
        }

        impl $name {
            /// All of them, in C's order.
            pub const ALL: &'static [$name] = &[$($name::$value),*];
        }
    )* };
}
pub(crate) use enumerations;

enumerations! {
    /// The version of FEAT_SPE.
    Version {
        V1p0 = SPE_V1P0, V1p1 = SPE_V1P1, V1p2 = SPE_V1P2, V1p3 = SPE_V1P3, V1p4 = SPE_V1P4,
        V1p5 = SPE_V1P5,
    }
    /// Is COUNT reloaded before or after the random tail is counted?
    Reload { BeforeTail = SPE_RELOAD_BEFORE_TAIL, AfterTail = SPE_RELOAD_AFTER_TAIL }
    /// The sampling interval that PMSIRR_EL1.INTERVAL of zero means.
    IntervalZero {
        Recommended = SPE_INTERVAL_ZERO_RECOMMENDED, Shortest = SPE_INTERVAL_ZERO_SHORTEST,
        Longest = SPE_INTERVAL_ZERO_LONGEST,
    }
    /// What an external abort on a write to the buffer does.
    ExternalAbort {
        Sync = SPE_ABORT_SYNC, Async = SPE_ABORT_ASYNC, Ignore = SPE_ABORT_IGNORE,
        SError = SPE_ABORT_SERROR,
    }
    /// A filter that is on and asks for nothing.
    EmptyFilter { Ignored = SPE_EMPTY_FILTER_IGNORED, NoSamples = SPE_EMPTY_FILTER_NO_SAMPLES }
    /// PMBPTR_EL1 and DL when a fault comes in the middle of a record.
    Partial { Kept = SPE_PARTIAL_KEPT, Rewound = SPE_PARTIAL_REWOUND }
    /// A record is due, and PMBPTR_EL1 is where software must not put it.
    Pointer {
        Full = SPE_POINTER_FULL, Discard = SPE_POINTER_DISCARD,
        NotAllowed = SPE_POINTER_NOT_ALLOWED,
    }
    /// A record larger than 2^max_size bytes.
    Oversize { Refused = SPE_OVERSIZE_REFUSED, Event = SPE_OVERSIZE_EVENT }
    /// The buffer is disabled when a record of an operation selected before is due.
    LateRecord { Discarded = SPE_LATE_DISCARDED, Event = SPE_LATE_EVENT }
    /// MDCR_EL3.{NSPBE,NSPB} of a reserved value.
    ReservedNspb {
        Disabled = SPE_RESERVED_NSPB_DISABLED, NonSecure = SPE_RESERVED_NSPB_NON_SECURE,
        Event = SPE_RESERVED_NSPB_EVENT,
    }
    /// Bits of PMBPTR_EL1 above the largest output address, where stage 1 does not translate.
    HighAddress { Fault = SPE_HIGH_ADDRESS_FAULT, Ignored = SPE_HIGH_ADDRESS_IGNORED }
    /// The order of the packets in a record.
    Layout {
        Generic = SPE_LAYOUT_GENERIC, Neoverse = SPE_LAYOUT_NEOVERSE,
        Kunpeng920 = SPE_LAYOUT_KUNPENG920, Fvp = SPE_LAYOUT_FVP,
    }
}

/// Membership of the population and capture, for one kind of operation (D17.2.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Population {
    /// It counts as a member of the sample population.
    pub member: bool,
    /// A record of it reaches the buffer; needs `member`.
    pub captured: bool,
}

/// The value of a choice, as C has it.
trait Raw {
    type C;
    fn raw(self) -> Self::C;
}

macro_rules! plain {
    ($($t:ty)*) => { $(impl Raw for $t { type C = $t; fn raw(self) -> $t { self } })* };
}
macro_rules! listed {
    ($($t:ty)*) => { $(impl Raw for $t { type C = u32; fn raw(self) -> u32 { self as u32 } })* };
}
plain! { bool u8 u32 u64 }
listed! {
    Version Reload IntervalZero ExternalAbort EmptyFilter Partial Pointer Oversize LateRecord
    ReservedNspb HighAddress Layout
}
impl Raw for Population {
    type C = sys::spe_population;
    fn raw(self) -> sys::spe_population {
        sys::spe_population { member: self.member, captured: self.captured }
    }
}

/// A configuration that is still being made: what does not go together is found by
/// [`check`](Config::check) and by [`Unit::new`](crate::Unit::new).
///
/// ```
/// use vspe::{Config, ErrorKind, Version};
/// let config = Config::new(Version::V1p2).lds(false).events(0).seed(1);
/// assert!(config.check().is_ok());
/// let error = config.exc(true).check().unwrap_err();
/// assert_eq!((error.kind, error.field), (ErrorKind::Exc, Some("exc")));
/// assert_eq!(error.kind.name(), "SPE_EEXC");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub struct Config(pub(crate) sys::spe_config);

macro_rules! choices {
    ($($name:ident: $type:ty),* $(,)?) => {
        impl Config {
            $(
                #[doc = concat!("Choose `", stringify!($name), "` of `<vspe/spe_choices.def>`.")]
                pub fn $name(mut self, value: $type) -> Config {
                    self.0.$name = value.raw();
                    self
                }
            )*
        }

        // A choice that C has and this table has not does not compile.
        #[allow(dead_code)]
        fn all_choices(config: sys::spe_config) {
            let sys::spe_config { version: _, check: _, $($name: _),* } = config;
        }
    };
}

choices! {
    arch_inst: bool, lds: bool, ernd: bool, fne: bool, fds: bool, pbt: bool, crr: bool, eft: bool,
    fpf: bool, sme: bool, nvm: bool, exc: bool, dpfzs: bool, incomplete: bool, sve: bool,
    tme: bool, mte: bool, gcs: bool, ecv: bool, pbt_all: bool, pbt_exception: bool,
    pbt_return: bool, pbt_isb: bool, pbt_taken: bool, load_enabled: bool, tail_rnd: bool,
    keep_dl: bool, extended_headers: bool, ignore_writes: bool,
    flag_update: bool, walk_ea: bool, count_size: u8, max_size: u8, align: u8, interval: u8,
    altclk: u8, events: u64, events_size: u8, source_size: u8, granule: u8, pointer_res0: u8,
    sources: u64, max_buffer: u64, fault_lag: u8, extra_packets: u8, misspeculated: Population,
    no_instruction: Population, non_arch_exception: Population, in_flight: u8, lifetime: u32,
    reload: Reload, interval_zero: IntervalZero, external_abort: ExternalAbort,
    empty_filter: EmptyFilter, partial: Partial, pointer: Pointer, oversize: Oversize,
    reserved_nspb: ReservedNspb, high_address: HighAddress, late_record: LateRecord,
    layout: Layout, seed: u64,
}

impl Config {
    /// Every choice's default for a version.
    pub fn new(version: Version) -> Config {
        let mut config = sys::spe_config::default();
        // SAFETY: the library fills in what the pointer is to.
        unsafe { sys::spe_config_defaults(&mut config, version.raw()) };
        Config(config)
    }

    /// A core of [`cores`](crate::cores), with a version, which need not be the core's own.
    pub fn of_core(core: &Core, version: Version) -> Config {
        let mut config = sys::spe_config::default();
        // SAFETY: core.0 is in static storage; the library fills in config.
        unsafe { sys::spe_config_core(&mut config, core.0, version.raw()) };
        Config(config)
    }

    /// The first field that is wrong, if there is one.
    pub fn check(&self) -> Result<(), Error> {
        let mut field = ptr::null();
        // SAFETY: both pointers are valid for the call.
        let code = unsafe { sys::spe_config_check(&self.0, &mut field) };
        // SAFETY: field is what the library put there.
        Error::check(code, unsafe { text(field) })
    }

    /// Is the embedder watched for [`Misuse`](crate::Misuse)? C's `check`. It is for developers:
    /// [`Host::misuse`](crate::Host::misuse) hears of it, and [`Stats`](struct@crate::Stats) count it.
    pub fn check_misuse(mut self, check: bool) -> Config {
        self.0.check = check;
        self
    }

    /// The version.
    pub fn version(&self) -> Version {
        *Version::ALL.iter().find(|v| v.raw() == self.0.version).unwrap_or(&Version::V1p2)
    }

    /// The `SYSREG_FEAT_SPE*` bits that go with it. A [`Unit`](crate::Unit) puts them into its
    /// controls itself.
    pub fn features(&self) -> u32 {
        // SAFETY: a function of the configuration, as the two that follow are.
        unsafe { sys::spe_config_features(&self.0) }
    }

    /// The fields of ID_AA64DFR0_EL1 that go with it, in place, all else zero.
    pub fn id_aa64dfr0(&self) -> u64 {
        // SAFETY: as features().
        unsafe { sys::spe_config_id_aa64dfr0(&self.0) }
    }

    /// The same of ID_AA64DFR1_EL1.
    pub fn id_aa64dfr1(&self) -> u64 {
        // SAFETY: as features().
        unsafe { sys::spe_config_id_aa64dfr1(&self.0) }
    }

    /// The same of ID_AA64DFR2_EL1.
    pub fn id_aa64dfr2(&self) -> u64 {
        // SAFETY: as features().
        unsafe { sys::spe_config_id_aa64dfr2(&self.0) }
    }
}

/// A core by its name: a set of choices.
#[derive(Clone, Copy, Debug)]
pub struct Core(&'static sys::spe_core);

impl Core {
    /// `"neoverse-n1"`.
    pub fn name(&self) -> &'static str {
        // SAFETY: in static storage, as what() is.
        unsafe { text(self.0.name) }.unwrap_or("")
    }

    /// A line about it, for people.
    pub fn what(&self) -> &'static str {
        // SAFETY: in static storage.
        unsafe { text(self.0.what) }.unwrap_or("")
    }

    /// MIDR_EL1. `None`: of no core, the embedder has its own.
    pub fn midr(&self) -> Option<u32> {
        Some(self.0.midr).filter(|&midr| midr != 0)
    }

    /// The version that the core has.
    pub fn version(&self) -> Version {
        *Version::ALL.iter().find(|v| v.raw() == self.0.version).unwrap_or(&Version::V1p0)
    }
}

/// The cores that there are; the first is "generic", which is the defaults.
///
/// ```
/// use vspe::{cores, Config};
/// let core = cores().find(|core| core.name() == "neoverse-n1").unwrap();
/// assert!(Config::of_core(&core, core.version()).check().is_ok());
/// ```
pub fn cores() -> impl Iterator<Item = Core> {
    let core = |number| {
        // SAFETY: NULL, or in static storage that nothing writes.
        unsafe { sys::spe_core(number).as_ref() }
    };
    (0..).map_while(core).map(Core)
}
