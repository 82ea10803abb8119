#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""mutate.py LIBBASE: build the library with one deliberate error at a time and expect the conformance suite to find each.

The library and the suite are copied; only what an error touches is compiled again. Every point that is used
has to pass without an error first: else finding one would say nothing.
"""
import concurrent.futures
import glob
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HERE = os.path.join(ROOT, "tests", "mutation")
COMPILER = os.environ.get("CC", "gcc").split()
# Warnings are no test: what the compiler would complain about has to be found at run time.
FLAGS = ["-std=gnu11", "-O1", "-w", "-c"]
TIMEOUT = 120
LIBRARY = ("sysreg", "spe", "pmu")


def mutations(name):
    with open(os.path.join(HERE, name), encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if line.startswith("#") or not line.strip():
                continue
            parts = line.rstrip("\n").split(" | ")
            # A text may have " | " in it: the same one on both sides.
            if len(parts) == 6:
                parts = [parts[0], " | ".join(parts[1:3]), " | ".join(parts[3:5]), parts[5]]
            if len(parts) != 4:
                sys.exit(f"{name}:{number}: not four parts")
            yield (number, *parts)


def chosen(name):
    """The errors to look for: all, or each VSPE_MUTATION_EVERYth of the list."""
    return list(mutations(name))[::int(os.environ.get("VSPE_MUTATION_EVERY", "1"))]


def change(text, old, new):
    """The text with old replaced once, from the row on if one is named; None if it is not there."""
    start, end = 0, len(text)
    if old.startswith("^"):
        row, old = old[1:].split(" ", 1)
        start = text.find(f"REGISTER({row},")
        end = text.find(")\n", start)
        if start < 0:
            return None
    at = text.find(old, start, end)
    if at < 0:
        return None
    return text[:at] + new + text[at + len(old):]


def stale_rows():
    """The rows of all lists whose text the sources have no more: a moment's work, before hours of it."""
    for path in sorted(glob.glob(os.path.join(HERE, "*.list"))):
        for number, name, old, new, _ in mutations(os.path.basename(path)):
            with open(os.path.join(ROOT, name), encoding="utf-8") as file:
                if change(file.read(), old, new) is None:
                    yield f"{os.path.basename(path)}:{number}: \"{old}\" is not in {name} (any more)"


def includes(root):
    """Where a copy's files look for headers: in the copy, and for those that it has not in the tree."""
    return [*("-I" + os.path.join(root, folder)
              for folder in ("", "sysreg", "sysreg/include", "sysreg/tables", "spe/include", "pmu/include", "vmm",
                            "vmm/conform/include")),
            "-I" + os.path.join(ROOT, "vmm"), "-I" + ROOT]


def make_tables(root):
    """What CMake makes of the tables of registers."""
    sysreg = os.path.join(root, "sysreg")
    subprocess.run([sys.executable, "-B", os.path.join(sysreg, "generate.py"), os.path.join(sysreg, "tables")],
                   check=True, stderr=subprocess.DEVNULL, env={**os.environ, "PYTHONPATH": os.path.join(ROOT, "tools")})


def compile_files(root, files, out):
    for name in files:
        target = os.path.join(out, name.replace("/", "-") + ".o")
        subprocess.run([*COMPILER, *FLAGS, *includes(root), os.path.join(root, name), "-o", target],
                       check=True, stdout=subprocess.DEVNULL)


class Build:
    """Compiles one changed file as the build does, by its compile_commands.json."""

    def __init__(self, commands):
        with open(commands, encoding="utf-8") as file:
            rows = json.load(file)
        # The first of a file's rows is the library's own; later ones are of the shared object and of tests.
        self.commands = {}
        for row in rows:
            self.commands.setdefault(os.path.relpath(row["file"], ROOT), row)

    def compile(self, name, text, folder):
        """The object of name with another text; warnings are no error."""
        row = self.commands[name]
        words = shlex.split(row["command"])
        source, target = os.path.join(folder, "changed.c"), os.path.join(folder, "changed.o")
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        words[words.index("-o") + 1] = target
        words[words.index("-c") + 1] = source
        words[1:1] = ["-iquote", os.path.dirname(row["file"]), "-w"]
        words = [word for word in words if word != "-Werror"]
        subprocess.run(words, cwd=row["directory"], check=True, stderr=subprocess.DEVNULL)
        return target


def sources(root, pattern):
    return sorted(os.path.relpath(p, root) for p in glob.glob(os.path.join(root, pattern)))


