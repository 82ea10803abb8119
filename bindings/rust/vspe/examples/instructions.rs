// SPDX-License-Identifier: BSD-2-Clause
//! An engine that knows nothing of SPE: it has instructions, registers and memory. `a64` says what
//! an instruction is to SPE, the unit samples each 1024th, and `decode` reads the records.
use std::error::Error;
use vspe::{a64, decode, events, Config, Controls, Fault, Host, Op, Register, Route};
use vspe::{Selection, Unit, Version, WriteError};

const BUFFER: u64 = 0x10000;
const CODE: u64 = 0xffff_8000_0800_0000;

/// ldr x0, [x1, #8]; add x2, x2, x0; str x2, [x1]; b .-12
const LOOP: [u32; 4] = [0xf940_0420, 0x8b00_0042, 0xf900_0022, 0x17ff_fffd];

struct Memory(Vec<u8>);

impl Host for Memory {
    fn write(&mut self, _owning_el: u8, va: u64, bytes: &[u8]) -> Result<(), WriteError> {
        let fault = Fault::Mmu { fsc: 0x07, stage2: false, mss2: 0 };
        let fault = WriteError { written: 0, fault };
        let at = va.checked_sub(BUFFER).ok_or(fault)? as usize;
        let end = at.checked_add(bytes.len()).ok_or(fault)?;
        self.0.get_mut(at..end).ok_or(fault)?.copy_from_slice(bytes);
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let config = Config::new(Version::V1p2);
    let controls = Controls { el: 1, ..Controls::default() };
    let mut unit = Unit::new(&config, Memory(vec![0; 0x1000]), controls)?;

    for (register, value) in [
        (Register::PmbptrEl1, BUFFER),
        (Register::PmblimitrEl1, (BUFFER + 0x1000) | 1),
        (Register::PmsirrEl1, 4 << 8),
        (Register::PmscrEl1, 1 << 1),
    ] {
        if unit.write(register, 0, value) != Route::Direct(()) {
            return Err(format!("{} is not the guest's", register.name()).into());
        }
    }

    let mut registers = a64::Registers { x: [0; 32], nzcv: 0 };
    registers.x[1] = 0xffff_8000_1000_0000;
    for n in 0..10_000 {
        if unit.advance(1) != Selection::Selected {
            continue;
        }
        let at = n % LOOP.len();
        let mut op = Op::other(CODE + 4 * at as u64);
        a64::describe(&mut op, LOOP[at], &config, &registers);
        op.events = events::RETIRED;
        unit.sample(&op);
    }

    let filled = unit.stats().bytes as usize;
    for record in decode::records(&unit.host().0[..filled]) {
        println!("pc {:#x} data {:#x}", record.pc.va, record.data_va);
    }
    println!("{} records", unit.stats().records);
    Ok(())
}
