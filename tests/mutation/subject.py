#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""tests/mutation/subject.py VSPE: a sample of the deliberate errors of mutations.list, as a subject of `vspe conform --subject`.

libvspe is compiled as a shared object with the interface <vspe/subject.h>, with one error at a time. VSPE, which has
none, must find the error in the points of the list's row. Without an error the object must pass them.
"""
import concurrent.futures
import os
import shutil
import subprocess
import sys
import tempfile

from mutate import COMPILER, FLAGS, LIBRARY, ROOT, change, includes, make_tables, mutations, sources

EACH = 9  # of the list
WRAPPER = ["vmm/conform/subject_libvspe.c"]


def build(root):
    """LIB.so of the copy in root."""
    make_tables(root)
    target = os.path.join(root, "subject.so")
    files = [os.path.join(root, name) for pattern in ("sysreg/*.c", "spe/*.c", "pmu/*.c") for name in sources(root, pattern)]
    subprocess.run([*COMPILER, *[flag for flag in FLAGS if flag != "-c"], "-shared", "-fPIC", *includes(root), "-I" + ROOT,
                    "-I" + os.path.join(ROOT, "vmm/conform/include"), "-Dsubject_libvspe=vspe_subject", *files,
                    *[os.path.join(ROOT, name) for name in WRAPPER], "-o", target], check=True, stderr=subprocess.DEVNULL)
    return target


def copy(root, name=None, old=None, new=None):
    """The library in root, with the error applied."""
    for folder in LIBRARY:
        shutil.copytree(os.path.join(ROOT, folder), os.path.join(root, folder))
    if name:
        path = os.path.join(root, name)
        with open(path, encoding="utf-8") as file:
            text = change(file.read(), old, new)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    return root


def conform(vspe, subject, points):
    """The exit code, and the first point that failed."""
    done = subprocess.run([vspe, "conform", "--subject", subject, "--jobs", "1", "--only", points], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True, check=False)
    failed = [line for line in done.stdout.splitlines() if line.startswith("not ok ")]
    return done.returncode, failed[0].split(" - ", 1)[1] if failed else None


def find(vspe, work, row):
    number, name, old, new, points = row
    root = os.path.join(work, str(number))
    try:
        code, point = conform(vspe, build(copy(root, name, old, new)), points)
    except subprocess.CalledProcessError:
        return f"MISSED {name}: {old} -> {new}: does not compile"
    finally:
        shutil.rmtree(root, ignore_errors=True)
    if code == 1 and point:
        return f"found  {name}: {old} -> {new}: {point}"
    return f"MISSED {name}: {old} -> {new}: exit code {code}"


def main():
    vspe = os.path.abspath(sys.argv[1])
    rows = [row for row in mutations("mutations.list") if row[1].startswith(("sysreg/", "spe/"))][::EACH]
    work = tempfile.mkdtemp(prefix="vspe-mutation-")
    missed = 0
    try:
        right = build(copy(os.path.join(work, "right")))
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            filters = sorted({row[4] for row in rows})
            for points, (code, point) in zip(filters, pool.map(lambda points: conform(vspe, right, points), filters)):
                if code:
                    sys.exit(f'"{points}" fails without any error put in: exit code {code}, {point}')
            for line in pool.map(lambda row: find(vspe, work, row), rows):
                missed += line.startswith("MISSED")
                print(line, flush=True)
    finally:
        shutil.rmtree(work)
    print(f"{len(rows)} deliberate errors, {len(rows) - missed} found, {missed} missed")
    return 1 if missed or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
