// SPDX-License-Identifier: BSD-2-Clause
//! The counter unit of a PE: C's `<vspe/pmu.h>`. It belongs to the [`Unit`] of the same PE, whose
//! events it counts, and by which its counters are frozen.
use crate::{text, Controls, Host, Route, Unit};
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use core::{fmt, mem, ptr};
use vspe_sys as sys;

/// ID_AA64DFR0_EL1.PMUVer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
#[repr(u32)]
pub enum Version {
    /// FEAT_PMUv3p1.
    V3p1 = sys::PMU_V3P1,
    /// FEAT_PMUv3p4.
    V3p4 = sys::PMU_V3P4,
    /// FEAT_PMUv3p5.
    V3p5 = sys::PMU_V3P5,
    /// FEAT_PMUv3p7.
    V3p7 = sys::PMU_V3P7,
    /// FEAT_PMUv3p8.
    V3p8 = sys::PMU_V3P8,
    /// FEAT_PMUv3p9.
    V3p9 = sys::PMU_V3P9,
}

/// What PE it is, and what its embedder counts: C's `struct pmu_config`, whose `el2`, `el3`, `sel2`
/// and `rme` are as [`Controls::features`] says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Config {
    /// The version.
    pub version: Version,
    /// Cycles are told; otherwise each operation that began is one.
    pub cycles: bool,
    /// Bit n: event n, 0x0000 to 0x003f, is told.
    pub events: u64,
    /// Events of any other number that are told; 0: none.
    pub more: [u16; sys::PMU_MORE_EVENTS as usize],
}

impl Config {
    /// Of a version, and nothing is told but operations.
    pub const fn new(version: Version) -> Config {
        Config { version, cycles: false, events: 0, more: [0; sys::PMU_MORE_EVENTS as usize] }
    }
}

/// What was executed: C's `struct pmu_step`, which describes the members.
pub use sys::pmu_step as Step;

/// An error of the counter unit: `PMU_E*` of `<vspe/pmu.h>`, and the field or value it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Error {
    /// The number, as in C, which is positive here.
    pub code: u32,
    /// The field of the configuration, or the value of an image (docs/state.md).
    pub field: Option<&'static str>,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(field) = self.field {
            write!(f, "{}: ", field)?;
        }
        // SAFETY: takes any number, and returns a string in static storage.
        let line = unsafe { text(sys::pmu_strerror(self.code as i32)) };
        f.write_str(line.unwrap_or("unknown error"))
    }
}

fn check(code: i32, field: Option<&'static str>) -> Result<(), Error> {
    if code == 0 {
        return Ok(());
    }
    Err(Error { code: code.unsigned_abs(), field })
}

/// A [`Unit`] has no PMU: [`Unit::add_pmu`] gives it one.
const NO_PMU: &str = "this PE has no PMU";

/// The counter unit. Each of these functions but `add_pmu` and `has_pmu` panics if there is none.
impl<H: Host> Unit<H> {
    /// Give the PE a PMU, as after a cold reset, in the place of the one that it may have. After an
    /// error nothing has changed.
    pub fn add_pmu(&mut self, config: &Config) -> Result<(), Error> {
        let features = self.controls().features;
        let raw_config = sys::pmu_config {
            version: config.version as u32,
            el2: features & sys::SYSREG_FEAT_EL2 != 0,
            el3: features & sys::SYSREG_FEAT_EL3 != 0,
            sel2: features & sys::SYSREG_FEAT_SEL2 != 0,
            rme: features & sys::SYSREG_FEAT_RME != 0,
            cycles: config.cycles,
            events: config.events,
            more: config.more,
        };
        let mut field = ptr::null();
        // SAFETY: both are there for the call.
        let code = unsafe { sys::pmu_config_check(&raw_config, &mut field) };
        // SAFETY: field is what the library put there.
        check(code, unsafe { text(field) })?;
        self.drop_pmu();
        self.pmu =
            Box::into_raw(Box::new(sys::pmu_unit { opaque: [0; sys::PMU_UNIT_SIZE as usize / 8] }));
        // SAFETY: the unit has this size, and lives as long as that of SPE, which was set up.
        let code = unsafe {
            let size = mem::size_of::<sys::pmu_unit>();
            sys::pmu_init(self.pmu, size, &raw_config, self.raw)
        };
        debug_assert_eq!(code, 0);
        self.pmu_update();
        Ok(())
    }

    pub(crate) fn drop_pmu(&mut self) {
        if self.pmu.is_null() {
            return;
        }
        // SAFETY: from Box::into_raw(). Until add_pmu() connects another one, SPE is not called.
        drop(unsafe { Box::from_raw(self.pmu) });
        self.pmu = ptr::null_mut();
    }

