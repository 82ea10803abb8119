// SPDX-License-Identifier: BSD-2-Clause
//! Arm's Statistical Profiling Extension (FEAT_SPE) for the virtual PEs of a hypervisor or an
//! emulator: libvspe, from Rust.
//!
//! The library has no CPU. Yours runs the guest and tells the [`Unit`] what it does: the unit
//! answers accesses to the PMS\* and PMB\* registers, counts operations, and makes records, which
//! your [`Host`] puts into the guest's memory.
//!
//! ```
//! use vspe::{Config, Controls, Fault, Host, Op, Register, Route, Selection, Unit};
//! use vspe::{Version, WriteError};
//!
//! const BUFFER: u64 = 0x10000; // the guest's address of its profiling buffer
//!
//! struct Memory(Vec<u8>);
//!
//! impl Host for Memory {
//!     fn write(&mut self, _owning_el: u8, va: u64, bytes: &[u8]) -> Result<(), WriteError> {
//!         let fault = Fault::Mmu { fsc: 0x07, stage2: false, mss2: 0 }; // translation, level 3
//!         let fault = WriteError { written: 0, fault };
//!         let at = va.checked_sub(BUFFER).ok_or(fault)? as usize;
//!         let end = at.checked_add(bytes.len()).ok_or(fault)?;
//!         self.0.get_mut(at..end).ok_or(fault)?.copy_from_slice(bytes);
//!         Ok(())
//!     }
//! }
//!
//! let config = Config::new(Version::V1p2);
//! let controls = Controls { el: 1, ..Controls::default() }; // the PE is at EL1
//! let mut unit = Unit::new(&config, Memory(vec![0; 0x1000]), controls)?;
//!
//! // What a driver in the guest does: a buffer, an interval of 1024, EL1 with timestamps.
//! for (register, value) in [
//!     (Register::PmbptrEl1, BUFFER),
//!     (Register::PmblimitrEl1, (BUFFER + 0x1000) | 1),
//!     (Register::PmsirrEl1, 4 << 8),
//!     (Register::PmscrEl1, 1 << 1 | 1 << 5),
//! ] {
//!     match unit.write(register, 0, value) {
//!         Route::Direct(()) => {}
//!         Route::Undefined => unreachable!("an UNDEFINED exception for the guest"),
//!         Route::Trap { target_el, .. } => unreachable!("an exception to EL{target_el}"),
//!         Route::NvMem { offset } => unreachable!("an access to VNCR_EL2.BADDR + {offset:#x}"),
//!     }
//! }
//!
//! // What the guest does: 3000 loads, in a loop of eight.
//! for n in 0..3000 {
//!     if unit.advance(1) == Selection::Selected {
//!         let mut op = Op::load(0xffff_8000_0800_0000 + n % 8 * 4, 0xffff_8000_1000_0000 + n * 8);
//!         op.timestamp = n;
//!         op.events = vspe::events::RETIRED;
//!         op.total_latency = 12;
//!         unit.sample(&op);
//!     }
//! }
//! assert_eq!(unit.read(Register::PmbptrEl1, 0), Route::Direct(BUFFER + 128));
//! assert_eq!(unit.stats().records, 2);
//! assert_eq!(unit.host().0[0..3], [0x98, 12, 0]); // a Counter packet: total latency of 12 cycles
//! # Ok::<(), vspe::Error>(())
//! ```
//!
//! An engine that can run many operations at a stroke asks [`Unit::budget`] how many. The library's
//! guide for embedders, docs/embedding.md, tells of the rest; names are those of C.
//!
//! # Features
//!
//! - `std`, on by default: [`Error`] and its kin are [`std::error::Error`]. Without it the crate is
//!   `no_std` and needs `alloc`.
//! - `vendored`: libvspe is compiled from the sources that come with the crate, by the C compiler of
//!   the target, and no installed library is looked for.
//!
//! The crate panics on no value that a guest can bring.
#![no_std]
#![deny(unsafe_op_in_unsafe_fn, missing_docs, clippy::undocumented_unsafe_blocks)]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

pub mod a64;
mod config;
pub mod decode;
mod error;
mod host;
mod op;
pub mod pmu;
mod register;
mod unit;

pub use config::{
    cores, Config, Core, EmptyFilter, ExternalAbort, HighAddress, IntervalZero, LateRecord, Layout,
    Oversize, Partial, Pointer, Population, Reload, ReservedNspb, Version,
};
pub use error::{Error, ErrorKind};
pub use host::{AddressKind, BranchKind, Fault, Host, Misuse, Timestamp, Untranslated, WriteError};
pub use op::{events, flags, Extra, Op};
pub use register::{features, Controls, Register, Route};
pub use unit::{NotFixed, Selection, Stats, Syndrome, Target, Unit};

/// The version of the library that is there when the program runs: 8 bits each of major, minor and
/// patch, the patch lowest.
pub fn library_version() -> u32 {
    // SAFETY: it takes nothing and does nothing.
    unsafe { vspe_sys::vspe_version() }
}

/// A string of the library; `None` for NULL.
///
/// # Safety
/// `string` is NULL, or in static storage and ends with a NUL.
unsafe fn text(string: *const vspe_sys::ctypes::c_char) -> Option<&'static str> {
    if string.is_null() {
        return None;
    }
    let mut length = 0;
    // SAFETY: the string goes on until its NUL.
    while unsafe { *string.add(length) } != 0 {
        length += 1;
    }
    // SAFETY: as many bytes are there.
    let bytes = unsafe { core::slice::from_raw_parts(string.cast::<u8>(), length) };
    core::str::from_utf8(bytes).ok()
}
