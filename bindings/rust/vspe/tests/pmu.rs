// SPDX-License-Identifier: BSD-2-Clause
//! A PE with SPE and a PMU: what is counted agrees with what is recorded.
use vspe::pmu::{Config as PmuConfig, Step, Version as PmuVersion};
use vspe::{Config, Controls, Host, Op, Register, Route, Selection, Unit, Version, WriteError};

const PMCR: u32 = 3 << 14 | 3 << 11 | 9 << 7 | 12 << 3;
const PMCNTENSET: u32 = PMCR + 1;
const PMINTENSET: u32 = 3 << 14 | 9 << 7 | 14 << 3 | 1;
const COUNTER: u32 = 3 << 14 | 3 << 11 | 14 << 7 | 8 << 3;
const TYPE: u32 = 3 << 14 | 3 << 11 | 14 << 7 | 12 << 3;
const SAMPLE_FEED: u64 = 0x4001;
const INST_RETIRED: u64 = 8;

struct Nowhere;

impl Host for Nowhere {
    fn write(&mut self, _: u8, _: u64, _: &[u8]) -> Result<(), WriteError> {
        Ok(())
    }
}

fn set_up() -> Unit<Nowhere> {
    let controls = Controls { el: 1, ..Controls::default() };
    let mut unit = Unit::new(&Config::new(Version::V1p2), Nowhere, controls).unwrap();
    unit.add_pmu(&PmuConfig::new(PmuVersion::V3p7)).unwrap();
    for (encoding, value) in [
        (TYPE, SAMPLE_FEED),
        (TYPE + 1, INST_RETIRED),
        (COUNTER, u64::from(u32::MAX) - 9),
        (PMINTENSET, 1),
        (PMCNTENSET, 3),
        (PMCR, 1),
    ] {
        assert_eq!(unit.pmu_write(encoding, 0, value), Route::Direct(()));
    }
    for (register, value) in [
        (Register::PmbptrEl1, 0x10000),
        (Register::PmblimitrEl1, 0x20000 | 1),
        (Register::PmsirrEl1, 1 << 8),
        (Register::PmscrEl1, 1 << 1),
    ] {
        assert_eq!(unit.write(register, 0, value), Route::Direct(()));
    }
    unit
}

fn run(unit: &mut Unit<Nowhere>, n: u64) {
    let op = Op::load(0x400000, 0x500000);
    let step = Step { begun: 1, retired: 1, ..Step::default() };
    for _ in 0..n {
        let selection = unit.advance(1);
        unit.pmu_advance(&step);
        if selection == Selection::Selected {
            unit.sample(&op);
        }
    }
}

#[test]
fn counts_agree_with_records() {
    let mut unit = set_up();
    assert_eq!(unit.pmu_budget(), Some(1 << 32));
    run(&mut unit, 2000);
    assert!(!unit.pmu_irq_level());
    run(&mut unit, 1000);
    assert!(unit.pmu_irq_level());
    assert_eq!(unit.pmu_read(COUNTER + 1, 0), Route::Direct(3000));
    let samples = unit.pmu_read(COUNTER, 0).direct().unwrap() - (u64::from(u32::MAX) - 9);
    assert_eq!(samples, unit.stats().records);
}

#[test]
fn images_come_back() {
    let (mut unit, mut other) = (set_up(), set_up());
    let controls = unit.controls();
    run(&mut unit, 700);
    let image = unit.pmu_save();
    other.pmu_restore(&image, controls).unwrap();
    assert_eq!(other.pmu_read(COUNTER + 1, 0), Route::Direct(700));
    assert_eq!(other.pmu_save(), image);
    for n in 0..image.len() {
        assert!(other.pmu_restore(&image[..n], controls).is_err());
    }
}

#[test]
fn errors_have_names() {
    let mut unit = set_up();
    let mut config = PmuConfig::new(PmuVersion::V3p5);
    config.events = 1;
    let error = unit.add_pmu(&config).unwrap_err();
    assert_eq!(error.field, Some("events"));
    assert!(error.to_string().starts_with("events: "));
    assert!(unit.has_pmu(), "the one that it had");
    assert!(vspe::pmu::is_register(PMCR));
    assert_eq!(vspe::pmu::id_registers(PmuVersion::V3p9), (9 << 8, 1 << 36));
}

#[test]
fn one_takes_the_place_of_the_other() {
    let mut unit = set_up();
    unit.add_pmu(&PmuConfig::new(PmuVersion::V3p9)).unwrap();
    run(&mut unit, 1000);
    assert_eq!(unit.pmu_read(COUNTER + 1, 0), Route::Direct(0));
    drop(unit);
}
