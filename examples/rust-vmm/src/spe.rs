// SPDX-License-Identifier: BSD-2-Clause
//! libvspe-kvm for one vCPU, as Rust likes it: what has to outlive what is in types, and an error is
//! a `Result`.
use std::ffi::{c_char, c_int, c_uint, c_void, CStr};
use std::marker::PhantomData;
use std::ptr::null_mut;

use vspe_kvm_sys::vspe_sys::{spe_config, spe_timestamp};
use vspe_kvm_sys::*;

/// What the profiler tells while the guest runs.
pub trait Events {
    /// The level of the buffer interrupt.
    fn irq(&mut self, level: bool);
    /// The time for a record, with so many operations counted before it.
    fn time(&mut self, operations: u64) -> u64;
    /// Bytes of records, as they are in the guest's buffer.
    fn records(&mut self, bytes: &[u8]);
}

/// What there is of a KVM program: descriptors, and one region of memory.
pub struct Machine<'a> {
    pub kvm: c_int,
    pub vm: c_int,
    pub vcpu: c_int,
    pub run: *mut c_void,
    pub base: u64,
    pub memory: *mut u8,
    pub size: u64,
    /// Of what all of this is.
    pub owner: PhantomData<&'a ()>,
}

/// What a call around KVM_RUN came to.
#[derive(PartialEq, Eq, Debug)]
pub enum Turn {
    Run,
    Again,
    Yours,
}

struct Context<E> {
    events: E,
    vcpu: *mut vspe_kvm_vcpu,
}

pub struct Profiler<'a, E: Events> {
    vm: *mut vspe_kvm,
    context: *mut Context<E>, // a Box, which callbacks look into while a call of ours runs
    machine: PhantomData<&'a E>,
}

unsafe extern "C" fn irq<E: Events>(ctx: *mut c_void, _cpu: c_uint, level: bool) {
    (*ctx.cast::<Context<E>>()).events.irq(level);
}

unsafe extern "C" fn counter<E: Events>(ctx: *mut c_void, _: c_uint, _: spe_timestamp) -> u64 {
    let context = &mut *ctx.cast::<Context<E>>();
    context.events.time(vspe_kvm_operations(context.vcpu))
}

unsafe extern "C" fn data<E: Events>(ctx: *mut c_void, _: c_uint, bytes: *const u8, size: usize) {
    let bytes = std::slice::from_raw_parts(bytes, size);
    (*ctx.cast::<Context<E>>()).events.records(bytes);
}

/// A text that the library has filled in.
fn text(why: *const c_char) -> String {
    // The library ends it with a zero, and it stays until the next call.
    unsafe { CStr::from_ptr(why) }.to_string_lossy().into_owned()
}

impl<'a, E: Events> Profiler<'a, E> {
    /// SPE with this unit for the one vCPU, with a BRK in the place of each access in the first
    /// `code` bytes of its memory, and single steps where profiling is enabled.
    pub fn new(
        machine: &Machine<'a>,
        unit: &spe_config,
        code: u64,
        events: E,
    ) -> Result<Self, String> {
        let region =
            vspe_kvm_region { base: machine.base, size: machine.size, host: machine.memory.cast() };
        let range = vspe_kvm_range { base: machine.base, size: code, kind: VSPE_KVM_RANGE_CODE };
        let mut config = vspe_kvm_config::default();
        let mut why: [c_char; 200] = [0; 200];
        let context = Box::into_raw(Box::new(Context { events, vcpu: null_mut() }));
        let mut made = Profiler { vm: null_mut(), context, machine: PhantomData };

        // What is pointed to lives until the calls return, or as long as the machine.
        let error = unsafe {
            let mut error = vspe_kvm_config_defaults(&mut config, std::mem::size_of_val(&config));
            config.kvm = machine.kvm;
            config.vm = machine.vm;
            config.regions = &region;
            config.region_count = 1;
            config.trap = VSPE_KVM_TRAP_PATCH;
            config.ctx = context.cast();
            config.callbacks.irq = Some(irq::<E>);
            config.callbacks.counter = Some(counter::<E>);
            config.callbacks.data = Some(data::<E>);
            if error == 0 {
                error = vspe_kvm_create(&mut made.vm, &config, why.as_mut_ptr(), why.len());
            }
            if error == 0 {
                let vcpu = &mut (*context).vcpu;
                let run = machine.run.cast();
                error = vspe_kvm_vcpu_create(
                    vcpu,
                    made.vm,
                    0,
                    machine.vcpu,
                    run,
                    unit,
                    why.as_mut_ptr(),
                    why.len(),
                );
            }
            if error == 0 {
                error = vspe_kvm_patch(made.vm, &range, 1);
            }
            error
        };
        match error {
            0 => Ok(made),
            _ if why[0] != 0 => Err(text(why.as_ptr())),
            _ => Err(text(unsafe { vspe_kvm_strerror(error) })),
        }
    }

    fn vcpu(&self) -> *mut vspe_kvm_vcpu {
        unsafe { (*self.context).vcpu }
    }

    fn turn(&self, result: c_int) -> Result<Turn, String> {
        match result {
            result if result < 0 => Err(text(unsafe { vspe_kvm_why(self.vcpu()) })),
            result if result as u32 == VSPE_KVM_RUN => Ok(Turn::Run),
            result if result as u32 == VSPE_KVM_AGAIN => Ok(Turn::Again),
            _ => Ok(Turn::Yours),
        }
    }

    /// Before KVM_RUN.
    pub fn before_run(&mut self) -> Result<Turn, String> {
        let result = unsafe { vspe_kvm_before_run(self.vcpu()) };
        self.turn(result)
    }

    /// Behind it. error: its errno, or 0.
    pub fn after_run(&mut self, error: c_int) -> Result<Turn, String> {
        let result = unsafe { vspe_kvm_after_run(self.vcpu(), error) };
        self.turn(result)
    }

    /// Operations that were counted so far.
    pub fn operations(&self) -> u64 {
        unsafe { vspe_kvm_operations(self.vcpu()) }
    }

    /// Accesses that have become a BRK.
    pub fn patched(&self) -> u64 {
        let mut sites = [0; VSPE_KVM_SITE_KINDS as usize];
        unsafe { vspe_kvm_sites(self.vm, sites.as_mut_ptr()) };
        sites[VSPE_KVM_SITE_PATCHED as usize]
    }
}

impl<E: Events> Drop for Profiler<'_, E> {
    fn drop(&mut self) {
        unsafe {
            vspe_kvm_destroy(self.vm);
            drop(Box::from_raw(self.context));
        }
    }
}
