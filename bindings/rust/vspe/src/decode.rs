// SPDX-License-Identifier: BSD-2-Clause
//! Sample records, read: from the bytes of a profiling buffer to a [`Record`] each
//! (`<vspe/decode.h>`; Arm ARM D18). It needs no unit, and reads the records of any PE.
//!
//! ```
//! use vspe::decode::{damage, has, records};
//!
//! // A Counter, an Operation Type and an End packet; padding; a packet that is cut off.
//! let buffer = [0x98, 12, 0, 0x49, 0, 0x01, 0, 0, 0x98, 3];
//! let found: Vec<_> = records(&buffer).collect();
//! assert_eq!(found.len(), 2);
//! assert_eq!(found[0].has, has::TOTAL_LATENCY | has::OPERATION);
//! assert_eq!(found[0].total_latency, 12);
//! assert_eq!((found[1].offset, found[1].padding), (8, 2));
//! assert_eq!(found[1].damage, damage::NO_END | damage::CUT_PACKET);
//! ```
use vspe_sys as sys;

/// A record: `struct spe_record`, whose members `<vspe/decode.h>` describes. One without its bit of
/// [`has`] is 0.
pub type Record = sys::spe_record;

/// Bits of `has` and `repeated` of a [`Record`]: packets, by the member that says what is in them.
pub mod has {
    use vspe_sys as sys;
    /// `pc`.
    pub const PC: u32 = sys::SPE_HAS_PC;
    /// `target`.
    pub const TARGET: u32 = sys::SPE_HAS_TARGET;
    /// `data_va`.
    pub const DATA_VA: u32 = sys::SPE_HAS_DATA_VA;
    /// `data_pa`, `pa_ns`, `pa_nse`, `tag_checked` and `tag`.
    pub const DATA_PA: u32 = sys::SPE_HAS_DATA_PA;
    /// `previous`.
    pub const PREVIOUS: u32 = sys::SPE_HAS_PREVIOUS;
    /// `contextidr_el1`.
    pub const CONTEXTIDR_EL1: u32 = sys::SPE_HAS_CONTEXTIDR_EL1;
    /// `contextidr_el2`.
    pub const CONTEXTIDR_EL2: u32 = sys::SPE_HAS_CONTEXTIDR_EL2;
    /// `total_latency`.
    pub const TOTAL_LATENCY: u32 = sys::SPE_HAS_TOTAL_LATENCY;
    /// `issue_latency`.
    pub const ISSUE_LATENCY: u32 = sys::SPE_HAS_ISSUE_LATENCY;
    /// `translation_latency`.
    pub const TRANSLATION_LATENCY: u32 = sys::SPE_HAS_TRANSLATION_LATENCY;
    /// `alternate_latency`.
    pub const ALTERNATE_LATENCY: u32 = sys::SPE_HAS_ALTERNATE_LATENCY;
    /// `events` and `events_size`.
    pub const EVENTS: u32 = sys::SPE_HAS_EVENTS;
    /// `type_header` and `type_payload`.
    pub const OPERATION: u32 = sys::SPE_HAS_OPERATION;
    /// `data_source` and `source_size`.
    pub const DATA_SOURCE: u32 = sys::SPE_HAS_DATA_SOURCE;
    /// `timestamp`.
    pub const TIMESTAMP: u32 = sys::SPE_HAS_TIMESTAMP;
    /// `extra`.
    pub const EXTRA: u32 = sys::SPE_HAS_EXTRA;
}

/// Bits of `damage` of a [`Record`].
pub mod damage {
    use vspe_sys as sys;
    /// Packets of unknown kind: `unknown_packets`, `unknown_bytes`.
    pub const UNKNOWN: u32 = sys::SPE_DAMAGE_UNKNOWN;
    /// Neither a Timestamp nor an End packet.
    pub const NO_END: u32 = sys::SPE_DAMAGE_NO_END;
    /// ... within 2048 bytes, and cut there.
    pub const TOO_LONG: u32 = sys::SPE_DAMAGE_TOO_LONG;
    /// ... as the buffer ends within a packet: `cut_bytes`.
    pub const CUT_PACKET: u32 = sys::SPE_DAMAGE_CUT_PACKET;
    /// Packets that were there already: `repeated`.
    pub const REPEATED: u32 = sys::SPE_DAMAGE_REPEATED;
}

