// SPDX-License-Identifier: BSD-2-Clause
//! A unit from its configuration to the record in memory, and every way that an access can go.
use vspe::{events, features, flags, AddressKind, Extra, Fault, Layout, Untranslated, WriteError};
use vspe::{Config, Controls, ErrorKind, ExternalAbort, Host, Op, Register, Route, Selection};
use vspe::{Misuse, NotFixed, Unit, Version};

const BUFFER: u64 = 0x10000;
const SIZE: u64 = 0x1000;

/// Guest memory, and what was asked for.
#[derive(Default)]
struct Memory {
    bytes: Vec<u8>,
    events: Vec<(u16, u64)>,
    untranslated: Option<Untranslated>,
    fault: Option<WriteError>,
    serrors: u32,
    misuses: Vec<(Misuse, String)>,
}

impl Host for Memory {
    const UNTRANSLATED: bool = true;
    const SERROR: bool = true;

    fn write(&mut self, owning_el: u8, va: u64, bytes: &[u8]) -> Result<(), WriteError> {
        assert!((1..=2).contains(&owning_el));
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        assert_eq!(va, BUFFER + self.bytes.len() as u64);
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    fn write_untranslated(&mut self, to: &Untranslated, bytes: &[u8]) -> Result<(), WriteError> {
        self.untranslated = Some(*to);
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    fn pmu_event(&mut self, event: u16, count: u64) {
        self.events.push((event, count));
    }

    fn serror(&mut self) {
        self.serrors += 1;
    }

    fn misuse(&mut self, what: Misuse, why: &str) {
        self.misuses.push((what, why.to_string()));
    }
}

fn at_el1() -> Controls {
    Controls { el: 1, ..Controls::default() }
}

fn unit(config: Config) -> Unit<Memory> {
    Unit::new(&config, Memory::default(), at_el1()).unwrap()
}

/// A unit with a buffer, that selects each 256th operation.
fn profiling(config: Config) -> Unit<Memory> {
    let mut unit = unit(config);
    for (register, value) in [
        (Register::PmbptrEl1, BUFFER),
        (Register::PmblimitrEl1, (BUFFER + SIZE) | 1),
        (Register::PmsirrEl1, 1 << 8),
        (Register::PmscrEl1, 1 << 1 | 1 << 3 | 1 << 4 | 1 << 5),
    ] {
        assert_eq!(unit.write(register, 0, value), Route::Direct(()));
    }
    unit
}

fn select(unit: &mut Unit<Memory>) {
    let budget = unit.budget().expect("profiling is enabled");
    assert_eq!(unit.advance(budget - 1), Selection::NotSelected);
    assert_eq!(unit.advance(1), Selection::Selected);
}

/// The operation of records/: what a program in C gives to the same unit.
fn load() -> Op {
    Op {
        events: events::RETIRED,
        total_latency: 12,
        timestamp: 1024,
        ..Op::load(0xffff_8000_0800_0000, 0xffff_8000_1000_2000)
    }
}

/// The bytes of the first record that the first program of docs/embedding.md, in C, makes.
#[test]
fn the_record_has_the_bytes_that_a_program_in_c_gets() {
    let mut unit = profiling(Config::new(Version::V1p2));
    assert_eq!(unit.write(Register::PmscrEl1, 0, 1 << 1 | 1 << 5), Route::Direct(()));
    select(&mut unit);
    unit.sample(&load());
    let want: &[u8] = &[
        0x98, 0x0c, 0x00, 0x99, 0x00, 0x00, 0x9a, 0x00, 0x00, // latencies
        0xb0, 0x00, 0x00, 0x00, 0x08, 0x00, 0x80, 0xff, 0xa0, // PC
        0xb2, 0x00, 0x20, 0x00, 0x10, 0x00, 0x80, 0xff, 0xff, // VA
        0x43, 0x00, 0x49, 0x00, 0x62, 0x02, 0x00, 0x00, 0x00, // source, type, events
        0x71, 0x00, 0x04, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, // timestamp
    ];
    assert_eq!(unit.host().bytes.len(), 64);
    assert_eq!(&unit.host().bytes[..want.len()], want);
    assert!(unit.host().bytes[want.len()..].iter().all(|&byte| byte == 0));
    assert_eq!(unit.read(Register::PmbptrEl1, 0), Route::Direct(BUFFER + 64));
    assert_eq!((unit.stats().records, unit.stats().bytes), (1, 64));
    assert!(unit.host().events.contains(&(0x4001, 1)), "SAMPLE_FEED");
}

#[test]
fn own_packets_go_as_far_as_the_configuration_has_room() {
    let config = Config::new(Version::V1p2).max_size(8).extra_packets(1);
    let mut unit = profiling(config);
    select(&mut unit);
    let packet = |index| Extra { address: false, index, value: 7 };
    unit.sample(&Op { extra: vec![packet(6), packet(7)], ..load() });
    let has = |byte: u8| unit.host().bytes.windows(3).any(|at| at == [byte, 7, 0]);
    assert_eq!((has(0x9e), has(0x9f)), (true, false));
    // And more than any record can have.
    select(&mut unit);
    unit.sample(&Op { extra: vec![packet(6); 300], ..load() });
}

#[test]
fn an_access_goes_each_way() {
    // EL1 with a trap of EL2's.
    let of_el2 = features::EL2 | features::NV | features::NV2;
    let mut unit = unit(Config::new(Version::V1p2));
    assert_eq!(unit.write(Register::PmsfcrEl1, 0, 6), Route::Direct(()));
    assert_eq!(unit.read(Register::PmsfcrEl1, 0), Route::Direct(6));
    assert_eq!(unit.route(Register::PmscrEl1, true, 0), Route::Direct(Register::PmscrEl1));
    unit.set_controls(Controls { mdcr_el2: 1 << 14, features: of_el2, scr_el3: 1, ..at_el1() });
    let trap = unit.write(Register::PmscrEl1, 3, 1);
    let syndrome = match trap {
        Route::Trap { target_el: 2, syndrome } => syndrome,
        _ => panic!("{trap:?}"),
    };
    assert_eq!((syndrome >> 5 & 31, syndrome & 1), (3, 0));
    assert_eq!(Register::from_iss(syndrome), Some(Register::PmscrEl1));
    // EL0.
    unit.set_controls(Controls { el: 0, ..at_el1() });
    assert_eq!(unit.read(Register::PmscrEl1, 0), Route::Undefined);
    // Nested virtualisation, HCR_EL2.{NV,NV1,NV2}.
    let nested = 1 << 42 | 1 << 43 | 1 << 45;
    unit.set_controls(Controls { hcr_el2: nested, features: of_el2, ..at_el1() });
    assert_eq!(unit.read(Register::PmscrEl1, 0), Route::NvMem { offset: 0x828 });
    // VHE: at EL2, PMSCR_EL1 is PMSCR_EL2.
    let vhe = Controls { el: 2, hcr_el2: 1 << 34, ..Controls::default() };
    unit.set_controls(Controls { features: features::EL2 | features::VHE, ..vhe });
    assert_eq!(unit.route(Register::PmscrEl1, false, 0), Route::Direct(Register::PmscrEl2));
}

#[test]
fn the_features_of_spe_are_those_of_the_configuration() {
    let mut unit = unit(Config::new(Version::V1p0));
    unit.set_controls(Controls { features: u32::MAX, ..at_el1() });
    assert_eq!(unit.read(Register::PmsnevfrEl1, 0), Route::Undefined, "FEAT_SPE_FnE is v1p2's");
}

#[test]
fn a_change_of_el_is_known_at_once() {
    let mut unit = profiling(Config::new(Version::V1p2));
    assert!(unit.enabled());
    unit.set_controls(Controls { el: 0, ..at_el1() });
    assert!(!unit.enabled());
    assert_eq!(unit.budget(), None);
    unit.set_controls(at_el1());
    assert!(unit.budget().is_some());
    unit.reset();
    assert!(!unit.enabled(), "PMBLIMITR_EL1.E is 0");
}

#[test]
fn a_fault_stops_profiling_and_raises_the_interrupt() {
    for (fault, serrors) in [
        (Fault::Mmu { fsc: 0x0f, stage2: true, mss2: 0 }, 0),
        (Fault::GranuleProtection, 0),
        (Fault::ExternalAbort, 1),
    ] {
        let config = Config::new(Version::V1p3).external_abort(ExternalAbort::SError);
        let mut unit = profiling(config);
        unit.host_mut().fault = Some(WriteError { written: usize::MAX, fault });
        select(&mut unit);
        unit.sample(&load());
        assert_eq!(unit.host().serrors, serrors, "{fault:?}");
        assert_eq!(unit.irq_level(), serrors == 0, "{fault:?}");
        let ec = unit.read(Register::PmbsrEl1, 0).direct().unwrap() >> 26;
        let want = match fault {
            Fault::Mmu { .. } => 0x25,
            Fault::GranuleProtection => 0x1e,
            Fault::ExternalAbort => 0,
        };
        assert_eq!(ec, want, "{fault:?}");
        let pointer = unit.read(Register::PmbptrEl1, 0).direct().unwrap();
        assert!(pointer <= BUFFER + 64, "{fault:?}: more was written than there was");
    }
}

#[test]
fn a_buffer_at_a_physical_address() {
    let config = Config::new(Version::V1p4).nvm(true);
    let mut unit = profiling(config);
    let limit = (BUFFER + SIZE) | 1 | 1 << 7; // nVM
    assert_eq!(unit.write(Register::PmblimitrEl1, 0, 0), Route::Direct(()));
    assert_eq!(unit.write(Register::PmblimitrEl1, 0, limit), Route::Direct(()));
    select(&mut unit);
    unit.sample(&load());
    let to = unit.host().untranslated.expect("a record that stage 1 does not translate");
    assert_eq!((to.address, to.kind, to.owning_el), (BUFFER, AddressKind::Physical, 1));
}

/// A host without what a configuration needs.
struct Bare;

impl Host for Bare {
    fn write(&mut self, _: u8, _: u64, _: &[u8]) -> Result<(), WriteError> {
        Ok(())
    }
}

#[test]
fn errors_have_names_and_fields() {
    let config = Config::new(Version::V1p4).nvm(true);
    let error = Unit::new(&config, Bare, at_el1()).unwrap_err();
    assert_eq!((error.kind, error.field), (ErrorKind::Host, None));
    let config = Config::new(Version::V1p2).align(7);
    let error = Unit::new(&config, Bare, at_el1()).unwrap_err();
    assert_eq!((error.kind, error.field), (ErrorKind::Align, Some("align")));
    assert!(error.to_string().starts_with("align: "), "{error}");
    assert_eq!(error.kind.name(), "SPE_EALIGN");
    assert_eq!(error.kind.code(), vspe_sys::SPE_EALIGN as i32);
}

#[test]
fn every_choice_of_a_list_is_taken_as_c_takes_it() {
    for &version in Version::ALL {
        let config = Config::new(version);
        assert!(config.check().is_ok(), "{version:?}");
        assert_eq!(config.version(), version);
        assert_eq!(config.id_aa64dfr0() >> 32 & 15, version as u64);
    }
    let config = Config::new(Version::V1p0);
    let error = config.layout(Layout::Fvp).check().unwrap_err();
    assert_eq!((error.kind, error.field), (ErrorKind::Layout, Some("lds")));
    assert_eq!(config.layout(Layout::Fvp).lds(false).check(), Ok(()));
    assert_eq!(vspe::cores().next().map(|core| core.name()), Some("generic"));
    assert!(vspe::cores().count() > 1);
}

#[test]
fn registers_are_those_of_c() {
    for &register in Register::ALL {
        let name = format!("{register:?}").to_uppercase();
        assert_eq!(register.name().replace('_', ""), name);
        assert_eq!(Register::from_encoding(register.encoding()), Some(register));
        let mrs = 0xd530_0000 | register.encoding() << 5;
        assert_eq!(Register::from_word(mrs), Some(register));
        assert_eq!(Register::from_word(mrs & 0x0fff_ffff), None);
    }
    assert!(!Register::PmsidrEl1.writable());
}

#[test]
fn a_saved_unit_goes_on_as_the_other() {
    let mut one = profiling(Config::new(Version::V1p2).seed(1));
    assert_eq!(one.write(Register::PmsirrEl1, 0, 4 << 8 | 1), Route::Direct(()));
    select(&mut one);
    let mut two = unit(Config::new(Version::V1p2).seed(2));
    two.restore(&one.save(), at_el1()).unwrap();
    for unit in [&mut one, &mut two] {
        unit.sample(&load());
        for _ in 0..20 {
            select(unit);
            unit.sample(&load());
        }
    }
    assert_eq!(one.host().bytes, two.host().bytes);
    // An image has the controls as they were told last, with what PMSCR_EL1 was then.
    one.set_controls(at_el1());
    assert!(one.save() == two.save());

    let mut image = one.save();
    let last = image.len() - 1;
    image[last] ^= 1;
    let before = two.save();
    assert_eq!(two.restore(&image, at_el1()).unwrap_err().kind, ErrorKind::ImageSum);
    let mut other = unit(Config::new(Version::V1p2).lds(false));
    let error = other.restore(&before, at_el1()).unwrap_err();
    assert_eq!((error.kind, error.field), (ErrorKind::ImageConfig, Some("lds")));
    assert_eq!(two.save(), before);
}

#[test]
fn spaced_samples_are_those_one_at_a_time() {
    let mut one = profiling(Config::new(Version::V1p2));
    let mut two = profiling(Config::new(Version::V1p2));
    let spacing = one.spacing_fixed().expect("RND is 0");
    let first = one.budget().unwrap();
    let ops: Vec<Op> = (0..4).map(|n| Op { timestamp: n, ..load() }).collect();
    two.sample_spaced(first, &ops.iter().collect::<Vec<_>>()).unwrap();
    for (n, op) in ops.iter().enumerate() {
        let members = if n == 0 { first } else { spacing };
        assert_eq!(one.advance(members), Selection::Selected);
        one.sample(op);
    }
    assert_eq!(one.host().bytes, two.host().bytes);
    assert_eq!(one.save(), two.save());
    assert_eq!(two.write(Register::PmsirrEl1, 0, 1 << 8 | 1), Route::Direct(()));
    assert_eq!(two.sample_spaced(1, &[&ops[0], &ops[1]]), Err(NotFixed));
}

#[test]
fn a_unit_goes_to_another_thread() {
    let mut unit = profiling(Config::new(Version::V1p2));
    let unit = std::thread::spawn(move || {
        select(&mut unit);
        unit.sample(&Op { flags: flags::BRANCH | flags::TAKEN, ..Op::branch(0x8000, 0x9000) });
        unit
    });
    assert_eq!(unit.join().unwrap().stats().records, 1);
}

/// A host that is wrong.
struct Panics;

impl Host for Panics {
    fn write(&mut self, _: u8, _: u64, _: &[u8]) -> Result<(), WriteError> {
        Ok(())
    }

    fn pmu_event(&mut self, _: u16, _: u64) {
        panic!("on purpose");
    }
}

/// C has no unwinding: the program ends, and neither goes on nor catches it. In a program of its
/// own, which is this test once more.
#[test]
fn a_panic_of_the_host_ends_the_program() {
    const CHILD: &str = "VSPE_TEST_PANIC";
    if std::env::var_os(CHILD).is_some() {
        let mut unit = Unit::new(&Config::new(Version::V1p2), Panics, at_el1()).unwrap();
        for (register, value) in [
            (Register::PmbptrEl1, BUFFER),
            (Register::PmblimitrEl1, (BUFFER + SIZE) | 1),
            (Register::PmsirrEl1, 1 << 8),
            (Register::PmscrEl1, 1 << 1),
        ] {
            assert_eq!(unit.write(register, 0, value), Route::Direct(()));
        }
        let call = std::panic::AssertUnwindSafe(|| unit.advance(u64::MAX));
        let _ = std::panic::catch_unwind(call);
        std::process::exit(0);
    }
    let program = std::env::current_exe().unwrap();
    let mut child = std::process::Command::new(program);
    child.args(["--exact", "a_panic_of_the_host_ends_the_program"]).env(CHILD, "1");
    let output = child.output().unwrap();
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&output.status), Some(6), "SIGABRT");
}

