// SPDX-License-Identifier: BSD-2-Clause
//! The system registers of FEAT_SPE, and where an access to one lands.
use crate::config::enumerations;
use crate::text;
use vspe_sys as sys;

enumerations! {
    /// A system register of FEAT_SPE.
    Register {
        PmscrEl1 = SYSREG_PMSCR_EL1, PmsnevfrEl1 = SYSREG_PMSNEVFR_EL1,
        PmsicrEl1 = SYSREG_PMSICR_EL1, PmsirrEl1 = SYSREG_PMSIRR_EL1,
        PmsfcrEl1 = SYSREG_PMSFCR_EL1, PmsevfrEl1 = SYSREG_PMSEVFR_EL1,
        PmslatfrEl1 = SYSREG_PMSLATFR_EL1, PmsidrEl1 = SYSREG_PMSIDR_EL1,
        PmblimitrEl1 = SYSREG_PMBLIMITR_EL1, PmbptrEl1 = SYSREG_PMBPTR_EL1,
        PmbsrEl1 = SYSREG_PMBSR_EL1, PmsdsfrEl1 = SYSREG_PMSDSFR_EL1,
        PmbmarEl1 = SYSREG_PMBMAR_EL1, PmbidrEl1 = SYSREG_PMBIDR_EL1,
        PmscrEl2 = SYSREG_PMSCR_EL2, PmbsrEl2 = SYSREG_PMBSR_EL2,
        PmscrEl12 = SYSREG_PMSCR_EL12, PmbsrEl12 = SYSREG_PMBSR_EL12,
        PmbsrEl3 = SYSREG_PMBSR_EL3,
    }
}

// A register that C has and this table has not does not compile.
const _: () = assert!(Register::ALL.len() == sys::SYSREG_COUNT as usize);

impl Register {
    pub(crate) fn of(id: u32) -> Option<Register> {
        Register::ALL.get(id as usize).copied()
    }

    /// Its name as the Arm ARM spells it.
    pub fn name(self) -> &'static str {
        // SAFETY: any number is good; a string in static storage comes back, or NULL.
        unsafe { text(sys::sysreg_name(self as u32)) }.unwrap_or("")
    }

    /// op0:op1:CRn:CRm:op2, as bits \[20:5\] of an MRS or MSR have it, with o0 as op0\[0\].
    pub fn encoding(self) -> u32 {
        // SAFETY: a function of its argument.
        unsafe { sys::sysreg_encoding(self as u32) }
    }

    /// Has it an MSR accessor?
    pub fn writable(self) -> bool {
        // SAFETY: a function of its argument.
        unsafe { sys::sysreg_writable(self as u32) }
    }

    /// The register of an [`encoding`](Register::encoding); `None` if it is none of SPE's.
    pub fn from_encoding(encoding: u32) -> Option<Register> {
        // SAFETY: any number is good.
        Register::of(unsafe { sys::sysreg_find(encoding) })
    }

    /// The register of an MRS or MSR, by its word.
    ///
    /// ```
    /// use vspe::Register;
    /// assert_eq!(Register::from_word(0xd5189900), Some(Register::PmscrEl1)); // msr pmscr_el1, x0
    /// ```
    pub fn from_word(word: u32) -> Option<Register> {
        // An encoding does not say that the word is an MRS or MSR (register): bits [31:20] do.
        if word & 0xffd0_0000 != 0xd510_0000 {
            return None;
        }
        // SAFETY: a function of its argument.
        Register::from_encoding(unsafe { sys::sysreg_encoding_of_word(word) })
    }

    /// The register of a trapped access, by ESR_ELx.ISS (EC 0x18). Bits \[9:5\] of it are Rt, and
    /// bit 0 is 1 for an MRS.
    pub fn from_iss(iss: u32) -> Option<Register> {
        // SAFETY: a function of its argument.
        Register::from_encoding(unsafe { sys::sysreg_encoding_of_iss(iss) })
    }
}

