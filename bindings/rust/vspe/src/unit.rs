// SPDX-License-Identifier: BSD-2-Clause
//! One Statistical Profiling Unit, with its host and the controls of its PE.
use crate::host::{table, BranchKind, Host, Timestamp};
use crate::register::features;
use crate::{Config, Controls, Error, Op, Register, Route};
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use core::{fmt, mem, ptr};
use vspe_sys as sys;

/// What [`Unit::advance`] came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[must_use]
pub enum Selection {
    /// The last member is not selected.
    NotSelected,
    /// It is: [`Unit::sample`], [`Unit::abandon`] or [`Unit::collide`] is owed for it.
    Selected,
    /// It would be, but collided: counted, not sampled.
    Collided,
}

/// An address that was branched to, and the state there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Target {
    /// The address.
    pub va: u64,
    /// The Exception level.
    pub el: u8,
    /// The Security state.
    pub ns: bool,
    /// The Security state, with FEAT_RME.
    pub nse: bool,
}

/// ESR_ELx of an exception, but IL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Syndrome {
    /// ESR_ELx.EC.
    pub ec: u8,
    /// ESR_ELx.ISS.
    pub iss: u32,
}

impl Syndrome {
    fn of(raw: sys::spe_syndrome) -> Syndrome {
        Syndrome { ec: raw.ec, iss: raw.iss }
    }
}

/// [`Unit::sample_spaced`] was given more than one operation where the spacing is not fixed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotFixed;

impl fmt::Display for NotFixed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("members from one selection to the next are not fixed")
    }
}

/// What a unit has counted since it was made: C's `struct spe_stats`, which describes the members.
pub use sys::spe_stats as Stats;

/// A unit. It belongs to one PE, and may be sent from thread to thread, but takes one call at a
/// time.
///
/// It owns its [`Host`] and the [`Controls`] of its PE: what a change of these asks of an embedder
/// in C ("`spe_update()` is owed") is done by [`set_controls`](Unit::set_controls), the only way to
/// change them.
///
/// ```compile_fail
/// fn shared<T: Sync>(_: T) {}
/// fn not_shared<H: vspe::Host>(unit: vspe::Unit<H>) { shared(unit) }
/// ```
///
/// Bytes that are no image do no harm:
///
/// ```
/// use vspe::{Config, Controls, ErrorKind, Unit, Version, WriteError};
/// struct Nowhere;
/// impl vspe::Host for Nowhere {
///     fn write(&mut self, _: u8, _: u64, _: &[u8]) -> Result<(), WriteError> { Ok(()) }
/// }
/// let config = Config::new(Version::V1p2);
/// let controls = Controls { el: 1, ..Controls::default() };
/// let mut unit = Unit::new(&config, Nowhere, controls)?;
/// let image = unit.save();
/// assert_eq!(unit.restore(&image, controls), Ok(()));
/// for n in 0..image.len() {
///     assert!(unit.restore(&image[..n], controls).is_err());
/// }
/// assert_eq!(unit.restore(b"", controls).unwrap_err().kind, ErrorKind::Image);
/// # Ok::<(), vspe::Error>(())
/// ```
pub struct Unit<H: Host> {
    /// Made by Box::into_raw(), as the next: a PMU has a copy of the one, and the library of the other.
    pub(crate) raw: *mut sys::spe_unit,
    /// NULL: there is none.
    pub(crate) pmu: *mut sys::pmu_unit,
    /// Made by Box::into_raw(). The library has a copy of this pointer, so that all others to the
    /// host come from it.
    host: *mut H,
    pub(crate) controls: sys::sysreg_controls,
}

// SAFETY: the unit is plain data, and what it points to is a host of its own; the library has no
// state. Not Sync: libvspe promises nothing about two calls at once.
unsafe impl<H: Host + Send> Send for Unit<H> {}

impl<H: Host> Drop for Unit<H> {
    fn drop(&mut self) {
        self.drop_pmu();
        // SAFETY: from Box::into_raw(); the library is not called any more.
        unsafe {
            drop(Box::from_raw(self.raw));
            drop(Box::from_raw(self.host));
        }
    }
}

