#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""bindings/rust/stage.py OUT SYSREG_TABLES A64_TABLES: the crates as they are packaged and installed, in the folder OUT.

They are those of this folder with what they have from elsewhere: the licence, and in vspe-sys/vendor the C sources of
libvspe, with the tables that a build makes of them (sysreg/tables and a64/tables), for the feature "vendored".
"""
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
TOP = HERE.parent.parent
CRATES = ("vspe-sys", "vspe")
FOLDERS = ("sysreg", "spe", "pmu", "a64", "model")


def copy(source, target, *patterns):
    for pattern in patterns:
        for path in sorted(source.glob(pattern)):
            to = target / path.relative_to(source)
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, to)


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    out, sysreg_tables, a64_tables = map(Path, sys.argv[1:])
    shutil.rmtree(out, ignore_errors=True)
    copy(HERE, out, "Cargo.toml", "Cargo.lock", "rustfmt.toml")
    for crate in CRATES:
        copy(HERE / crate, out / crate, "Cargo.toml", "README.md", "build.rs", "src/**/*.rs", "tests/**/*.rs", "examples/**/*.rs")
        shutil.copyfile(TOP / "LICENSE", out / crate / "LICENSE")
    vendor = out / "vspe-sys/vendor"
    shutil.copyfile(HERE / "vspe-sys/wrapper.h", out / "vspe-sys/wrapper.h")
    for folder in FOLDERS:
        copy(TOP / folder, vendor / folder, "*.c", "*.h", "*.def", "*.inc")
        copy(TOP / folder / "include", vendor / "include", "vspe/*")
    copy(sysreg_tables, vendor, "*.inc")
    copy(sysreg_tables, vendor / "include", "vspe/*")
    copy(a64_tables, vendor, "a64/table.*")


if __name__ == "__main__":
    main()
