#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""perf_hotspot.py LOG SCRIPT PACKETS: compare what perf shows with the log of the hotspot guest.

LOG is the guest's console; SCRIPT is "perf script -F ip,sym"; PACKETS is "CPU BYTES WORDS" a packet,
from perf report -D. Prints what it found, and ends with 1 at the first disagreement.
"""
import re
import sys

SHARES = {"sixty": 60, "thirty": 30, "ten": 10}
PREFIX = {0: "user_", 1: "kernel_"}
PAGE = 4096
LOW_56 = (1 << 56) - 1  # perf report -D shows that much of an instruction's address


def fail(text):
    sys.exit(f"FAIL: {text}")


class Log:
    """The profiles in order, and by Exception level the functions and data pages."""

    def __init__(self, text):
        self.profiles, self.functions, self.pages = [], {0: {}, 1: {}}, {0: {}, 1: {}}
        for el, interval, random, records in re.findall(
                r"# hot spots at EL(\d), every (\d+) operations( and random)?: (\d+) records", text):
            self.profiles.append({"el": int(el), "interval": int(interval), "random": bool(random),
                                  "records": int(records)})
        counts = re.findall(r"# (\d+) operations, (\d+) records", text)
        if not self.profiles or len(counts) != len(self.profiles):
            fail("the guest's log has no profiles, or not their populations")
        for profile, (operations, records) in zip(self.profiles, counts):
            if profile["records"] != int(records):
                fail("the guest's log contradicts itself")
            profile["operations"] = int(operations)
        for el, name, start, end in re.findall(
                r"log: EL(\d) (\w+) 0x([0-9a-f]+)-0x([0-9a-f]+)", text):
            self.functions[int(el)][name] = range(int(start, 16), int(end, 16))
        for el, va, pa in re.findall(
                r"log: EL(\d) data VA 0x([0-9a-f]+) PA 0x([0-9a-f]+)", text):
            self.pages[int(el)][int(va, 16)] = int(pa, 16)


def read_records(lines):
    """Lists of packets' words, one list a record."""
    record = []
    for line in lines:
        words = re.match(r"\d+(?: [0-9a-f]{2})+ (.*)", line).group(1)
        record.append(words)
        if words == "END" or words.startswith("TS "):
            yield record
            record = []
    if record:
        fail("the last record has no end")


def check_number(profile):
    """RND=0: a record exactly every INTERVAL x 256 + 1 members of the population."""
    if profile["random"]:
        return
    wanted = profile["operations"] // (profile["interval"] + 1)
    if profile["records"] != wanted:
        fail(f"{profile['records']} records of {profile['operations']} operations, not {wanted}")


def check_samples(profile, samples, log):
    counts = dict.fromkeys(SHARES, 0)
    el = profile["el"]
    for ip, symbol in samples:
        for name, where in log.functions[el].items():
            if (ip in where) != (symbol == PREFIX[el] + name):
                fail(f"perf has {ip:#x} in {symbol}, the guest not")
            if ip in where and name in counts:
                counts[name] += 1
    shares = {name: 100 * count / len(samples) for name, count in counts.items()}
    for name, share in shares.items():
        if abs(share - SHARES[name]) > 2:
            fail(f"{name} has {share:.2f} per cent at EL{el}, not {SHARES[name]}")
    print(f"EL{el} {'random' if profile['random'] else 'fixed'}: {len(samples)} records,",
          ", ".join(f"{name} {share:.2f} %" for name, share in shares.items()))


def check_packets(profile, samples, records, log):
    el, accesses = profile["el"], 0
    for (ip, _), record in zip(samples, records):
        words = dict(re.match(r"(\S+) ?(.*)", packet).groups() for packet in record)
        if words["PC"] != f"{ip & LOW_56:#x} el{el} ns=1":
            fail(f"perf script has {ip:#x}, perf report -D has {words['PC']}")
        if "VA" not in words:
            continue
        # Of the functions only thirty accesses memory.
        if ip in log.functions[el]["thirty"]:
            va, pa = int(words["VA"], 16), int(words["PA"].split()[0], 16)
            page = log.pages[el].get(va & ~(PAGE - 1))
            if page is None or pa != page + va % PAGE:
                fail(f"data access at VA {va:#x} PA {pa:#x}: not where the guest's data are")
            accesses += 1
    if not accesses:
        fail("no record has a data address")


def main():
    log = Log(open(sys.argv[1]).read())
    samples = []
    for line in open(sys.argv[2]):
        ip, symbol = line.split()[:2]
        samples.append((int(ip, 16), symbol))
    records = list(read_records(open(sys.argv[3])))
    # Before its profiles the guest samples an idle loop, to find out if samples collide here.
    idle = 0
    while idle < len(samples) and samples[idle][1] == "spe_idle":
        idle += 1
    total = idle + sum(profile["records"] for profile in log.profiles)
    if not total == len(samples) == len(records):
        fail(f"{total} records in the guest, {len(samples)} in perf script, "
             f"{len(records)} in perf report -D")
    at = idle
    for profile in log.profiles:
        part = slice(at, at + profile["records"])
        check_number(profile)
        check_samples(profile, samples[part], log)
        check_packets(profile, samples[part], records[part], log)
        at = part.stop


main()
