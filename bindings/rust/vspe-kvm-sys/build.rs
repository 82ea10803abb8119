// SPDX-License-Identifier: BSD-2-Clause
//! Finds libvspe-kvm: in the folder VSPE_LIB_DIR, or else where pkg-config says. With VSPE_STATIC=1,
//! or where that folder has no shared object, libvspe-kvm.a is linked into the program.
use std::path::Path;
use std::process::{exit, Command};

fn pkg_config() -> Option<String> {
    let program = std::env::var("PKG_CONFIG").unwrap_or_else(|_| "pkg-config".into());
    let wanted = ["--variable=libdir", "vspe-kvm >= 0.9.0", "vspe-kvm < 0.10.0"];
    let out = Command::new(&program).args(wanted).output().ok()?;
    let folder = String::from_utf8_lossy(&out.stdout).trim().to_string();
    out.status.success().then(|| folder.split_whitespace().next().unwrap_or("").into())
}

fn main() {
    for name in ["VSPE_LIB_DIR", "VSPE_STATIC", "PKG_CONFIG", "PKG_CONFIG_PATH"] {
        println!("cargo:rerun-if-env-changed={}", name);
    }
    println!("cargo:rerun-if-changed=build.rs");
    let folder = match std::env::var("VSPE_LIB_DIR").ok().or_else(pkg_config) {
        Some(folder) => folder,
        None => {
            eprintln!("libvspe-kvm 0.9 is not found, and VSPE_LIB_DIR not set");
            exit(1);
        }
    };
    let has = |name: &str| Path::new(&folder).join(name).exists();
    let wants_static = std::env::var("VSPE_STATIC").map_or(false, |value| value == "1");
    let kind = if has("libvspe-kvm.a") && (wants_static || !has("libvspe-kvm.so")) {
        println!("cargo:rerun-if-changed={}/libvspe-kvm.a", folder);
        "static"
    } else if has("libvspe-kvm.so") && !wants_static {
        "dylib"
    } else {
        eprintln!(
            "{}: there is no libvspe-kvm{} here",
            folder,
            if wants_static { ".a" } else { "" }
        );
        exit(1);
    };
    println!("cargo:rustc-link-search=native={}", folder);
    println!("cargo:rustc-link-lib={}=vspe-kvm", kind);
}
