// SPDX-License-Identifier: BSD-2-Clause
//! An operation that has finished, as the engine saw it.
use alloc::vec::Vec;
use vspe_sys as sys;

/// Bits of [`Op::flags`](Op): what the operation turned out to be and do.
pub mod flags {
    use vspe_sys as sys;
    /// A branch or exception return.
    pub const BRANCH: u32 = sys::SPE_OP_BRANCH;
    /// A load, or an atomic that returns a value.
    pub const LOAD: u32 = sys::SPE_OP_LOAD;
    /// A store, or any atomic.
    pub const STORE: u32 = sys::SPE_OP_STORE;
    /// Floating point.
    pub const FP: u32 = sys::SPE_OP_FP;
    /// SIMD.
    pub const SIMD: u32 = sys::SPE_OP_SIMD;
    /// The branch was taken: `target` is valid.
    pub const TAKEN: u32 = sys::SPE_OP_TAKEN;
    /// Conditional, and its condition failed.
    pub const NOT_TAKEN: u32 = sys::SPE_OP_NOT_TAKEN;
    /// `data_va` is valid: it made an eligible data access.
    pub const VA_VALID: u32 = sys::SPE_OP_VA_VALID;
    /// `data_pa` is valid.
    pub const PA_VALID: u32 = sys::SPE_OP_PA_VALID;
    /// On a path that is not architecturally executed.
    pub const MISSPECULATED: u32 = sys::SPE_OP_MISSPECULATED;
    /// Relates to no architecture instruction.
    pub const NO_INSTRUCTION: u32 = sys::SPE_OP_NO_INSTRUCTION;
    /// Generated a non-architectural exception.
    pub const NON_ARCH_EXCEPTION: u32 = sys::SPE_OP_NON_ARCH_EXCEPTION;
    /// Its data access was checked against `tag` (FEAT_MTE2).
    pub const TAG_CHECKED: u32 = sys::SPE_OP_TAG_CHECKED;
    /// `data_pa` is Non-secure, whatever `ns` and `nse` say.
    pub const PA_NON_SECURE: u32 = sys::SPE_OP_PA_NON_SECURE;
}

/// Bits of [`Op::events`](Op) that have one meaning in every version.
pub mod events {
    use vspe_sys as sys;
    /// It generated an exception.
    pub const EXCEPTION: u64 = sys::SPE_EVENT_EXCEPTION as u64;
    /// It was architecturally executed.
    pub const RETIRED: u64 = sys::SPE_EVENT_RETIRED as u64;
    /// Level 1 data cache access.
    pub const L1D_ACCESS: u64 = sys::SPE_EVENT_L1D_ACCESS as u64;
    /// Level 1 data cache refill.
    pub const L1D_REFILL: u64 = sys::SPE_EVENT_L1D_REFILL as u64;
    /// TLB access.
    pub const TLB_ACCESS: u64 = sys::SPE_EVENT_TLB_ACCESS as u64;
    /// TLB walk.
    pub const TLB_REFILL: u64 = sys::SPE_EVENT_TLB_REFILL as u64;
    /// Mispredicted.
    pub const MISPREDICTED: u64 = sys::SPE_EVENT_MISPREDICTED as u64;
}

/// A counter or address packet that the architecture leaves to the implementation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extra {
    /// An address; else a counter, which saturates.
    pub address: bool,
    /// 6, 7 and 16 to 31. Packets of other indexes are not put into a record.
    pub index: u8,
    /// The value.
    pub value: u64,
}

