// SPDX-License-Identifier: BSD-2-Clause
//! What a unit asks of its embedder, and how C reaches it.
use crate::config::enumerations;
use crate::text;
use core::{fmt, mem, slice};
use vspe_sys as sys;
use vspe_sys::ctypes::c_void;

/// A write to the profiling buffer that failed: how many bytes were written before, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriteError {
    /// Bytes written before the fault, from the start. It counts as fewer than there were.
    pub written: usize,
    /// Why.
    pub fault: Fault,
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "after {} bytes: {:?}", self.written, self.fault)
    }
}

/// Why a write to the profiling buffer failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// An MMU fault.
    Mmu {
        /// Fault status code, as in ESR_ELx.DFSC.
        fsc: u8,
        /// A stage 2 abort: EC 0x25 instead of 0x24.
        stage2: bool,
        /// `SPE_MSS2_*` of a permission fault, else 0.
        mss2: u16,
    },
    /// A granule protection check fault other than GPF, or an external abort on a GPT fetch.
    GranuleProtection,
    /// An external abort on the write itself.
    ExternalAbort,
}

enumerations! {
    /// What an address is that stage 1 does not translate.
    AddressKind { Physical = SPE_ADDRESS_PHYSICAL, Intermediate = SPE_ADDRESS_INTERMEDIATE }
    /// What an embedder does wrong, as a unit with
    /// [`check_misuse`](crate::Config::check_misuse) finds it; C's `enum spe_misuse` says when.
    Misuse {
        Update = SPE_MISUSE_UPDATE, Unsampled = SPE_MISUSE_UNSAMPLED,
        Budget = SPE_MISUSE_BUDGET, Operation = SPE_MISUSE_OPERATION,
    }
    /// What changes the program flow, as far as FEAT_SPE_PBT can see it.
    BranchKind {
        Taken = SPE_BRANCH_TAKEN, Exception = SPE_BRANCH_EXCEPTION, Return = SPE_BRANCH_RETURN,
        Isb = SPE_BRANCH_ISB,
    }
    /// Which counter [`Op::timestamp`](crate::Op::timestamp) has to hold.
    Timestamp {
        None = SPE_TIMESTAMP_NONE, Virtual = SPE_TIMESTAMP_VIRTUAL,
        Physical = SPE_TIMESTAMP_PHYSICAL, Offset = SPE_TIMESTAMP_OFFSET,
    }
}

/// Where a record goes that stage 1 does not translate (FEAT_SPE_nVM).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Untranslated {
    /// The address.
    pub address: u64,
    /// What it is.
    pub kind: AddressKind,
    /// 1 or 2.
    pub owning_el: u8,
    /// PMBMAR_EL1.Attr, as a field of MAIR_ELx.
    pub attributes: u8,
    /// PMBMAR_EL1.SH.
    pub shareability: u8,
    /// The owning Security state.
    pub ns: bool,
    /// The owning Security state, with FEAT_RME.
    pub nse: bool,
    /// Bits above the largest output address are ignored, and do not fault.
    pub high_ignored: bool,
}

/// What a unit asks of its embedder. The unit owns it, so that nothing here can call back into the
/// unit.
///
/// A method must not panic: it is called by C, which a panic cannot pass. One that does ends the
/// program, whatever the guest did; report a fault instead.
pub trait Host {
    /// Is [`write_untranslated`](Host::write_untranslated) there? With `nvm` it has to be.
    const UNTRANSLATED: bool = false;
    /// Is [`serror`](Host::serror) there? With [`ExternalAbort::SError`](crate::ExternalAbort) it
    /// has to be.
    const SERROR: bool = false;
    /// Does [`random`](Host::random) give the random bytes? Otherwise the unit's own seeded
    /// generator does.
    const RANDOM: bool = false;

    /// Write a record at `va` in the owning translation regime, as `owning_el` (1 or 2) of the PE's
    /// current Security state. The access counts as unaligned if `va` is no multiple of 2^align. A
    /// fault is not taken as an exception: the unit reports it in PMBSR_ELx.
    fn write(&mut self, owning_el: u8, va: u64, bytes: &[u8]) -> Result<(), WriteError>;

    /// The same where PMBLIMITR_EL1.nVM is in effect.
    fn write_untranslated(&mut self, to: &Untranslated, bytes: &[u8]) -> Result<(), WriteError> {
        let _ = (to, bytes);
        Err(WriteError { written: 0, fault: Fault::ExternalAbort })
    }

    /// A PMU event by its number, `count` times.
    fn pmu_event(&mut self, event: u16, count: u64) {
        let _ = (event, count);
    }

    /// A random byte, uniform on 0x00 to 0xFF.
    fn random(&mut self) -> u8 {
        0
    }

    /// An asynchronous SError for the PE.
    fn serror(&mut self) {}

    /// With [`check_misuse`](crate::Config::check_misuse): the embedder did something wrong, and
    /// why that is so. The call that found it goes on.
    fn misuse(&mut self, what: Misuse, why: &str) {
        let _ = (what, why);
    }
}

