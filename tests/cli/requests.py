#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""requests.py VSPE GUESTS FACTOR: the largest requests that single instructions and calls make of a machine (the guest
endless) end a second after --timeout and after SIGTERM at the latest, times FACTOR, which is more than 1 in a build with
sanitizers. Counted from the guest's first line: to build a machine is no answer to a guest."""
import concurrent.futures
import os
import signal
import subprocess
import sys
import tempfile
import time

VSPE, GUESTS, FACTOR = sys.argv[1], sys.argv[2], int(sys.argv[3])
GUEST = os.path.join(GUESTS, "endless.elf")
TIMEOUT = 1 if FACTOR == 1 else 8 * FACTOR  # which the guest needs to get there
MOST = FACTOR  # seconds
HANGS = 60 * FACTOR
REQUESTS = """set_area set_device copy_area copy_device store_pairs tlbi_range tlbi_largest tlbi_all dc_zva dc_civac dc_cisw
ic_iallu ic_always ic_ivau collide translate reset cpu_on random_numbers gic_pending_all timers wait_event
wait_deadline""".split()
CONSOLE = " at=0x09000000 size=4096"  # otherwise it is the distributor of the GIC
MODEL = "l2tlb.entries 65536\nl2tlb.ways 16\nl2.size 16M\nllc.size 64M\n"
LARGE = ["-c", "64"]


def rows(model, hole):
    """Name, options, boot arguments."""
    for name in REQUESTS:
        yield name, LARGE, ""
    for name in ("set_device", "copy_device", "store_pairs"):
        yield name, [], CONSOLE
    for name in ("set_area", "copy_area", "copy_device", "dc_zva", "tlbi_range", "ic_iallu"):
        yield name, ["-c", "2"], " sample=1"
    for name in ("copy_area", "dc_civac", "tlbi_range", "tlbi_all", "ic_always"):
        yield name, [*LARGE, "--model", "full," + model], " sample=1"
    yield "reset", [*LARGE, "--initrd", hole], ""


def end(name, options, arguments, how):
    """Why it is not as it has to be, or None; and how many seconds it took to end."""
    words = [VSPE, "run", "-m", "1024", "--isa", "all", "--timeout", str(TIMEOUT if how == "--timeout" else HANGS), *options,
             "-p", f"request={1 + REQUESTS.index(name)}{arguments}", GUEST]
    with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        first = run.stdout.readline()
        start = time.monotonic()
        if how == "SIGTERM":
            time.sleep(0.25)
            start = time.monotonic()
            run.send_signal(signal.SIGTERM)
        else:
            start += TIMEOUT
        try:
            out, err = run.communicate(timeout=HANGS)
        except subprocess.TimeoutExpired:
            run.kill()
            return f"no end: {run.communicate()[0][-200:]}", HANGS
    took = time.monotonic() - start
    if f"# {name} without end".encode() not in first:
        return f"another request: {first} {err[-300:]}", took
    if run.returncode != (124 if how == "--timeout" else -signal.SIGTERM):
        return f"exit code {run.returncode}: {out[-300:]} {err[-300:]}", took
    return (f"more than {MOST} s" if took > MOST else None), took


def end_in_time(*row):
    """The best of three tries: what is late by itself is late each time, what the host delays is not."""
    for _ in range(3):
        why, took = end(*row)
        if not why or not why.startswith("more"):
            break
    return why, took


def main():
    failures = 0
    with tempfile.TemporaryDirectory() as work:
        model, hole = os.path.join(work, "model"), os.path.join(work, "hole")
        with open(model, "w", encoding="ascii") as file:
            file.write(MODEL)
        with open(hole, "wb") as file:
            file.truncate(256 << 20)
        # One ends as the other: both of what there is most of, and of what no instruction is.
        tries = [(*row, how) for row in rows(model, hole) for how in ("--timeout", "SIGTERM")
                 if how == "SIGTERM" or row[1] == LARGE or row[0] == "reset"]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for row, (why, took) in zip(tries, pool.map(lambda row: end_in_time(*row), tries)):
                failures += why is not None
                told = " ".join(word for word in row[1] if work not in word)
                print(f"{'not ' if why else ''}ok - {row[0]}{row[2]} {told}, {row[3]}: {took:.2f} s later"
                      f"{': ' + why if why else ''}")
    sys.exit(failures > 0)


main()