macro_rules! operation {
    ($($(#[$doc:meta])* $name:ident: $type:ty,)*) => {
        /// An operation that has finished. The members have the names of C's `struct spe_op`.
        ///
        /// [`Op::other`] and its kin make one at EL1 in Non-secure state, to begin with; the
        /// default is one of zeros, which was executed at EL0 in Secure state.
        ///
        /// ```
        /// use vspe::{events, Op};
        /// let op = Op { events: events::RETIRED, total_latency: 12, ..Op::load(0x8000, 0x1000) };
        /// ```
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub struct Op {
            $($(#[$doc])* pub $name: $type,)*
            /// Packets of one's own, counters first, each kind by rising index. What is beyond the
            /// configuration's `extra_packets` is left out.
            pub extra: Vec<Extra>,
        }

        impl Op {
            /// For C. `extra` has to be those of this operation, and outlive what comes back.
            fn raw(&self, extra: &[sys::spe_extra]) -> sys::spe_op {
                sys::spe_op {
                    $($name: self.$name,)*
                    extra_count: u8::try_from(extra.len()).unwrap_or(u8::MAX),
                    extra: extra.as_ptr(),
                }
            }

            /// Have C change it, but for packets of its own, which C is not shown.
            pub(crate) fn change<T>(&mut self, call: impl FnOnce(&mut sys::spe_op) -> T) -> T {
                let mut raw = self.raw(&[]);
                let result = call(&mut raw);
                $(self.$name = raw.$name;)*
                result
            }
        }
    };
}

operation! {
    /// Its address.
    pc: u64,
    /// Of a taken branch or exception return.
    target: u64,
    /// The virtual address of its data access.
    data_va: u64,
    /// The physical address.
    data_pa: u64,
    /// The counter that [`Unit::timestamp_kind`](crate::Unit::timestamp_kind) says.
    timestamp: u64,
    /// [`events`]: bits of the Events packet; bit 6 comes from the flags.
    events: u64,
    /// CONTEXTIDR_EL1.
    contextidr_el1: u32,
    /// CONTEXTIDR_EL2.
    contextidr_el2: u32,
    /// [`flags`].
    flags: u32,
    /// In cycles.
    total_latency: u16,
    /// In cycles.
    issue_latency: u16,
    /// In cycles.
    translation_latency: u16,
    /// To issue, in cycles of the alternate clock.
    alternate_latency: u16,
    /// Of a load that has a `data_va`.
    data_source: u16,
    /// Header of the Operation Type packet: 0x48 other, 0x49 memory, 0x4a branch.
    type_header: u8,
    /// Its payload (D18.2.7).
    type_payload: u8,
    /// Exception level that it executed at.
    el: u8,
    /// Exception level after a branch or exception return.
    target_el: u8,
    /// Security state that it executed in.
    ns: bool,
    /// Security state that it executed in, with FEAT_RME.
    nse: bool,
    /// Security state after a branch.
    target_ns: bool,
    /// Security state after a branch, with FEAT_RME.
    target_nse: bool,
    /// Physical address tag, 4 bits (FEAT_MTE2).
    tag: u8,
}

impl Op {
    fn of(header: u32, pc: u64) -> Op {
        Op {
            pc,
            type_header: header as u8,
            el: 1,
            target_el: 1,
            ns: true,
            target_ns: true,
            ..Op::default()
        }
    }

    /// Neither memory nor branch.
    pub fn other(pc: u64) -> Op {
        Op::of(sys::SPE_TYPE_OTHER, pc)
    }

    /// A load of general registers.
    pub fn load(pc: u64, data_va: u64) -> Op {
        let flags = flags::LOAD | flags::VA_VALID;
        Op { data_va, flags, ..Op::of(sys::SPE_TYPE_MEMORY, pc) }
    }

    /// A store of general registers.
    pub fn store(pc: u64, data_va: u64) -> Op {
        let flags = flags::STORE | flags::VA_VALID;
        let type_payload = sys::SPE_TYPE_STORE as u8;
        Op { data_va, flags, type_payload, ..Op::of(sys::SPE_TYPE_MEMORY, pc) }
    }

    /// A direct branch that was taken.
    pub fn branch(pc: u64, target: u64) -> Op {
        Op { target, flags: flags::BRANCH | flags::TAKEN, ..Op::of(sys::SPE_TYPE_BRANCH, pc) }
    }

    /// Its own packets, for C: no more than a record can have.
    fn raw_extra(&self) -> Vec<sys::spe_extra> {
        let raw = |e: &Extra| sys::spe_extra { address: e.address, index: e.index, value: e.value };
        self.extra.iter().take(sys::SPE_EXTRA_MAX as usize).map(raw).collect()
    }

    /// Call with these operations as C has them.
    pub(crate) fn with_raw<T>(ops: &[&Op], call: impl FnOnce(&[*const sys::spe_op]) -> T) -> T {
        let extra: Vec<Vec<sys::spe_extra>> = ops.iter().map(|op| op.raw_extra()).collect();
        let raw: Vec<sys::spe_op> = ops.iter().zip(&extra).map(|(op, e)| op.raw(e)).collect();
        let pointers: Vec<*const sys::spe_op> = raw.iter().map(|op| op as *const _).collect();
        call(&pointers)
    }

    /// The same with one, which takes no memory where it has no packets of its own.
    pub(crate) fn with_one<T>(&self, call: impl FnOnce(&sys::spe_op) -> T) -> T {
        let extra = self.raw_extra();
        call(&self.raw(&extra))
    }
}
