// SPDX-License-Identifier: BSD-2-Clause
//! A64 instructions, as SPE sees them: C's `<vspe/a64.h>`, for an engine that does not decode them
//! anyway. It says which instructions the table has.
use crate::{Config, Op, Register};
use vspe_sys as sys;
use vspe_sys::ctypes::{c_uint, c_void};

/// The registers of a PE, as they are before an instruction executes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registers {
    /// X0 to X30, and the current stack pointer.
    pub x: [u64; 32],
    /// PSTATE.{N,Z,C,V}: N is bit 3, V is bit 0.
    pub nzcv: u8,
}

/// A data access, besides where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Access {
    /// Bytes of all registers together, 1 to 1024.
    pub size: u16,
    /// Bytes of one register or vector element: a power of two up to 16.
    pub element: u8,
    /// LDTR or STTR: with the permissions of EL0, if PSTATE.UAO is not set.
    pub unprivileged: bool,
}

/// What [`describe`] has found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Description {
    /// The table has the instruction. Otherwise it is described as "other", as an UNDEFINED one is.
    pub known: bool,
    /// Its data access, if it has one.
    pub access: Option<Access>,
}

/// Called by C with the ctx of [`describe`], and with n up to 31.
unsafe extern "C" fn read(ctx: *const c_void, n: c_uint) -> u64 {
    // SAFETY: ctx is the array that describe() was given.
    let x = unsafe { &*ctx.cast::<[u64; 32]>() };
    x.get(n as usize).copied().unwrap_or(0)
}

/// What the instruction `word` at `op.pc` is about to do, by the registers before it: type, flags,
/// `data_va` and target of `op` are set, and nothing else. C's header says what is left to the
/// caller: exceptions, and targets of exception returns and of branches that authenticate.
///
/// ```
/// use vspe::{a64, flags, Config, Op, Version};
/// let mut registers = a64::Registers { x: [0; 32], nzcv: 0 };
/// registers.x[1] = 0x1000;
/// let mut op = Op::other(0x8000);
/// // ldr x0, [x1, #8]
/// let found = a64::describe(&mut op, 0xf940_0420, &Config::new(Version::V1p2), &registers);
/// assert!(found.known);
/// assert_eq!(found.access.map(|access| access.size), Some(8));
/// assert_eq!((op.flags, op.data_va), (flags::LOAD | flags::VA_VALID, 0x1008));
/// ```
pub fn describe(op: &mut Op, word: u32, config: &Config, registers: &Registers) -> Description {
    let mut access = sys::a64_access::default();
    let with = sys::a64_registers {
        read: Some(read),
        ctx: registers.x.as_ptr().cast(),
        nzcv: registers.nzcv & 15,
        ..Default::default()
    };
    let known = op.change(|raw| {
        // SAFETY: all of it is there for the call, and ctx is what read() takes it for.
        unsafe { sys::a64_describe(raw, &mut access, word, &config.0, &with) }
    });
    let sys::a64_access { size, element, unprivileged } = access;
    let access = (size != 0).then(|| Access { size, element, unprivileged });
    Description { known, access }
}

/// An MRS, or an MSR (register), of a register of SPE or the PMU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SystemAccess {
    /// Which; `None`: one that is not of these, by [`Register::from_encoding`].
    pub register: Option<Register>,
    /// MSR.
    pub write: bool,
    /// The general register, 31 is XZR.
    pub rt: u8,
}

/// The access that the instruction `word` makes to a system register, if it is an MRS or an MSR
/// (register).
///
/// ```
/// use vspe::{a64, Register};
/// let access = a64::system_access(0xd518_9905).unwrap(); // msr pmscr_el1, x5
/// assert_eq!((access.register, access.write, access.rt), (Some(Register::PmscrEl1), true, 5));
/// assert_eq!(a64::system_access(0xd503_201f), None); // nop
/// ```
pub fn system_access(word: u32) -> Option<SystemAccess> {
    let mut access = sys::sysreg_access::default();
    // SAFETY: the access is there for the call.
    let is_one = unsafe { sys::a64_system_access(word, &mut access) };
    is_one.then(|| SystemAccess {
        register: Register::of(access.reg as u32),
        write: access.write,
        rt: access.rt,
    })
}
