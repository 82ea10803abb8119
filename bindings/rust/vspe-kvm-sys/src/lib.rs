// SPDX-License-Identifier: BSD-2-Clause
//! The C interface of libvspe-kvm, as `<vspe/kvm.h>` declares it, which describes each function. It
//! is for arm64 Linux. Types of `<vspe/spe.h>` are those of `vspe_sys`.
//!
//! The declarations are bindgen's: `bindgen.sh` beside `Cargo.toml` makes them, and a test compares.
//! The build script finds both libraries where that of `vspe-sys` finds libvspe.
#![no_std]

pub use vspe_sys;

#[allow(non_camel_case_types, non_upper_case_globals, non_snake_case, clippy::all)]
#[rustfmt::skip]
mod bindings;
pub use bindings::*;
