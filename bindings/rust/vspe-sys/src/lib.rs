// SPDX-License-Identifier: BSD-2-Clause
//! The C interface of libvspe, as its headers declare it: `<vspe/spe.h>`, `<vspe/pmu.h>`, `<vspe/sysreg.h>`,
//! `<vspe/a64.h>` and `<vspe/version.h>`, which describe each function. The crate `vspe` is the safe
//! one.
//!
//! The declarations are bindgen's. `bindings/rust/bindgen.sh` makes them, and a test makes them
//! again and compares. Masks of fields (`SYSREG_PMSCR_EL1_TS_MASK`) are not there: `_LSB` and
//! `_WIDTH` tell them. Hosts are of 64 bits, as `unsigned long` is. The build script finds the library by pkg-config, or in `VSPE_LIB_DIR`;
//! `VSPE_STATIC=1` links `libvspe.a`.
#![no_std]

/// C's types. `core::ffi` has them from Rust 1.64 on only.
pub mod ctypes {
    #![allow(non_camel_case_types)]
    #[cfg(any(target_arch = "aarch64", target_arch = "arm", target_arch = "riscv64"))]
    pub type c_char = u8;
    #[cfg(not(any(target_arch = "aarch64", target_arch = "arm", target_arch = "riscv64")))]
    pub type c_char = i8;
    pub type c_uchar = u8;
    pub type c_ushort = u16;
    pub type c_int = i32;
    pub type c_uint = u32;
    pub type c_ulong = u64;
    pub use core::ffi::c_void;
}

#[allow(non_camel_case_types, non_upper_case_globals, non_snake_case, clippy::all)]
#[rustfmt::skip]
mod bindings;
pub use bindings::*;