impl<H: Host> Unit<H> {
    /// A unit as after a cold reset, of a PE with these controls.
    pub fn new(config: &Config, host: H, controls: Controls) -> Result<Unit<H>, Error> {
        config.check()?;
        let raw = sys::spe_unit { opaque: [0; sys::SPE_UNIT_SIZE as usize / 8] };
        let raw = Box::into_raw(Box::new(raw));
        let host = Box::into_raw(Box::new(host));
        let controls_of_reset = sys::sysreg_controls::default();
        let mut unit = Unit { raw, pmu: ptr::null_mut(), host, controls: controls_of_reset };
        // SAFETY: the unit has this size; config and table are copied. The host lives until drop().
        let code = unsafe {
            let size = mem::size_of::<sys::spe_unit>();
            sys::spe_init(unit.raw, size, &config.0, &table(host))
        };
        Error::check(code, None)?;
        unit.set_controls(controls);
        Ok(unit)
    }

    /// The host.
    pub fn host(&self) -> &H {
        // SAFETY: it lives as long as the unit; with &self no call into the library that could
        // reach it is possible.
        unsafe { &*self.host }
    }

    /// The host.
    pub fn host_mut(&mut self) -> &mut H {
        // SAFETY: as host().
        unsafe { &mut *self.host }
    }

    /// The configuration that the unit was made with.
    pub fn config(&self) -> Config {
        // SAFETY: in the unit, which was set up.
        Config(unsafe { *sys::spe_unit_config(self.raw) })
    }

    /// What the PE's controls are, as was said last.
    pub fn controls(&self) -> Controls {
        let c = &self.controls;
        Controls {
            features: c.features,
            el: c.el,
            aarch32: c.aarch32,
            halted: c.halted,
            edscr_sdd: c.edscr_sdd,
            el3_trap_has_priority_sdd: c.el3_trap_has_priority_sdd,
            hcr_el2: c.hcr_el2,
            mdcr_el2: c.mdcr_el2,
            mdcr_el3: c.mdcr_el3,
            scr_el3: c.scr_el3,
            hdfgrtr_el2: c.hdfgrtr_el2,
            hdfgwtr_el2: c.hdfgwtr_el2,
            hdfgrtr2_el2: c.hdfgrtr2_el2,
            hdfgwtr2_el2: c.hdfgwtr2_el2,
        }
    }

    /// Tell of the PE's controls, after any change: before the next operation, and before the next
    /// access to a register of the unit. The budget and the lines may be others then.
    pub fn set_controls(&mut self, controls: Controls) {
        // SAFETY: the unit was set up.
        let (pmscr_el1, pmscr_el2) = unsafe {
            (
                sys::spe_read(self.raw, sys::SYSREG_PMSCR_EL1),
                sys::spe_read(self.raw, sys::SYSREG_PMSCR_EL2),
            )
        };
        self.controls = sys::sysreg_controls {
            features: controls.features & features::OF_PE | self.config().features(),
            el: controls.el & 3,
            aarch32: controls.aarch32,
            halted: controls.halted,
            edscr_sdd: controls.edscr_sdd,
            el3_trap_has_priority_sdd: controls.el3_trap_has_priority_sdd,
            hcr_el2: controls.hcr_el2,
            mdcr_el2: controls.mdcr_el2,
            mdcr_el3: controls.mdcr_el3,
            scr_el3: controls.scr_el3,
            hdfgrtr_el2: controls.hdfgrtr_el2,
            hdfgwtr_el2: controls.hdfgwtr_el2,
            hdfgrtr2_el2: controls.hdfgrtr2_el2,
            hdfgwtr2_el2: controls.hdfgwtr2_el2,
            pmscr_el1,
            pmscr_el2,
        };
        // SAFETY: controls are copied.
        unsafe { sys::spe_update(self.raw, &self.controls) };
        self.pmu_update();
    }

    /// Where an access would land, without making it.
    pub fn route(&self, register: Register, write: bool, rt: u8) -> Route<Register> {
        let access = sys::sysreg_access { reg: register as u32, write, rt };
        // SAFETY: a function of its arguments.
        let route = unsafe { sys::sysreg_route(&self.controls, access) };
        let reached = Register::ALL.get(route.reg as usize).copied().unwrap_or(register);
        Route::of(route, reached)
    }

    fn access(&mut self, reg: Register, write: bool, rt: u8, value: &mut u64) -> sys::sysreg_route {
        let access = sys::sysreg_access { reg: reg as u32, write, rt };
        // SAFETY: the unit was set up; the pointers are valid for the call.
        unsafe { sys::spe_access(self.raw, &mut self.controls, access, value) }
    }

