#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""units.py COMMANDS ARCHIVE... -- PROGRAM OBJECT... [-- PROGRAM OBJECT...]

Link the unit tests with one deliberate error of units.list at a time and expect the test that is named there to find it.

COMMANDS is compile_commands.json of a build, ARCHIVE... its libraries, OBJECT... what the test program PROGRAM is
linked from. For each error one file is compiled again, with the flags of the build, and linked before the libraries.
"""
import concurrent.futures
import os
import subprocess
import sys
import tempfile

import mutate

TIMEOUT = 120
# Each Criterion test runs in a separate process; nothing here needs more than one at a time.
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

    def link(self, program, changed, folder):
        """The test program with changed objects before its libraries."""
        path = os.path.join(folder, program)
        subprocess.run([*mutate.COMPILER, *self.objects[program], *changed, "-Wl,--start-group", *self.archives,
                        "-Wl,--end-group", "-Wl,--strip-debug", "-lcriterion", "-lm", "-lpthread", "-o", path], check=True)
        return path

    @staticmethod
    def passes(path, tests):
        """Whether the tests of this name pass; None if there is none."""
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
            passed = self.passes(self.link(program, [target], folder), tests)
        if passed is None:
            return f"units.list:{number}: no test is called \"{tests}\""
        return "not found" if passed else None


def main():
    wanted = mutate.chosen("units.list")
    missed = 0
    with tempfile.TemporaryDirectory(prefix="vspe-mutation-") as work:
        check = Check(work, sys.argv[1:])
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            wheres = sorted({where for *_, where in wanted})
            whole = {program: pool.submit(check.link, program, [], work) for program in {w.split(" ", 1)[0] for w in wheres}}

            def passes_whole(where):
                program, tests = where.split(" ", 1)
                return check.passes(whole[program].result(), tests)

            for where, passed in zip(wheres, pool.map(passes_whole, wheres)):
                if not passed:
                    sys.exit(f"{where}: fails without any error put in, or is not there")
            for mutation, problem in zip(wanted, pool.map(check.find, wanted)):
                _, name, old, new, where = mutation
                missed += problem is not None
                print(f"{'MISSED' if problem else 'found '} {name}: {old} -> {new}: {problem or where}", flush=True)
    print(f"{len(wanted)} deliberate errors, {len(wanted) - missed} found, {missed} missed")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