/// What of the PE decides about accesses and about "is profiling enabled here". Keep it equal to
/// the PE's registers: [`Unit::set_controls`](crate::Unit::set_controls).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Controls {
    /// Features of the PE, `FEAT_*` of [`features`]; the unit adds those of SPE.
    pub features: u32,
    /// PSTATE.EL, 0 to 3.
    pub el: u8,
    /// The PE is in AArch32 state.
    pub aarch32: bool,
    /// In Debug state.
    pub halted: bool,
    /// EDSCR.SDD.
    pub edscr_sdd: bool,
    /// IMPLEMENTATION DEFINED: EL3 traps win with EDSCR.SDD.
    pub el3_trap_has_priority_sdd: bool,
    /// HCR_EL2.
    pub hcr_el2: u64,
    /// MDCR_EL2.
    pub mdcr_el2: u64,
    /// MDCR_EL3.
    pub mdcr_el3: u64,
    /// SCR_EL3.
    pub scr_el3: u64,
    /// HDFGRTR_EL2.
    pub hdfgrtr_el2: u64,
    /// HDFGWTR_EL2.
    pub hdfgwtr_el2: u64,
    /// HDFGRTR2_EL2.
    pub hdfgrtr2_el2: u64,
    /// HDFGWTR2_EL2.
    pub hdfgwtr2_el2: u64,
}

/// Bits of [`Controls::features`], but for those of SPE itself, which the configuration decides.
pub mod features {
    use vspe_sys as sys;
    /// FEAT_FGT.
    pub const FGT: u32 = sys::SYSREG_FEAT_FGT;
    /// FEAT_FGT2.
    pub const FGT2: u32 = sys::SYSREG_FEAT_FGT2;
    /// FEAT_VHE.
    pub const VHE: u32 = sys::SYSREG_FEAT_VHE;
    /// FEAT_NV.
    pub const NV: u32 = sys::SYSREG_FEAT_NV;
    /// FEAT_NV2.
    pub const NV2: u32 = sys::SYSREG_FEAT_NV2;
    /// FEAT_RME.
    pub const RME: u32 = sys::SYSREG_FEAT_RME;
    /// FEAT_SEL2.
    pub const SEL2: u32 = sys::SYSREG_FEAT_SEL2;
    /// EL2 is implemented.
    pub const EL2: u32 = sys::SYSREG_FEAT_EL2;
    /// EL3 is implemented.
    pub const EL3: u32 = sys::SYSREG_FEAT_EL3;
    /// Without EL3: the PE is in Secure state.
    pub const SECURE: u32 = sys::SYSREG_FEAT_SECURE;
    /// All of the above.
    pub(crate) const OF_PE: u32 = FGT | FGT2 | VHE | NV | NV2 | RME | SEL2 | EL2 | EL3 | SECURE;
}

/// Where an access lands: on a register, with what came of it, or elsewhere, which is for the
/// embedder to carry out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[must_use]
pub enum Route<T> {
    /// It is done. A read has the value, a write nothing.
    Direct(T),
    /// The instruction is UNDEFINED.
    Undefined,
    /// An exception to `target_el` (2 or 3, of the PMU 1 too), with EC 0x18 and this ISS.
    Trap {
        /// The Exception level that it is taken to.
        target_el: u8,
        /// ESR_ELx.ISS.
        syndrome: u32,
    },
    /// A 64-bit access to memory, at VNCR_EL2.BADDR and so many bytes, below 4096.
    NvMem {
        /// Bytes from VNCR_EL2.BADDR on.
        offset: u16,
    },
}

impl<T> Route<T> {
    /// `done` is what came of it where it is direct.
    pub(crate) fn of(route: sys::sysreg_route, done: T) -> Route<T> {
        match route.kind {
            sys::SYSREG_DIRECT | sys::SYSREG_RAZ_WI => Route::Direct(done),
            sys::SYSREG_TRAP => {
                Route::Trap { target_el: route.target_el, syndrome: route.syndrome }
            }
            sys::SYSREG_NVMEM => Route::NvMem { offset: route.nvmem_offset },
            _ => Route::Undefined,
        }
    }

    /// What came of a direct access.
    pub fn direct(self) -> Option<T> {
        match self {
            Route::Direct(done) => Some(done),
            _ => None,
        }
    }
}