def link(objects, program):
    """Of vmm/base, whose library is the command's argument, what the others need."""
    subprocess.run([*COMPILER, *objects, *sys.argv[1:], "-lexpat", "-lm", "-lpthread", "-o", program], check=True)


def run(program, points):
    return subprocess.run([program, points], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          timeout=TIMEOUT, text=True, check=False)


def touched(library, name):
    """What of the library has to be compiled again."""
    if name.endswith(".c"):
        return [name]
    if name.endswith((".def", ".py")) and not name.endswith("steps.def"):
        return library  # what generate.py makes is in public headers too
    # The unit includes headers of sysreg/ too.
    if name.startswith("sysreg/include") or name == "sysreg/levels.h":
        return library
    return [f for f in library if f.startswith(name.split("/", maxsplit=1)[0])]


class Check:
    def __init__(self, work):
        self.work = work
        self.base = os.path.join(work, "base")
        self.objects = os.path.join(self.base, "objects")
        os.makedirs(self.objects)
        for folder in (*LIBRARY, "vmm/arm", "vmm/conform", "vmm/trace", "tests/mutation"):
            shutil.copytree(os.path.join(ROOT, folder), os.path.join(self.base, folder))
        make_tables(self.base)
        self.library = [file for folder in LIBRARY for file in sources(self.base, f"{folder}/*.c")]
        self.suite = (sources(self.base, "vmm/conform/*.c") + sources(self.base, "vmm/trace/record*.c")
                      + ["tests/mutation/driver.c"])
        everything = self.library + self.suite
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(lambda name: compile_files(self.base, [name], self.objects), everything))
        self.program = os.path.join(self.base, "conform")
        link(self.objects_of(self.objects, everything), self.program)

    @staticmethod
    def objects_of(folder, files):
        return [os.path.join(folder, name.replace("/", "-") + ".o") for name in files]

    def passes(self, points):
        return run(self.program, points).returncode == 0

    def find(self, mutation):
        """The name of the point that found the error, or None; a second value says what went wrong."""
        number, name, old, new, points = mutation
        root = os.path.join(self.work, str(number))
        for folder in LIBRARY:
            shutil.copytree(os.path.join(self.base, folder), os.path.join(root, folder))
        path = os.path.join(root, name)
        with open(path, encoding="utf-8") as file:
            text = change(file.read(), old, new)
        if text is None:
            return None, f"mutations.list:{number}: \"{old}\" is not in {name} (any more)"
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        out = os.path.join(root, "objects")
        os.makedirs(out)
        again = touched(self.library, name)
        try:
            make_tables(root)
            compile_files(root, again, out)
        except subprocess.CalledProcessError:
            return None, f"mutations.list:{number}: does not compile"
        objects = self.objects_of(out, again) + self.objects_of(
            self.objects, [f for f in self.library + self.suite if f not in again])
        program = os.path.join(root, "conform")
        link(objects, program)
        try:
            result = run(program, points)
        except subprocess.TimeoutExpired:
            shutil.rmtree(root)
            return f"{points} (no end)", None
        shutil.rmtree(root)
        # 1 is a point that failed; a crash finds the error too.
        if result.returncode == 1:
            return result.stdout.strip(), None
        if result.returncode < 0:
            return f"{points} (signal {-result.returncode})", None
        return None, "not found" if result.returncode == 0 else f"no point is called \"{points}\""


def main():
    if sys.argv[1:] == ["--rows"]:
        stale = list(stale_rows())
        print(*stale, sep="\n", end="\n" if stale else "")
        return 1 if stale else 0
    wanted = chosen("mutations.list")
    work = tempfile.mkdtemp(prefix="vspe-mutation-")
    missed = 0
    try:
        check = Check(work)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            filters = sorted({mutation[4] for mutation in wanted})
            for points, good in zip(filters, pool.map(check.passes, filters)):
                if not good:
                    sys.exit(f"\"{points}\" fails without any error put in")
            for mutation, (found, problem) in zip(wanted, pool.map(check.find, wanted)):
                _, name, old, new, _ = mutation
                missed += found is None
                print(f"{'found ' if found else 'MISSED'} {name}: {old} -> {new}: {found or problem}",
                      flush=True)
    finally:
        shutil.rmtree(work)
    print(f"{len(wanted)} deliberate errors, {len(wanted) - missed} found, {missed} missed")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
