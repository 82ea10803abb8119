#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""tests/guest/permitted.py VSPE GUESTS [--whole] [--combinations N] [--quick N] [--seed N] [--jobs N] [--only GUEST]: every permitted PE passes.

Each word of --spe help runs with each of its values, and so do combinations drawn by a seed, with the guests that
use SPE. A value that is invalid alone gets the least that it needs; a combination that vspe refuses is drawn again.
Each value runs with six quick guests and a slow one; a combination with two quick ones, and every fourth with a slow
one. The guests take turns, so each runs on as many PEs as the others. With --whole everything runs with all.

A guest that fails, hangs, or prints nothing is a failure, and so is a word that cannot be tried. Each failure is
printed with the command that repeats it.
"""
import argparse
import collections
import concurrent.futures
import random
import re
import subprocess
import sys

# As guests.list starts them.
QUICK = """hotspot|interval|registers|buffer|abort|answered|smp -c 4|smp-load -c 4|hostile|wide --isa all|sve --isa all|kvm-traps|trap-cost
debug|pmu --pmu v3p8|pmu-profile --pmu v3p8|traps --el 2|ownership --el 3|ownership --el 2""".replace("\n", "|").split("|")
SLOW = """switch --el 2|trap-and-emulate --el 2|nv --el 2|el3 --el 3|pmu-levels --el 2 --pmu v3p8|pipeline --model full
pmu-model --pmu v3p8 --model full|chase --model full -c 2 -p large=33554432""".replace("\n", "|").split("|")

VERSIONS = ["v1p0", "v1p1", "v1p2", "v1p3", "v1p4", "v1p5"]
# Values of words that take any number: both ends, and some between.
NUMBERS = {
    "events": [0, 0x10, 0xf714, 0xff00000000000000, 0xff0000000000f714, 0xffff00000000f700, 0xf80000, 0xffff000000f8f700],
    "pointer-res0": range(7),
    "sources": [0, 1, 0x8000000000000000, 0x5501, 0xfffffffffffffffe, 0xffffffffffffffff],
    "maxbuffer": [0, 0x1000, 0x2000, 0x3000, 0x10000, 0x1ff000, 0x200000, 0x40000000, 0x3ff000000000],
    "fault-lag": [0, 1, 2, 3, 17, 255],
    "inflight": [1, 2, 3, 5, 8],
    "lifetime": [0, 1, 100, 255, 256, 257, 2000, 0xffffffff],
    "seed": [0, 1, 2, 0xffffffffffffffff],
}
# What a value may need with it: the first that makes it valid is taken.
COMPANIONS = [[], ["eft", "fpf"], ["no-eft", "no-fpf"], ["maxsize=2048"], ["no-archinst"], ["oversize=event"],
              ["no-lds"], ["no-lds", "no-pbt"], ["incomplete"], ["align=1"], ["align=1", "events=0"]]


def words_of(vspe):
    """Every word of --spe help, in its order: its name, and its values as they are given."""
    text = subprocess.run([vspe, "run", "--spe", "help"], capture_output=True, text=True, check=True).stdout
    words = {"version": VERSIONS}
    keys = False
    for line in text.splitlines():
        if line.startswith("Profiles"):
            words.update((name, [name]) for name in re.findall(r"^  (\S+)", text[text.index(line):], re.M))
            break
        keys = keys or line == "Keys:"
        match = re.match(r"  (\S+)\s+(.*)", line)
        if not match or "not to be had" in line:
            continue
        name, rest = match.groups()
        if not keys:
            if rest.endswith(")"):
                words[name] = [name, f"no-{name}"]
            continue
        values = rest.rsplit(": ", 1)[1].replace("(", "").replace(")", "").split()
        if len(values) == 1:
            if name not in NUMBERS:
                sys.exit(f"not ok - {name}=: permitted.py does not know which numbers to try")
            values = [hex(n) for n in NUMBERS[name]]
        words[name] = [f"{name}={value}" for value in values]
    return words


class Vspe:
    """The machine, and its answers to the choices that were tried."""

    def __init__(self, path, folder, seconds):
        self.path, self.folder, self.seconds, self.known = path, folder, seconds, {}

    @staticmethod
    def with_spe(name, arguments, choices):
        """dpfzs needs a PE with FEAT_PMUv3p7. No register reports misspeculated operations, or how many can be
        sampled at a time: guests whose counts depend on them get both as boot arguments."""
        pmu = ["--pmu", "v3p8"] if "dpfzs" in choices and "--pmu" not in arguments else []
        misspec = [n for n, value in enumerate(("excluded", "member", "captured")) if f"misspec={value}" in choices]
        told = [f"misspec={misspec[-1]}"] if misspec else []
        told += [value for value in choices if value.startswith("inflight=")][-1:]
        told = ["-p", " ".join(told)] if told and name in ("pipeline", "pmu-model") else []
        return [*arguments, *pmu, *told, "--spe", ",".join(choices)]

    def refusal(self, choices):
        """None if there is such a PE. The kernel does not exist, which vspe reports after it has checked --spe."""
        key = ",".join(choices)
        if key not in self.known:
            command = [self.path, "run", *self.with_spe("", [], choices), "--kernel", "/nonexistent"]
            out = subprocess.run(command, capture_output=True, text=True, check=False)
            self.known[key] = None if out.returncode == 2 and "/nonexistent:" in out.stderr else out.stderr.strip()
        return self.known[key]

    def command(self, guest, choices):
        name, *arguments = guest.split()
        return [self.path, "run", "--tap", "--timeout", str(self.seconds), *self.with_spe(name, arguments, choices),
                "--kernel", f"{self.folder}/{name}.Image"]

    def run(self, guest, choices):
        """The tests that passed and those that were skipped, and what is wrong."""
        command = self.command(guest, choices)
        try:
            out = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False,
                                 stdin=subprocess.DEVNULL, timeout=2 * self.seconds)
            code, console, error = out.returncode, out.stdout, out.stderr
        except subprocess.TimeoutExpired:
            code, console, error = "none: it hangs", "", ""
        skipped = re.findall(r"^ok .*# SKIP (.*)", console, re.M)
        passed = len(re.findall(r"^ok ", console, re.M)) - len(skipped)
        if code == 0 and passed + len(skipped):
            return passed, skipped, None
        wrong = [line for line in console.splitlines() if line.startswith("not ok")] + error.splitlines()[-2:]
        return passed, skipped, "\n".join([f"not ok - exit code {code}: " + " ".join(command), *(f"#   {w}" for w in wrong)])


def single(vspe, words, word):
    """Each value of each word, with what it needs; values that the machine cannot have; and values that are refused in
    any combination."""
    found, absent, missing = [], [], []
    for value in (v for name, values in words.items() for v in values if word in (None, name)):
        if value in VERSIONS:
            tries = [[value]]
        else:
            tries = [[version, *companions, value] for companions in COMPANIONS
                     for version in ["v1p2", "v1p5", "v1p4", "v1p3", "v1p1", "v1p0"]]
        choices = next((t for t in tries if not vspe.refusal(t)), None)
        if choices:
            found.append(choices)
        elif any("the software CPU" in vspe.refusal(t) for t in tries):
            absent.append(value)
        else:
            missing.append(value)
    return found, absent, missing


def combinations(vspe, words, count, seed):
    """Legal combinations of a version and up to eight words, and how many were drawn to get them."""
    dice, found, drawn = random.Random(seed), [], 0
    names = [name for name in words if name != "version"]
    while len(found) < count:
        chosen = dice.sample(names, dice.randint(2, 8))
        choices = [dice.choice(VERSIONS)] + [dice.choice(words[name]) for name in chosen]
        drawn += 1
        if not vspe.refusal(choices):
            found.append(choices)
    return found, drawn


def plan(values, drawn, whole, quick):
    """Pairs of a guest and choices."""
    runs = []
    for i, choices in enumerate(values):
        guests = QUICK + SLOW if whole else [QUICK[(7 * i + n) % len(QUICK)] for n in range(quick)] + \
            ([SLOW[i % len(SLOW)]] if quick > 2 or i % 4 == 0 else [])
        runs += [(guest, choices) for guest in guests]
    for i, choices in enumerate(drawn):
        guests = QUICK + SLOW if whole else [QUICK[(2 * i + n) % len(QUICK)] for n in range(2)] + \
            ([SLOW[i // 4 % len(SLOW)]] if i % 4 == 3 else [])
        runs += [(guest, choices) for guest in guests]
    return runs


def main():
    parser = argparse.ArgumentParser(description=__doc__.split(":", 1)[1], allow_abbrev=False)
    parser.add_argument("vspe")
    parser.add_argument("guests")
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("--combinations", type=int, default=500)
    parser.add_argument("--quick", type=int, default=6, help="quick guests of each value; of two, each fourth has a slow one")
    parser.add_argument("--seed", type=int, default=31)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--timeout", type=int, default=120, help="seconds after which a guest hangs")
    parser.add_argument("--only", help="the guests of this name")
    parser.add_argument("--word", help="the values of this word of --spe")
    options = parser.parse_args()
    vspe = Vspe(options.vspe, options.guests, options.timeout)
    words = words_of(options.vspe)
    values, absent, missing = single(vspe, words, options.word)
    drawn, draws = combinations(vspe, words, options.combinations, options.seed)
    runs = [r for r in plan(values, drawn, options.whole, options.quick) if options.only in (None, r[0].split()[0])]
    passed, failures, skips = 0, 0, collections.Counter()
    print(f"# {len(words)} words, {len(values)} values; seed {options.seed}: {len(drawn)} combinations of {draws} drawn", flush=True)
    print(f"# guests go round: {len(runs)} runs; --whole runs all with all" if not options.whole else f"# all with all: {len(runs)} runs")
    print(f"# not to be had: {' '.join(absent)}")
    for value in missing:
        print(f"not ok - {value}: vspe refuses it, with each version and with all that it may need")
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for good, skipped, wrong in pool.map(lambda r: vspe.run(*r), runs):
            passed += good
            skips.update(skipped)
            failures += wrong is not None
            if wrong:
                print(wrong, flush=True)
    print("# skipped tests, by reason:")
    for reason, count in skips.most_common():
        print(f"# {count:6}  {reason}")
    print(f"# {len(values) + len(drawn)} PEs, {len(runs)} runs of PE and guest: {len(runs) - failures} passed, {failures} failed; "
          f"{passed} tests passed, {sum(skips.values())} skipped")
    sys.exit(1 if failures or missing or not passed else 0)


if __name__ == "__main__":
    main()