    /// A guest's MRS. `rt` is the Xt of the instruction, 0 to 31, for the syndrome of a trap.
    pub fn read(&mut self, register: Register, rt: u8) -> Route<u64> {
        let mut value = 0;
        let route = self.access(register, false, rt, &mut value);
        Route::of(route, value)
    }

    /// A guest's MSR. After it the budget and the lines may be others.
    pub fn write(&mut self, register: Register, rt: u8, mut value: u64) -> Route<()> {
        let route = self.access(register, true, rt, &mut value);
        Route::of(route, ())
    }

    /// Warm reset. The PE's controls stay as they are, until [`set_controls`](Unit::set_controls).
    pub fn reset(&mut self) {
        // SAFETY: the unit was set up.
        unsafe { sys::spe_reset(self.raw) };
        self.pmu_reset();
        self.set_controls(self.controls());
    }

    /// Members of the population up to and including the next selection; `None` while profiling is
    /// disabled. Ask again after each selection and after every other call that takes `&mut self`.
    pub fn budget(&self) -> Option<u64> {
        // SAFETY: the unit was set up, as for all that follow.
        Some(unsafe { sys::spe_budget(self.raw) }).filter(|&budget| budget != u64::MAX)
    }

    /// The fewest members between two selections.
    pub fn spacing_min(&self) -> u64 {
        // SAFETY: as budget().
        unsafe { sys::spe_spacing_min(self.raw) }
    }

    /// Members from one selection to the next, where that is certain.
    pub fn spacing_fixed(&self) -> Option<u64> {
        // SAFETY: as budget().
        Some(unsafe { sys::spe_spacing_fixed(self.raw) }).filter(|&spacing| spacing != 0)
    }

    /// Bytes that records can still take before one fills the buffer. `u64::MAX` in Discard mode.
    pub fn room(&self) -> u64 {
        // SAFETY: as budget().
        unsafe { sys::spe_room(self.raw) }
    }

    /// Is an operation with these [`flags`](crate::flags) a member of the population?
    pub fn member(&self, flags: u32) -> bool {
        // SAFETY: as budget().
        unsafe { sys::spe_member(self.raw, flags) }
    }

    /// `n` members have passed; more than the budget are cut to it.
    pub fn advance(&mut self, n: u64) -> Selection {
        if n == 0 {
            return Selection::NotSelected;
        }
        // SAFETY: as budget().
        match unsafe { sys::spe_advance(self.raw, n) } {
            sys::SPE_SELECTED => Selection::Selected,
            sys::SPE_COLLIDED => Selection::Collided,
            _ => Selection::NotSelected,
        }
    }

    /// The oldest selected operation has finished: filter it, and write its record. Nothing happens
    /// if none was selected.
    pub fn sample(&mut self, op: &Op) {
        let raw = self.raw;
        op.with_one(|op| {
            // SAFETY: the unit was set up, and the operation is there for the call.
            unsafe { sys::spe_sample(raw, op) }
        });
    }

    /// Each of these operations was selected, and has finished: the first `members` after the last
    /// one told of, and the others [`spacing_fixed`](Unit::spacing_fixed) apart.
    pub fn sample_spaced(&mut self, members: u64, ops: &[&Op]) -> Result<(), NotFixed> {
        if ops.len() > 1 && self.spacing_fixed().is_none() {
            return Err(NotFixed);
        }
        if members == 0 || ops.is_empty() {
            return Ok(());
        }
        let raw = self.raw;
        Op::with_raw(ops, |ops| {
            // SAFETY: as sample().
            unsafe { sys::spe_sample_spaced(raw, members, ops.as_ptr(), ops.len()) }
        });
        Ok(())
    }

    /// The oldest selected operation will not be sampled after all.
    pub fn abandon(&mut self) {
        // SAFETY: as budget().
        unsafe { sys::spe_abandon(self.raw) }
    }

    /// The newest selected operation collided with others, and will not be sampled.
    pub fn collide(&mut self) {
        // SAFETY: as budget().
        unsafe { sys::spe_collide(self.raw) }
    }

    /// PSB CSYNC.
    pub fn synchronize(&mut self) {
        // SAFETY: as budget().
        unsafe { sys::spe_synchronize(self.raw) }
    }

    /// The program flow went to a target; only a configuration with `pbt` needs to hear of it.
    pub fn branch(&mut self, kind: BranchKind, target: &Target) {
        let target =
            sys::spe_target { va: target.va, el: target.el & 3, ns: target.ns, nse: target.nse };
        // SAFETY: the target is there for the call.
        unsafe { sys::spe_branch(self.raw, kind as u32, &target) }
    }

