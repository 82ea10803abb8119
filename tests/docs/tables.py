#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""tests/docs/tables.py: the tables of guests have each guest of tests/guest/guests.list and of guests/CMakeLists.txt, and the
kernels of `vspe bench` are those of guests/bench in each place that names them; `vspe doctor` looks for the tools of a disk;
the Debian package builds with what tools/deps says of a build."""
import re
import sys
import tomllib
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent.parent
failures = []


def text(path):
    return (TOP / path).read_text()


def compare(what, found, wanted):
    for name in sorted(wanted - found):
        failures.append(f"{what}: {name} is missing")
    for name in sorted(found - wanted):
        failures.append(f"{what}: there is no {name}")


def first_cells(markdown):
    """The words in backquotes of the first cells of all tables."""
    cells = re.findall(r"^\| ([^|]*) \|", markdown, re.M)
    return {name for cell in cells for name in re.findall(r"`([a-z0-9-]+)`", cell)}


def main():
    built = set(re.findall(r"^vspe_\w*guest\w*\(([a-z0-9-]+) ", text("guests/CMakeLists.txt"), re.M))
    listed = {row.split()[2].split(".")[0] for row in text("tests/guest/guests.list").splitlines() if row and row[0] not in "# \t"}
    listed = {name for name in listed if not name.startswith("bench/")}
    compare("guests/README.md", first_cells(text("guests/README.md")) & built, built)
    page = {name for line in re.findall(r"^\.It Pa (.*)$", text("docs/vspe-conformance.7"), re.M) for name in re.split(r"[ ,]+", line)}
    compare("docs/vspe-conformance.7", page & listed, listed)

    kernels = {path.stem for path in (TOP / "guests/bench").glob("*.c")} - {"main"}
    options = tomllib.loads(text("vmm/cli/options/bench.toml"))["option"]
    compare("vmm/cli/options/bench.toml", set(next(row for row in options if row["name"] == "kernel")["complete"]), kernels)
    array = re.search(r"\bkernels\[\] = \{(.*?)\};", text("vmm/cli/bench.c"), re.S)[1]
    compare("vmm/cli/bench.c", set(re.findall(r'\.name = "(\w+)"', array)), kernels)
    loops = re.findall(r"^foreach\(kernel (.*)\)$", text("guests/CMakeLists.txt"), re.M)
    compare("guests/CMakeLists.txt", {name for loop in loops for name in loop.split()}, kernels)

    # A package's build has a compiler and libc without naming them, and pkg-config by its newer name.
    needed = {row.split()[1] for row in text("tools/deps").splitlines() if row.startswith("build ")}
    needed = needed - {"gcc", "libc6-dev", "pkg-config"} | {"pkgconf", "python3-dev"}
    depends = re.search(r"^Build-Depends: (.*?)\n\n", text("debian/control"), re.M | re.S)[1]
    compare("debian/control, Build-Depends", set(re.findall(r"^ ([a-z0-9.+-]+)", depends, re.M)), needed | {"dh-sequence-python3"})

    tools = dict(re.findall(r'"(\w+)": "([\w-]+)"', " ".join(re.findall(r"^(?:UEFI_)?TOOLS = \{(.*)\}$", text("tools/linux_guest/disk.py"), re.M))))
    rows = dict(re.findall(r'\{"([\w-]+)",\s*"([\w-]+)"\}', text("vmm/cli/doctor_checks.c")))
    compare("vmm/cli/doctor_checks.c", {f"{tool} of {package}" for tool, package in rows.items()} & {f"{tool} of {package}" for tool, package in tools.items()},
            {f"{tool} of {package}" for tool, package in tools.items()})

    for failure in failures:
        print(failure)
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