#[test]
fn the_crates_have_the_version_of_the_library() {
    let version = vspe::library_version();
    let text = format!("{}.{}.{}", version >> 16, version >> 8 & 0xff, version & 0xff);
    assert_eq!(text, env!("CARGO_PKG_VERSION"));
}

#[test]
fn misuse_is_heard() {
    let mut unit = profiling(Config::new(Version::V1p2).check_misuse(true));
    let budget = unit.budget().unwrap();
    assert_eq!(unit.advance(budget + 1), Selection::Selected);
    let mut op = Op::load(0x1000, 0x2000);
    op.el = 0;
    unit.sample(&op);
    let whats: Vec<Misuse> = unit.host().misuses.iter().map(|(what, _)| *what).collect();
    assert_eq!(whats, [Misuse::Budget, Misuse::Update]);
    assert!(unit.host().misuses[0].1.contains("spe_budget()"));
    assert_eq!(unit.stats().misuse, [1, 0, 1, 0]);

    let mut unit = profiling(Config::new(Version::V1p2));
    let budget = unit.budget().unwrap();
    assert_eq!(unit.advance(budget + 1), Selection::Selected);
    unit.sample(&op);
    assert!(unit.host().misuses.is_empty());
    assert_eq!(unit.stats().misuse, [0; 4]);
}
