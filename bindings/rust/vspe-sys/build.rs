// SPDX-License-Identifier: BSD-2-Clause
//! Finds libvspe: in the folder VSPE_LIB_DIR, or else where pkg-config says. With VSPE_STATIC=1, or
//! where VSPE_LIB_DIR has no shared object, libvspe.a is linked into the program.
use std::path::Path;
use std::process::{exit, Command};

/// Versions with the binary interface of these declarations.
const WANTED: [&str; 2] = ["vspe >= 0.2.0", "vspe < 0.3.0"];

fn pkg_config() -> Result<String, String> {
    let program = std::env::var("PKG_CONFIG").unwrap_or_else(|_| "pkg-config".into());
    let out = Command::new(&program)
        .args(["--variable=libdir", "--print-errors"])
        .args(WANTED)
        .output()
        .map_err(|error| format!("{}: {}", program, error))?;
    if !out.status.success() {
        return Err(String::from_utf8_lossy(&out.stderr).trim().into());
    }
    let folder = String::from_utf8_lossy(&out.stdout).trim().to_string();
    Ok(folder.split_whitespace().next().unwrap_or("").into())
}

fn main() {
    for name in ["VSPE_LIB_DIR", "VSPE_STATIC", "PKG_CONFIG", "PKG_CONFIG_PATH"] {
        println!("cargo:rerun-if-env-changed={}", name);
    }
    println!("cargo:rerun-if-changed=build.rs");
    let folder = match std::env::var("VSPE_LIB_DIR") {
        Ok(folder) => folder,
        Err(_) => pkg_config().unwrap_or_else(|error| {
            eprintln!("libvspe 0.2 is not found, and VSPE_LIB_DIR not set: {}", error);
            exit(1);
        }),
    };
    let has = |name: &str| Path::new(&folder).join(name).exists();
    let wants_static = std::env::var("VSPE_STATIC").map_or(false, |value| value == "1");
    let kind = if has("libvspe.a") && (wants_static || !has("libvspe.so")) {
        println!("cargo:rerun-if-changed={}/libvspe.a", folder);
        "static"
    } else if has("libvspe.so") && !wants_static {
        "dylib"
    } else {
        eprintln!("{}: there is no libvspe{} here", folder, if wants_static { ".a" } else { "" });
        exit(1);
    };
    println!("cargo:rustc-link-search=native={}", folder);
    println!("cargo:rustc-link-lib={}=vspe", kind);
}
