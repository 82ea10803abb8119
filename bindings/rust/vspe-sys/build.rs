// SPDX-License-Identifier: BSD-2-Clause
//! Finds libvspe for the target: with the feature `vendored` it compiles the sources of `vendor/`;
//! otherwise it looks in the folder VSPE_LIB_DIR, or where pkg-config says. With VSPE_STATIC=1, or
//! where that folder has no shared object, libvspe.a is linked into the program. README.md has the
//! variables.
use std::env;
use std::path::{Path, PathBuf};
use std::process::{exit, Command};

/// Versions with the binary interface of these declarations.
const WANTED: [&str; 2] = ["vspe >= 0.9.0", "vspe < 0.10.0"];

/// As CMakeLists.txt compiles them.
const FLAGS: [&str; 5] = ["-O2", "-std=gnu11", "-ffreestanding", "-fvisibility=hidden", "-fPIC"];

fn fail(why: &str) -> ! {
    eprintln!("{}", why);
    exit(1)
}

/// A variable of cargo's.
fn given(name: &str) -> String {
    env::var(name).unwrap_or_default()
}

fn is_cross() -> bool {
    given("HOST") != given("TARGET")
}

/// A variable of the target: NAME_aarch64-unknown-linux-gnu, NAME_aarch64_unknown_linux_gnu,
/// TARGET_NAME if the target is another, NAME.
fn variable(name: &str) -> Option<String> {
    let target = given("TARGET");
    let mut names =
        vec![format!("{}_{}", name, target), format!("{}_{}", name, target.replace('-', "_"))];
    if is_cross() {
        names.push(format!("TARGET_{}", name));
    }
    names.push(name.into());
    for name in &names {
        println!("cargo:rerun-if-env-changed={}", name);
    }
    names.iter().find_map(|name| env::var(name).ok().filter(|value| !value.is_empty()))
}

/// A program of the target: that of the variable, or for another target that of GNU's triple.
fn program(name: &str, native: &str, cross: &str) -> String {
    let triple = given("TARGET").replace("-unknown-", "-").replace("-musl", "-gnu");
    variable(name).unwrap_or_else(|| match is_cross() {
        true => format!("{}-{}", triple, cross),
        false => native.into(),
    })
}

fn run(command: &mut Command) {
    match command.status() {
        Ok(status) if status.success() => {}
        Ok(status) => fail(&format!("{:?}: {}", command, status)),
        Err(error) => fail(&format!("{:?}: {}", command, error)),
    }
}

/// The C files below a folder, in one order on each host.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| {
        fail(&format!(
            "{}: {}: a crate of `cargo package`, or of an installed libvspe-dev, has the sources",
            folder.display(),
            error
        ))
    });
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths.iter().fold(Vec::new(), |mut found, path| {
        if path.is_dir() {
            found.extend(sources(path));
        } else if path.extension().map_or(false, |end| end == "c") {
            found.push(path.clone());
        }
        found
    })
}

fn compile() {
    let vendor = Path::new(&given("CARGO_MANIFEST_DIR")).join("vendor");
    let out = PathBuf::from(given("OUT_DIR"));
    let cc = program("CC", "cc", "gcc");
    let library = out.join("libvspe.a");
    let mut objects = Vec::new();

    println!("cargo:rerun-if-changed=vendor");
    for (n, source) in sources(&vendor).iter().enumerate() {
        let object = out.join(format!("{}.o", n));
        // More words than one: "ccache gcc".
        let mut words = cc.split_whitespace();
        let mut command = Command::new(words.next().unwrap_or("cc"));
        command
            .args(words)
            .args(FLAGS)
            .arg("-I")
            .arg(&vendor)
            .arg("-I")
            .arg(vendor.join("include"));
        if let Some(more) = variable("CFLAGS") {
            command.args(more.split_whitespace());
        }
        run(command.arg("-c").arg(source).arg("-o").arg(&object));
        objects.push(object);
    }
    let _ = std::fs::remove_file(&library);
    run(Command::new(program("AR", "ar", "ar")).arg("crs").arg(&library).args(&objects));
    println!("cargo:rustc-link-search=native={}", out.display());
    println!("cargo:rustc-link-lib=static=vspe");
}

fn pkg_config() -> Result<String, String> {
    let program = program("PKG_CONFIG", "pkg-config", "pkg-config");
    let mut command = Command::new(&program);
    for name in ["PKG_CONFIG_PATH", "PKG_CONFIG_LIBDIR", "PKG_CONFIG_SYSROOT_DIR"] {
        if let Some(value) = variable(name) {
            command.env(name, value);
        }
    }
    let out = command
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

fn find() {
    let folder = variable("VSPE_LIB_DIR").unwrap_or_else(|| {
        pkg_config().unwrap_or_else(|error| {
            fail(&format!(
                "libvspe 0.9 for {} is not found: {}: install libvspe-dev, set VSPE_LIB_DIR, or \
                 take the feature \"vendored\"",
                given("TARGET"),
                error
            ))
        })
    });
    let has = |name: &str| Path::new(&folder).join(name).exists();
    let wants_static = variable("VSPE_STATIC").map_or(false, |value| value == "1");
    let kind = if has("libvspe.a") && (wants_static || !has("libvspe.so")) {
        println!("cargo:rerun-if-changed={}/libvspe.a", folder);
        "static"
    } else if has("libvspe.so") && !wants_static {
        "dylib"
    } else {
        let end = if wants_static { ".a" } else { "" };
        fail(&format!("{}: there is no libvspe{} here", folder, end))
    };
    println!("cargo:rustc-link-search=native={}", folder);
    println!("cargo:rustc-link-lib={}=vspe", kind);
}

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if env::var_os("CARGO_FEATURE_VENDORED").is_some() {
        compile();
    } else {
        find();
    }
}