    /// Has the PE a PMU?
    pub fn has_pmu(&self) -> bool {
        !self.pmu.is_null()
    }

    fn the_pmu(&self) -> *mut sys::pmu_unit {
        assert!(self.has_pmu(), "{}", NO_PMU);
        self.pmu
    }

    pub(crate) fn pmu_update(&mut self) {
        if self.has_pmu() {
            // SAFETY: the unit was set up; controls are copied.
            unsafe { sys::pmu_update(self.pmu, &self.controls) }
        }
    }

    pub(crate) fn pmu_reset(&mut self) {
        if self.has_pmu() {
            // SAFETY: the unit was set up.
            unsafe { sys::pmu_reset(self.pmu) }
        }
    }

    /// Operations up to and including the first that may make a counter overflow by being counted.
    /// `None`: no counter counts them here.
    pub fn pmu_budget(&self) -> Option<u64> {
        // SAFETY: the unit was set up, as for all that follow.
        Some(unsafe { sys::pmu_budget(self.the_pmu()) }).filter(|&budget| budget != u64::MAX)
    }

    /// What was executed, before [`sample`](Unit::sample) of it.
    pub fn pmu_advance(&mut self, step: &Step) {
        // SAFETY: as pmu_budget().
        unsafe { sys::pmu_advance(self.the_pmu(), step) }
    }

    /// An event happened so many times.
    pub fn pmu_event(&mut self, event: u16, count: u64) {
        // SAFETY: as pmu_budget().
        unsafe { sys::pmu_event(self.the_pmu(), event, count) }
    }

    /// The events of [`Config::events`] that a counter counts here.
    pub fn pmu_wanted(&self) -> u64 {
        // SAFETY: as pmu_budget().
        unsafe { sys::pmu_wanted(self.the_pmu()) }
    }

    /// Level of the overflow interrupt, PMUIRQ.
    pub fn pmu_irq_level(&self) -> bool {
        // SAFETY: as pmu_budget().
        unsafe { sys::pmu_irq_level(self.the_pmu()) }
    }

    fn pmu_access(&mut self, at: u32, write: bool, rt: u8, value: &mut u64) -> sys::sysreg_route {
        // SAFETY: as pmu_budget(); the pointers are valid for the call.
        unsafe { sys::pmu_access(self.the_pmu(), &self.controls, at, write, rt, value) }
    }

    /// A guest's MRS of a register of the PMU, by its encoding (C's `sysreg_encode()`).
    pub fn pmu_read(&mut self, encoding: u32, rt: u8) -> Route<u64> {
        let mut value = 0;
        let route = self.pmu_access(encoding, false, rt, &mut value);
        Route::of(route, value)
    }

    /// A guest's MSR.
    pub fn pmu_write(&mut self, encoding: u32, rt: u8, mut value: u64) -> Route<()> {
        let route = self.pmu_access(encoding, true, rt, &mut value);
        Route::of(route, ())
    }

    /// The counter unit, in bytes that are the same on every host.
    pub fn pmu_save(&self) -> Vec<u8> {
        let mut image = vec![0; sys::PMU_IMAGE_MAX as usize];
        // SAFETY: as many bytes may be written.
        let size = unsafe { sys::pmu_save(self.the_pmu(), image.as_mut_ptr().cast(), image.len()) };
        image.truncate(size);
        image
    }

    /// Bring back what [`pmu_save`](Unit::pmu_save) saved from a unit of the same configuration, on
    /// a PE with these controls. The image need not be trusted. After an error nothing has changed.
    pub fn pmu_restore(&mut self, image: &[u8], controls: Controls) -> Result<(), Error> {
        let mut field = ptr::null();
        // SAFETY: the image has this many bytes.
        let code = unsafe {
            sys::pmu_restore(self.the_pmu(), image.as_ptr().cast(), image.len(), &mut field)
        };
        // SAFETY: field is what the library put there.
        check(code, unsafe { text(field) })?;
        self.set_controls(controls);
        Ok(())
    }
}

/// Is it the encoding of a register of the PMU?
pub fn is_register(encoding: u32) -> bool {
    // SAFETY: a function of its argument.
    unsafe { sys::pmu_is_register(encoding) }
}

/// ID_AA64DFR0_EL1.PMUVer and ID_AA64DFR1_EL1.PMICNTR, in their places.
pub fn id_registers(version: Version) -> (u64, u64) {
    let config = sys::pmu_config { version: version as u32, ..Default::default() };
    // SAFETY: functions of their argument.
    unsafe { (sys::pmu_config_id_aa64dfr0(&config), sys::pmu_config_id_aa64dfr1(&config)) }
}
