// SPDX-License-Identifier: BSD-2-Clause
//! Calls in random order, with random arguments, as hostile guests and careless embedders make
//! them: none panics. The numbers are splitmix64's, so that each run is the same.
use std::panic::{catch_unwind, AssertUnwindSafe};
use vspe::{BranchKind, Config, Controls, Extra, Fault, Host, Op, Population, Register, Route};
use vspe::{Target, Unit, Untranslated, Version, WriteError};

const CALLS: u32 = 300_000;

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// Less than n.
    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    fn flag(&mut self) -> bool {
        self.next() & 1 != 0
    }

    /// Any value, but more of those that matter: few bits, all, none, page addresses.
    fn value(&mut self) -> u64 {
        let value = self.next();
        match self.below(6) {
            0 => 0,
            1 => u64::MAX,
            2 => value & self.next() & self.next(),
            3 => 0x10000 + (value & 0xf000) + (self.next() & 1),
            4 => value & 0xfff,
            _ => value,
        }
    }
}

struct Hostile(Random);

impl Hostile {
    fn answer(&mut self, size: usize) -> Result<(), WriteError> {
        assert!(size <= 2048);
        let fault = match self.0.below(24) {
            0 => Fault::Mmu {
                fsc: self.0.next() as u8,
                stage2: self.0.flag(),
                mss2: self.0.next() as u16,
            },
            1 => Fault::GranuleProtection,
            2 => Fault::ExternalAbort,
            _ => return Ok(()),
        };
        Err(WriteError { written: self.0.value() as usize, fault })
    }
}

impl Host for Hostile {
    const UNTRANSLATED: bool = true;
    const SERROR: bool = true;
    const RANDOM: bool = true;

    fn write(&mut self, _: u8, _: u64, bytes: &[u8]) -> Result<(), WriteError> {
        self.answer(bytes.len())
    }

    fn write_untranslated(&mut self, _: &Untranslated, bytes: &[u8]) -> Result<(), WriteError> {
        self.answer(bytes.len())
    }

    fn random(&mut self) -> u8 {
        self.0.next() as u8
    }
}

fn controls(r: &mut Random) -> Controls {
    Controls {
        features: r.value() as u32,
        el: r.next() as u8,
        aarch32: r.below(8) == 0,
        halted: r.below(8) == 0,
        edscr_sdd: r.flag(),
        el3_trap_has_priority_sdd: r.flag(),
        hcr_el2: r.value(),
        mdcr_el2: r.value(),
        mdcr_el3: r.value(),
        scr_el3: r.value(),
        hdfgrtr_el2: r.value(),
        hdfgwtr_el2: r.value(),
        hdfgrtr2_el2: r.value(),
        hdfgwtr2_el2: r.value(),
    }
}

fn operation(r: &mut Random) -> Op {
    let extra = |r: &mut Random| Extra {
        address: r.flag(),
        index: r.next() as u8 & 0x3f,
        value: r.value(),
    };
    Op {
        target: r.value(),
        data_pa: r.value(),
        timestamp: r.value(),
        events: r.value(),
        flags: r.value() as u32,
        total_latency: r.value() as u16,
        issue_latency: r.value() as u16,
        data_source: r.value() as u16,
        type_header: 0x48 + r.below(3) as u8,
        type_payload: r.next() as u8,
        el: r.next() as u8,
        target_el: r.next() as u8,
        ns: r.flag(),
        nse: r.flag(),
        tag: r.next() as u8,
        extra: (0..r.below(12)).map(|_| extra(r)).collect(),
        ..Op::load(r.value(), r.value())
    }
}

/// A configuration that may be good, and one that is.
fn configure(r: &mut Random) -> Config {
    let version = Version::ALL[r.below(Version::ALL.len())];
    let any = Population { member: r.flag(), captured: r.flag() };
    let config = Config::new(version)
        .max_size(r.below(14) as u8)
        .align(r.below(12) as u8)
        .extra_packets(r.below(10) as u8)
        .in_flight(r.below(10) as u8)
        .lifetime(r.value() as u32)
        .misspeculated(any)
        .events(r.value())
        .nvm(r.flag())
        .pbt(r.flag())
        .seed(r.next());
    if config.check().is_ok() {
        return config;
    }
    Config::new(version).max_size(9).extra_packets(2).in_flight(1 + r.below(8) as u8)
}

fn call(unit: &mut Unit<Hostile>, r: &mut Random) {
    let register = Register::ALL[r.below(Register::ALL.len())];
    match r.below(20) {
        0 => {
            let controls = controls(r);
            unit.set_controls(controls);
        }
        1 => unit.set_controls(Controls { el: 1, ..Controls::default() }),
        2..=5 => {
            let _: Route<()> = unit.write(register, r.next() as u8, r.value());
        }
        6 => {
            // Let it profile.
            for (register, value) in [
                (Register::PmbsrEl1, 0),
                (Register::PmbptrEl1, 0x10000),
                (Register::PmblimitrEl1, 0x20001),
                (Register::PmscrEl1, 0x3b),
            ] {
                let _: Route<()> = unit.write(register, 0, value);
            }
        }
        7 => {
            let _: Route<u64> = unit.read(register, r.next() as u8);
        }
        8 => {
            let _: Route<Register> = unit.route(register, r.flag(), r.next() as u8);
        }
        9..=11 => {
            let n = if r.flag() { unit.budget().unwrap_or(7) } else { r.value() };
            let _ = unit.advance(n);
        }
        12..=14 => unit.sample(&operation(r)),
        15 => {
            let ops: Vec<Op> = (0..r.below(4)).map(|_| operation(r)).collect();
            let _ = unit.sample_spaced(r.value(), &ops.iter().collect::<Vec<_>>());
        }
        16 => match r.below(4) {
            0 => unit.abandon(),
            1 => unit.collide(),
            2 => unit.synchronize(),
            _ => unit.reset(),
        },
        17 => {
            let kind = BranchKind::ALL[r.below(4)];
            unit.branch(kind, &Target { va: r.value(), el: r.next() as u8, ..Target::default() });
        }
        18 => {
            let mut image = unit.save();
            let now = unit.controls();
            match r.below(3) {
                0 => {}
                1 => image.truncate(r.below(image.len())),
                _ => {
                    let at = r.below(image.len());
                    image[at] ^= 1 << r.below(8);
                }
            }
            let _ = unit.restore(&image, now);
        }
        _ => {
            let _ = (unit.exception(r.flag()), unit.psb_csync_trapped(r.value()));
            let _ = (unit.pmu_frozen(r.value()), unit.room(), unit.spacing_min());
            let _ = (unit.timestamp_kind(), unit.owning_el(), unit.irq_level(), unit.stats());
            let _ = (Register::from_iss(r.next() as u32), Register::from_word(r.next() as u32));
        }
    }
}

#[test]
fn no_call_panics() {
    let mut records = 0;
    for seed in 0..CALLS / 1000 {
        let r = &mut Random(seed.into());
        let config = configure(r);
        let host = Hostile(Random(r.next()));
        let mut unit = Unit::new(&config, host, Controls { el: 1, ..Controls::default() }).unwrap();
        for n in 0..1000 {
            let result = catch_unwind(AssertUnwindSafe(|| call(&mut unit, r)));
            assert!(result.is_ok(), "seed {seed}, call {n}");
        }
        records += unit.stats().records;
    }
    // It would prove nothing if the units did not profile.
    assert!(records > u64::from(CALLS) / 100, "{records} records");
}