    /// Could [`branch`](Unit::branch) make a difference now?
    pub fn follows_branches(&self) -> bool {
        // SAFETY: as budget().
        unsafe { sys::spe_follows_branches(self.raw) }
    }

    /// The counter that [`Op::timestamp`](Op) needs for an operation selected here and now.
    pub fn timestamp_kind(&self) -> Timestamp {
        // SAFETY: as budget().
        let kind = unsafe { sys::spe_timestamp_kind(self.raw) };
        Timestamp::ALL.get(kind as usize).copied().unwrap_or(Timestamp::None)
    }

    /// Is profiling enabled where the PE is now?
    pub fn enabled(&self) -> bool {
        // SAFETY: as budget().
        unsafe { sys::spe_enabled(self.raw) }
    }

    /// The Exception level that owns the buffer, 1 or 2.
    pub fn owning_el(&self) -> u32 {
        // SAFETY: as budget().
        unsafe { sys::spe_owning_el(self.raw) }
    }

    /// Level of the buffer management interrupt, PMBIRQ.
    pub fn irq_level(&self) -> bool {
        // SAFETY: as budget().
        unsafe { sys::spe_irq_level(self.raw) }
    }

    /// The Profiling exception that is pending and not masked, and the Exception level that it is
    /// taken to. `pm` is PSTATE.PM.
    pub fn exception(&self, pm: bool) -> Option<(u32, Syndrome)> {
        let mut syndrome = sys::spe_syndrome { ec: 0, iss: 0 };
        // SAFETY: the syndrome is there for the call.
        let el = unsafe { sys::spe_exception_level(self.raw, pm, &mut syndrome) };
        (el != 0).then(|| (el, Syndrome::of(syndrome)))
    }

    /// The exception to EL2 that PSB CSYNC is trapped with here, if it is.
    pub fn psb_csync_trapped(&self, hfgitr_el2: u64) -> Option<Syndrome> {
        let mut syndrome = sys::spe_syndrome { ec: 0, iss: 0 };
        // SAFETY: the syndrome is there for the call.
        let trapped = unsafe { sys::spe_psb_csync_trapped(self.raw, hfgitr_el2, &mut syndrome) };
        trapped.then(|| Syndrome::of(syndrome))
    }

    /// Which counters of a PMU with this PMCR_EL0 are frozen: bit 0 those below MDCR_EL2.HPMN and
    /// PMICNTR_EL0, bit 1 the others, bit 2 PMCCNTR_EL0.
    pub fn pmu_frozen(&self, pmcr_el0: u64) -> u32 {
        // SAFETY: as budget().
        unsafe { sys::spe_pmu_frozen(self.raw, pmcr_el0) }
    }

    /// What the unit has counted since it was made.
    pub fn stats(&self) -> Stats {
        let mut stats = Stats::default();
        // SAFETY: the library fills in what the pointer is to.
        unsafe { sys::spe_stats(self.raw, &mut stats) };
        stats
    }

    /// Everything that makes what follows the same, in bytes that are the same on every host.
    pub fn save(&self) -> Vec<u8> {
        // SAFETY: with a size of 0 nothing is written.
        let size = unsafe { sys::spe_save(self.raw, ptr::null_mut(), 0) };
        let mut image = vec![0; size];
        // SAFETY: size bytes may be written.
        let saved = unsafe { sys::spe_save(self.raw, image.as_mut_ptr().cast(), image.len()) };
        debug_assert_eq!(saved, size);
        image
    }

    /// Bring back what [`save`](Unit::save) saved from a unit of the same configuration (but for
    /// `seed`), on a PE with these controls. The image need not be trusted. After an error nothing
    /// has changed.
    pub fn restore(&mut self, image: &[u8], controls: Controls) -> Result<(), Error> {
        let mut field = ptr::null();
        let bytes = image.as_ptr().cast();
        // SAFETY: the image has this many bytes.
        let code = unsafe { sys::spe_restore(self.raw, bytes, image.len(), &mut field) };
        // SAFETY: field is what the library put there.
        Error::check(code, unsafe { crate::text(field) })?;
        self.set_controls(controls);
        Ok(())
    }
}

impl<H: Host> fmt::Debug for Unit<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Unit").field("controls", &self.controls).finish_non_exhaustive()
    }
}
