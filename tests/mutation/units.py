#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""units.py COMMANDS ARCHIVE... -- PROGRAM OBJECT... [-- PROGRAM OBJECT...]

Link the unit tests with one deliberate error of units.list at a time and expect the test that is named there to find it.

COMMANDS is compile_commands.json of a build, ARCHIVE... its libraries, OBJECT... what the test program PROGRAM is linked
from. One file is compiled again for an error, as the build does it, and stands before the libraries.
"""
import concurrent.futures
import os
import subprocess
import sys
import tempfile

import mutate

TIMEOUT = 120
# A Criterion test runs in a process of its own; nothing here needs more than one at a time.
RUN = ["--jobs", "1", "--tap", "--filter"]


def groups(arguments):
    """The words between the "--"."""
    found = [[]]
    for word in arguments:
        if word == "--":
            found.append([])
        else:
            found[-1].append(word)
    return found


class Check:
    def __init__(self, work, arguments):
        (commands, *self.archives), *programs = groups(arguments)
        self.work = work
        self.objects = {name: objects for name, *objects in programs}
        self.build = mutate.Build(commands)

    def passes(self, program, changed, tests, folder):
        """Whether the tests of this name pass; None if there is none."""
        path = os.path.join(folder, program)
        subprocess.run([*mutate.COMPILER, *self.objects[program], *changed, "-Wl,--start-group", *self.archives,
                        "-Wl,--end-group", "-lcriterion", "-lm", "-lpthread", "-o", path], check=True)
        try:
            result = subprocess.run([path, *RUN, tests], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                    timeout=TIMEOUT, text=True, check=False)
        except subprocess.TimeoutExpired:
            return False
        if result.returncode == 0 and "\nok " not in result.stdout and not result.stdout.startswith("ok "):
            return None
        return result.returncode == 0

    def find(self, mutation):
        """What is wrong, or None if the error was found."""
        number, name, old, new, where = mutation
        program, tests = where.split(" ", 1)
        with open(os.path.join(mutate.ROOT, name), encoding="utf-8") as file:
            text = file.read()
        changed = mutate.change(text, old, new)
        if changed is None:
            return f"units.list:{number}: \"{old}\" is not in {name} (any more)"
        with tempfile.TemporaryDirectory(dir=self.work) as folder:
            try:
                target = self.build.compile(name, changed, folder)
            except subprocess.CalledProcessError:
                return f"units.list:{number}: does not compile"
            passed = self.passes(program, [target], tests, folder)
        if passed is None:
            return f"units.list:{number}: no test is called \"{tests}\""
        return "not found" if passed else None


def main():
    wanted = list(mutate.mutations("units.list"))
    missed = 0
    with tempfile.TemporaryDirectory(prefix="vspe-mutation-") as work:
        check = Check(work, sys.argv[1:])
        for program in check.objects:
            with tempfile.TemporaryDirectory(dir=work) as folder:
                for tests in sorted({m[4].split(" ", 1)[1] for m in wanted if m[4].startswith(program + " ")}):
                    if not check.passes(program, [], tests, folder):
                        sys.exit(f"{program} {tests}: fails without any error put in, or is not there")
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for mutation, problem in zip(wanted, pool.map(check.find, wanted)):
                _, name, old, new, where = mutation
                missed += problem is not None
                print(f"{'MISSED' if problem else 'found '} {name}: {old} -> {new}: {problem or where}", flush=True)
    print(f"{len(wanted)} deliberate errors, {len(wanted) - missed} found, {missed} missed")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
