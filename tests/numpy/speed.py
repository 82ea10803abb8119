#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""speed.py: decodes and reads 100 MB of records of 64 bytes, as Neoverse cores write them, in at most 1 s of one
processor. A stream of them only takes memory for its parts."""
import subprocess
import sys
import tempfile
import time

from common import made

import vspe


SIZE, LIMIT = 100_000_000, 1.0
# MiB, of a separate process.
GROWN = """
import resource, sys, vspe
most = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
before = most()
assert sum(map(len, vspe.stream(sys.argv[1], 1 << 14))) > 1_000_000
print((most() - before) // 1024)
"""


def best(what, call, count):
    """The shortest of three times."""
    times = []
    for _ in range(3):
        start = time.process_time()
        got = call()
        times.append(time.process_time() - start)
        if got != count:
            sys.exit(f"not ok - {what}: {got} records of {count}")
    print(f"{'ok' if min(times) <= LIMIT else 'not ok'} - {what}: {min(times):.2f} s, {SIZE / min(times) / 1e6:.0f} MB/s")
    return min(times) <= LIMIT


def streamed(path):
    with vspe.stream(path, 1 << 14) as stream:
        return sum(map(len, stream))


unit = b"".join(made.record(r).ljust(64, b"\0") for r in made.many(4096))
data = unit * (SIZE // len(unit))
with tempfile.NamedTemporaryFile() as file:
    file.write(made.perf_file([made.info()] + [made.auxtrace(unit, n % 4) for n in range(len(data) // len(unit))]))
    file.flush()
    records = len(data) // 64
    right = [best("stream()", lambda: streamed(file.name), records)]
    grown = int(subprocess.run([sys.executable, "-c", GROWN, file.name], check=True, capture_output=True, text=True).stdout)
    print(f"{'ok' if grown < 64 else 'not ok'} - stream() takes {grown} MiB")
    right += [grown < 64, best("read()", lambda: len(vspe.read(file.name)), records), best("decode()", lambda: len(vspe.decode(data)), records)]
sys.exit(not all(right))