/// Records that C gives at a stroke.
const BATCH: usize = 32;

/// A decoder, for the bytes of a buffer in pieces of any size.
#[derive(Clone, Debug)]
pub struct Decoder {
    raw: sys::spe_decoder,
}

impl Default for Decoder {
    fn default() -> Self {
        Decoder::new()
    }
}

impl Decoder {
    /// A decoder at offset 0 of a buffer.
    ///
    /// # Panics
    /// The library that is there is of another version than these declarations.
    pub fn new() -> Self {
        let mut raw = sys::spe_decoder::default();
        let (size, record) = (core::mem::size_of_val(&raw), core::mem::size_of::<Record>());
        // SAFETY: raw has as many bytes as it is told.
        let error = unsafe { sys::spe_decoder_init(&mut raw, size, record) };
        assert_eq!(error, 0, "a library of another version");
        Decoder { raw }
    }

    /// A buffer begins, at this offset. What there is of a record of another buffer is dropped.
    pub fn begin(&mut self, offset: u64) {
        // SAFETY: raw was set up by new().
        unsafe { sys::spe_decoder_begin(&mut self.raw, offset) }
    }

    /// The next bytes of a buffer; end: it ends with them, and the next bytes are another's.
    /// Bytes that the iterator did not come to when it is dropped are lost.
    pub fn read<'a>(
        &'a mut self,
        bytes: &'a [u8],
        end: bool,
    ) -> Records<&'a mut Decoder, &'a [u8]> {
        Records::of(self, bytes, end)
    }
}

impl AsMut<Decoder> for Decoder {
    fn as_mut(&mut self) -> &mut Decoder {
        self
    }
}

/// The records of a buffer that is in memory at once.
pub fn records(bytes: &[u8]) -> Records<Decoder, &[u8]> {
    Records::of(Decoder::new(), bytes, true)
}

/// An iterator over records, by a decoder and of bytes that it has or borrows.
#[derive(Debug)]
pub struct Records<D, B> {
    decoder: D,
    bytes: B,
    end: bool,
    at: usize,
    batch: [Record; BATCH],
    next: usize,
    count: usize,
    more: bool,
}

impl<D: AsMut<Decoder>, B: AsRef<[u8]>> Records<D, B> {
    fn of(decoder: D, bytes: B, end: bool) -> Self {
        let batch = [Record::default(); BATCH];
        Records { decoder, bytes, end, at: 0, batch, next: 0, count: 0, more: true }
    }

    fn fill(&mut self) {
        let left = self.bytes.as_ref().get(self.at..).unwrap_or_default();
        let mut taken = 0;
        // SAFETY: the decoder was set up by new(); left has as many bytes as it is told, and batch
        // as many records.
        let count = unsafe {
            sys::spe_decoder_read(
                &mut self.decoder.as_mut().raw,
                left.as_ptr(),
                left.len(),
                self.end,
                self.batch.as_mut_ptr(),
                BATCH,
                &mut taken,
            )
        };
        self.at += taken;
        self.next = 0;
        self.count = usize::try_from(count).unwrap_or(0);
        self.more = self.count == BATCH;
    }
}

impl<D: AsMut<Decoder>, B: AsRef<[u8]>> Iterator for Records<D, B> {
    type Item = Record;

    fn next(&mut self) -> Option<Record> {
        if self.next == self.count && self.more {
            self.fill();
        }
        if self.next == self.count {
            return None;
        }
        self.next += 1;
        Some(self.batch[self.next - 1])
    }
}
