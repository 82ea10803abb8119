#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Build vspe with one deliberate error at a time, and expect a guest to fail.

The errors of guests.list are about who is trapped, where to, and who is profiled, those of machine.list about what the
machine does. The library is compiled again, or the one file of vmm/ that has the error; all else comes from the build. Every
guest has to pass without an error first. What is found is found once more by vspe conform --guests, to which the changed vspe
is a command as any other.
"""
import concurrent.futures
import os
import shutil
import subprocess
import sys
import tempfile

import mutate

TIMEOUT = 20


class Guests:
    def __init__(self, work, images, version, commands, files):
        self.work = work
        self.images = images
        self.build = mutate.Build(commands)
        self.files = files
        self.skips = {}  # of each guest without an error
        self.plans = {}
        self.base = os.path.join(work, "base")
        os.makedirs(self.base)
        for folder in mutate.LIBRARY:
            shutil.copytree(os.path.join(mutate.ROOT, folder), os.path.join(self.base, folder))
        mutate.make_tables(self.base)
        self.library = [name for folder in mutate.LIBRARY for name in mutate.sources(self.base, folder + "/*.c")]
        mutate.compile_files(self.base, self.library, self.base)
        self.main = os.path.join(work, "main.o")
        subprocess.run([*mutate.COMPILER, *mutate.FLAGS, f'-DVSPE_VERSION="{version}"',
                        "-I" + os.path.join(mutate.ROOT, "vmm"),
                        "-I" + os.path.join(os.path.dirname(images), "vmm", "cli"), *mutate.includes(self.base),
                        os.path.join(mutate.ROOT, "vmm", "cli", "main.c"), "-o", self.main], check=True)

    def link(self, root, again, changed=()):
        """vspe with the objects of again from root and those of changed, the others as they are."""
        objects = [os.path.join(root if name in again else self.base, name.replace("/", "-") + ".o")
                   for name in self.library]
        archive = os.path.join(root, "libvspe-changed.a")
        subprocess.run(["ar", "rcs", archive, *objects], check=True)
        program = os.path.join(root, "vspe")
        libraries = [name for name in self.files if name.endswith(".a")]
        others = [name for name in self.files if not name.endswith(".a")]
        subprocess.run([*mutate.COMPILER, self.main, *changed, *libraries, archive, *others, "-lm", "-o", program],
                       check=True)
        return program

    def with_file(self, root, name, text):
        """vspe with another text of a file of vmm/, a64/ or model/, whose object stands before the libraries."""
        return self.link(root, (), [self.build.compile(name, text, root)])

    def with_library(self, root, name, text):
        """vspe with a library of which one file has another text."""
        for folder in mutate.LIBRARY:
            shutil.copytree(os.path.join(self.base, folder), os.path.join(root, folder))
        with open(os.path.join(root, name), "w", encoding="utf-8") as file:
            file.write(text)
        again = mutate.touched(self.library, name)
        mutate.make_tables(root)
        mutate.compile_files(root, again, root)
        return self.link(root, again)

    def run(self, program, guest):
        """The exit status of vspe, how many tests failed and how many were skipped."""
        name, *options = guest.split()
        try:
            result = subprocess.run([program, "run", "--tap", *options, os.path.join(self.images, name + ".Image")],
                                    stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                    timeout=TIMEOUT, text=True, check=False)
        except subprocess.TimeoutExpired:
            return 124, 0, 0
        lines = result.stdout.splitlines()
        self.plans.setdefault(guest, sum(line.startswith(("ok", "not ok")) for line in lines))
        return (result.returncode, sum(line.startswith("not ok") for line in lines),
                sum("# SKIP " in line for line in lines))

    def judged(self, program, guest):
        """The exit status of vspe conform --guests for that guest on a command, which the changed vspe is."""
        name, *options = guest.split()
        rows = program + ".list"
        with open(rows, "w", encoding="utf-8") as file:
            file.write(f"guest command {name} {self.plans[guest]} {self.skips[guest]} {TIMEOUT} {' '.join(options)}\n")
        vspe = os.path.join(os.path.dirname(self.images), "vspe")
        return subprocess.run([vspe, "conform", "--guests", rows, "--guest-dir", self.images, "--jobs", "1",
                               "--command", f"{program} run --timeout {TIMEOUT} %* %k"],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode

    def find(self, mutation):
        """How the guest failed, or None; a second value says what went wrong."""
        number, name, old, new, guest = mutation
        with open(os.path.join(mutate.ROOT, name), encoding="utf-8") as file:
            text = mutate.change(file.read(), old, new)
        if text is None:
            return None, f"{number}: \"{old}\" is not in {name} (any more)"
        root = os.path.join(self.work, str(number))
        os.makedirs(root)
        try:
            program = (self.with_library if name.split("/")[0] in mutate.LIBRARY else self.with_file)(root, name, text)
        except subprocess.CalledProcessError:
            return None, f"{number}: does not compile"
        status, failed, skipped = self.run(program, guest)
        judged = self.judged(program, guest)
        shutil.rmtree(root)
        if (judged != 0) != (status != 0 or skipped > self.skips[guest]):
            return None, f"{guest}: status {status} of vspe run, {judged} of vspe conform"
        # 1 is a failed test or an unfinished plan; the others are a guest that is lost, or hangs.
        if status == 1 and failed:
            return f"{guest}: {failed} tests failed", None
        # As in tests/guest/guests.list: a test more that is skipped is a failure.
        if status == 0 and skipped > self.skips[guest]:
            return f"{guest}: {skipped} tests skipped, not {self.skips[guest]}", None
        if status in (1, 3, 124) or status < 0:
            return f"{guest}: lost (status {status})", None
        return None, f"{guest}: passed" if status == 0 else f"{guest}: status {status}"


def main():
    errors, images, version, commands, *files = sys.argv[1:]
    wanted = mutate.chosen(errors)
    work = tempfile.mkdtemp(prefix="vspe-mutation-")
    missed = 0
    try:
        check = Guests(work, images, version, commands, files)
        program = check.link(check.base, check.library)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            guests = sorted({mutation[4] for mutation in wanted})
            for guest, (status, _, skips) in zip(guests, pool.map(lambda g: check.run(program, g), guests)):
                if status != 0:
                    sys.exit(f"\"{guest}\" fails without any error put in: status {status}")
                check.skips[guest] = skips
            for mutation, (found, problem) in zip(wanted, pool.map(check.find, wanted)):
                _, name, old, new, _ = mutation
                missed += found is None
                print(f"{'found ' if found else 'MISSED'} {name}: {old} -> {new}: {found or problem}", flush=True)
    finally:
        shutil.rmtree(work)
    print(f"{len(wanted)} deliberate errors, {len(wanted) - missed} found by guests, {missed} missed")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