/// A panic while a panic is under way ends the program: it must not unwind into C, and this works
/// without std.
struct NoUnwind;

impl Drop for NoUnwind {
    fn drop(&mut self) {
        panic!("a method of vspe::Host panicked");
    }
}

/// # Safety
/// `ctx` is the host of [`table`], which nobody else refers to during the call.
unsafe fn with<H: Host, T>(ctx: *mut c_void, call: impl FnOnce(&mut H) -> T) -> T {
    let guard = NoUnwind;
    // SAFETY: the caller's.
    let result = call(unsafe { &mut *ctx.cast::<H>() });
    mem::forget(guard);
    result
}

fn result_of(result: Result<(), WriteError>, size: usize) -> sys::spe_write_result {
    let mut raw = sys::spe_write_result {
        status: sys::SPE_WRITE_OK,
        written: size,
        fsc: 0,
        stage2: false,
        gpc: false,
        mss2: 0,
    };
    if let Err(error) = result {
        raw.written = error.written;
        raw.status = sys::SPE_WRITE_FAULT;
        match error.fault {
            Fault::Mmu { fsc, stage2, mss2 } => {
                raw.fsc = fsc;
                raw.stage2 = stage2;
                raw.mss2 = mss2;
            }
            Fault::GranuleProtection => raw.gpc = true,
            Fault::ExternalAbort => raw.status = sys::SPE_WRITE_EXTERNAL_ABORT,
        }
    }
    raw
}

unsafe extern "C" fn write<H: Host>(
    ctx: *mut c_void,
    owning_el: u8,
    va: u64,
    bytes: *const u8,
    size: usize,
) -> sys::spe_write_result {
    // SAFETY: the library gives size bytes, for the time of the call.
    let bytes = unsafe { slice::from_raw_parts(bytes, size) };
    // SAFETY: ctx is that of table().
    let result = unsafe { with(ctx, |host: &mut H| host.write(owning_el, va, bytes)) };
    result_of(result, size)
}

unsafe extern "C" fn write_untranslated<H: Host>(
    ctx: *mut c_void,
    to: *const sys::spe_untranslated,
    bytes: *const u8,
    size: usize,
) -> sys::spe_write_result {
    // SAFETY: the library gives both, for the time of the call.
    let (to, bytes) = unsafe { (&*to, slice::from_raw_parts(bytes, size)) };
    let to = Untranslated {
        address: to.address,
        kind: if to.kind == sys::SPE_ADDRESS_PHYSICAL {
            AddressKind::Physical
        } else {
            AddressKind::Intermediate
        },
        owning_el: to.owning_el,
        attributes: to.attributes,
        shareability: to.shareability,
        ns: to.ns,
        nse: to.nse,
        high_ignored: to.high_ignored,
    };
    // SAFETY: ctx is that of table().
    let result = unsafe { with(ctx, |host: &mut H| host.write_untranslated(&to, bytes)) };
    result_of(result, size)
}

unsafe extern "C" fn pmu_event<H: Host>(ctx: *mut c_void, event: u16, count: u64) {
    // SAFETY: ctx is that of table().
    unsafe { with(ctx, |host: &mut H| host.pmu_event(event, count)) }
}

unsafe extern "C" fn random<H: Host>(ctx: *mut c_void) -> u8 {
    // SAFETY: ctx is that of table().
    unsafe { with(ctx, |host: &mut H| host.random()) }
}

unsafe extern "C" fn serror<H: Host>(ctx: *mut c_void) {
    // SAFETY: ctx is that of table().
    unsafe { with(ctx, |host: &mut H| host.serror()) }
}

unsafe extern "C" fn misuse<H: Host>(
    ctx: *mut c_void,
    what: sys::spe_misuse,
    why: *const vspe_sys::ctypes::c_char,
) {
    let what = Misuse::ALL.iter().find(|&&one| one as sys::spe_misuse == what);
    // SAFETY: the library gives a line of text, in static storage.
    let why = unsafe { text(why) }.unwrap_or("");
    if let Some(&what) = what {
        // SAFETY: ctx is that of table().
        unsafe { with(ctx, |host: &mut H| host.misuse(what, why)) }
    }
}

/// The callbacks of a host, for C.
pub(crate) fn table<H: Host>(host: *mut H) -> sys::spe_host {
    let mut table = sys::spe_host {
        ctx: host.cast(),
        write: Some(write::<H>),
        write_untranslated: None,
        pmu_event: Some(pmu_event::<H>),
        random: None,
        serror: None,
        misuse: Some(misuse::<H>),
    };
    if H::UNTRANSLATED {
        table.write_untranslated = Some(write_untranslated::<H>);
    }
    if H::RANDOM {
        table.random = Some(random::<H>);
    }
    if H::SERROR {
        table.serror = Some(serror::<H>);
    }
    table
}
