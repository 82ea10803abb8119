// SPDX-License-Identifier: BSD-2-Clause
//! rust-vmm GUEST: kvm-loop in Rust, with the crates of Rust's KVM programs: kvm-ioctls, kvm-bindings
//! and vm-memory. Its guest has FEAT_SPE by libvspe-kvm, on a host with it or without; the records go
//! to standard output in hexadecimal, and are those of kvm-loop.
mod spe;

use std::marker::PhantomData;
use std::os::fd::AsRawFd;
use std::process::ExitCode;

use kvm_bindings::{
    kvm_run, kvm_userspace_memory_region, kvm_vcpu_init, KVM_ARM_IRQ_CPU_IRQ, KVM_ARM_IRQ_TYPE_CPU,
    KVM_ARM_IRQ_TYPE_SHIFT, KVM_ARM_VCPU_PSCI_0_2, KVM_REG_ARM64, KVM_REG_ARM_CORE,
    KVM_REG_SIZE_U64,
};
use kvm_ioctls::{Kvm, VcpuExit, VcpuFd, VmFd};
use vm_memory::{Bytes, GuestAddress, GuestMemory, GuestMemoryMmap};
use vspe_kvm_sys::vspe_sys::{spe_config, spe_config_defaults, SPE_V1P2};

use spe::{Events, Machine, Profiler, Turn};

const BASE: u64 = 0x4100_0000;
const SIZE: usize = 0x20_0000;
const PC: usize = 32;

/// A register of `struct kvm_regs`: X0 to X30, SP and PC, by its place.
fn core_register(n: usize) -> u64 {
    KVM_REG_ARM64 | KVM_REG_SIZE_U64 | u64::from(KVM_REG_ARM_CORE) | 2 * n as u64
}

fn get_register(vcpu: &VcpuFd, n: usize) -> Result<u64, String> {
    let mut value = [0; 8];
    vcpu.get_one_reg(core_register(n), &mut value).map_err(|e| format!("KVM_GET_ONE_REG: {e}"))?;
    Ok(u64::from_le_bytes(value))
}

/// What becomes of what the profiler tells.
struct Console<'a> {
    vm: &'a VmFd,
}

impl Events for Console<'_> {
    /// The guest has no GIC, so that it is the CPU's IRQ.
    fn irq(&mut self, level: bool) {
        let line = KVM_ARM_IRQ_TYPE_CPU << KVM_ARM_IRQ_TYPE_SHIFT | KVM_ARM_IRQ_CPU_IRQ;
        if let Err(error) = self.vm.set_irq_line(line, level) {
            eprintln!("rust-vmm: KVM_IRQ_LINE: {error}");
        }
    }

    /// One that is the same in every run.
    fn time(&mut self, operations: u64) -> u64 {
        operations
    }

    fn records(&mut self, bytes: &[u8]) {
        for line in bytes.chunks(32) {
            let digits: String = line.iter().map(|byte| format!("{byte:02x}")).collect();
            println!("records: {digits}");
        }
    }
}

/// The guest is at its end when it asks PSCI for it.
fn run_guest(vcpu: &mut VcpuFd, profiler: &mut Profiler<Console>) -> Result<(), String> {
    loop {
        if profiler.before_run()? != Turn::Run {
            continue;
        }
        let mut ended = false;
        let mut other = None;
        let error = match vcpu.run() {
            Ok(VcpuExit::SystemEvent(..)) => {
                ended = true;
                0
            }
            Ok(exit) => {
                other = Some(format!("{exit:?}"));
                0
            }
            Err(error) => error.errno(),
        };
        if profiler.after_run(error)? != Turn::Yours || error != 0 {
            continue;
        }
        if ended {
            return Ok(());
        }
        return Err(format!("{} at {:#x}", other.unwrap_or_default(), get_register(vcpu, PC)?));
    }
}

fn create_vcpu(vm: &VmFd) -> Result<VcpuFd, kvm_ioctls::Error> {
    let vcpu = vm.create_vcpu(0)?;
    let mut init = kvm_vcpu_init::default();
    vm.get_preferred_target(&mut init)?;
    init.features[0] |= 1 << KVM_ARM_VCPU_PSCI_0_2;
    vcpu.vcpu_init(&init)?;
    vcpu.set_one_reg(core_register(PC), &BASE.to_le_bytes())?;
    Ok(vcpu)
}

fn unit_config() -> spe_config {
    let mut config = spe_config::default();
    // It fills in all of it.
    unsafe { spe_config_defaults(&mut config, SPE_V1P2) };
    config.events = 0; // nothing is known of caches
    config.lds = false;
    config
}

fn run(path: &str) -> Result<(), String> {
    let image = std::fs::read(path).map_err(|e| format!("{path}: {e}"))?;
    let memory: GuestMemoryMmap = GuestMemoryMmap::from_ranges(&[(GuestAddress(BASE), SIZE)])
        .map_err(|e| format!("memory: {e}"))?;
    memory.write_slice(&image, GuestAddress(BASE)).map_err(|e| format!("{path}: {e}"))?;
    let host = memory.get_host_address(GuestAddress(BASE)).map_err(|e| format!("memory: {e}"))?;

    let kvm = Kvm::new().map_err(|e| format!("/dev/kvm: {e}"))?;
    let vm = kvm.create_vm().map_err(|e| format!("KVM_CREATE_VM: {e}"))?;
    let slot = kvm_userspace_memory_region {
        guest_phys_addr: BASE,
        memory_size: SIZE as u64,
        userspace_addr: host as u64,
        ..Default::default()
    };
    // The memory is there as long as the VM.
    unsafe { vm.set_user_memory_region(slot) }.map_err(|e| format!("memory slot: {e}"))?;
    let mut vcpu = create_vcpu(&vm).map_err(|e| format!("vCPU: {e}"))?;

    let run: *mut kvm_run = vcpu.get_kvm_run();
    let machine = Machine {
        kvm: kvm.as_raw_fd(),
        vm: vm.as_raw_fd(),
        vcpu: vcpu.as_raw_fd(),
        run: run.cast(),
        base: BASE,
        memory: host,
        size: SIZE as u64,
        owner: PhantomData,
    };
    let console = Console { vm: &vm };
    let mut profiler = Profiler::new(&machine, &unit_config(), image.len() as u64, console)?;
    run_guest(&mut vcpu, &mut profiler)?;
    println!(
        "guest: PMSVer {}, {} UNDEFINED, {} interrupts",
        get_register(&vcpu, 6)?,
        get_register(&vcpu, 7)?,
        get_register(&vcpu, 8)?
    );
    let (patched, operations) = (profiler.patched(), profiler.operations());
    println!("rust-vmm: {patched} accesses patched, {operations} operations");
    Ok(())
}

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let (Some(path), None) = (arguments.next(), arguments.next()) else {
        eprintln!("usage: rust-vmm GUEST");
        return ExitCode::from(2);
    };
    match run(&path) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("rust-vmm: {error}");
            ExitCode::FAILURE
        }
    }
}
