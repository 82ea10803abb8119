// SPDX-License-Identifier: BSD-2-Clause
//! Records by `vspe::decode`: what a unit wrote comes back, in pieces of any size.
use vspe::decode::{damage, has, records, Decoder, Record};
use vspe::{Config, Controls, Host, Op, Register, Selection, Unit, Version, WriteError};

#[derive(Default)]
struct Memory(Vec<u8>);

impl Host for Memory {
    fn write(&mut self, _owning_el: u8, _va: u64, bytes: &[u8]) -> Result<(), WriteError> {
        self.0.extend_from_slice(bytes);
        Ok(())
    }
}

/// A buffer of 100 records of loads, whose addresses count up.
fn buffer() -> Vec<u8> {
    let controls = Controls { el: 1, ..Controls::default() };
    let config = Config::new(Version::V1p2);
    let mut unit = Unit::new(&config, Memory::default(), controls).unwrap();
    for (register, value) in [
        (Register::PmbptrEl1, 0x10000),
        (Register::PmblimitrEl1, 0x20000 | 1),
        (Register::PmsirrEl1, 1 << 8),
        (Register::PmscrEl1, 1 << 1 | 1 << 5),
    ] {
        let _ = unit.write(register, 0, value);
    }
    for n in 0..100 {
        while unit.advance(1) != Selection::Selected {}
        let mut op = Op::load(0x8000 + 4 * n, 0x10_0000 + n);
        op.timestamp = n;
        op.total_latency = n as u16;
        unit.sample(&op);
    }
    unit.host().0.clone()
}

#[test]
fn what_a_unit_wrote_comes_back() {
    let found: Vec<Record> = records(&buffer()).collect();
    assert_eq!(found.len(), 100);
    for (n, record) in (0..).zip(&found) {
        let all = has::PC | has::DATA_VA | has::TOTAL_LATENCY | has::TIMESTAMP | has::OPERATION;
        assert_eq!(record.has & all, all);
        assert_eq!((record.pc.va, record.pc.el, record.pc.ns), (0x8000 + 4 * n, 1, true));
        assert_eq!(record.data_va, 0x10_0000 + n);
        assert_eq!((u64::from(record.total_latency), record.timestamp), (n, n));
        assert_eq!((record.offset, record.damage), (64 * n, 0));
    }
}

#[test]
fn pieces_of_any_size_give_the_same_records() {
    let bytes = buffer();
    let bytes = &bytes[..bytes.len() - 25];
    let whole: Vec<Record> = records(bytes).collect();
    assert_eq!(whole.len(), 100);
    assert_eq!(whole[99].damage & damage::NO_END, damage::NO_END);
    for size in 1..200 {
        let mut decoder = Decoder::default();
        let mut found: Vec<Record> = Vec::new();
        for piece in bytes.chunks(size) {
            found.extend(decoder.read(piece, false));
        }
        found.extend(decoder.read(&[], true));
        assert_eq!(found, whole, "in pieces of {size}");
    }
}

#[test]
fn a_buffer_that_begins_says_where() {
    let bytes = buffer();
    let mut decoder = Decoder::new();
    assert_eq!(decoder.read(&bytes[..70], false).count(), 1);
    decoder.begin(0x1000);
    let first = decoder.read(&bytes, true).next().unwrap();
    assert_eq!((first.offset, first.damage), (0x1000, 0));
}
